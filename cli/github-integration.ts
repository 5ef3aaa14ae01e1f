import { text } from 'node:stream/consumers';
import type { GithubIntegration } from '../domain/github.ts';
import { type Desk, openDesk } from './desk.ts';
import { askSecret } from './prompts.ts';
import { harmless } from './style.ts';
import { Trouble } from './trouble.ts';
import { workspaceFor } from './workspace-choice.ts';

interface Options {
  workspace?: string;
  on?: boolean;
  off?: boolean;
  remove?: boolean;
  apiUrl?: string;
  json?: boolean;
}

const words = ({ enabled, has_token, api_url }: GithubIntegration): string =>
  enabled
    ? `Pull requests are on, through ${harmless(api_url)}.`
    : `Pull requests are off${has_token ? '; the token is kept' : '; no token is set'}.`;

/** Nothing where the one that is there is to stay. */
async function askedToken(has: boolean, { prompting }: Desk): Promise<string | undefined> {
  if (!prompting) return process.stdin.isTTY ? undefined : (await text(process.stdin)).trim() || undefined;
  const hint = has ? 'Token (empty keeps the one there is)' : 'Token (it is not shown)';
  return (await askSecret(hint)) || undefined;
}

export async function githubCommand({
  workspace: wanted,
  on,
  off,
  remove,
  apiUrl,
  json = false,
}: Options): Promise<void> {
  if ([on, off, remove].filter(Boolean).length > 1) throw new Trouble('Choose one of --on, --off and --remove.');
  const desk = await openDesk({ json });
  const { client, print } = desk;
  const { id: workspace_id } = await workspaceFor(client, wanted);
  if (remove) {
    await client.github.remove(workspace_id);
    print('Removed the integration and its token.');
    return;
  }
  let now = await client.github.get(workspace_id);
  if (on || off) {
    const token = on ? await askedToken(now.has_token, desk) : undefined;
    const api_url = apiUrl ?? now.api_url;
    now = await client.github.set({ workspace_id, enabled: on === true, api_url, ...(token ? { token } : {}) });
  }
  print(json ? JSON.stringify(now) : words(now));
}
