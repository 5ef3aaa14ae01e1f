import { z } from 'zod';
import { Failure } from './failures.ts';
import { readAddress } from './private-address.ts';

export const GITHUB_API = 'https://api.github.com';

/** How a workspace's agents open pull requests. The token goes in and never comes out. */
export const githubIntegrationBody = z.strictObject({
  workspace_id: z.string().min(1).max(100),
  enabled: z.boolean().default(true),
  /** Of GitHub itself, or of a server of one's own: https://host/api/v3. Without it, the one that is there stays. */
  api_url: z
    .string()
    .max(500)
    .refine((text) => typeof readAddress(text) !== 'string', 'an address like https://api.github.com is expected')
    .optional(),
  /** Without it, the one that is there stays. */
  token: z.string().trim().min(8).max(500).optional(),
});
export type SetGithubIntegration = z.infer<typeof githubIntegrationBody>;

export const githubIntegrationSchema = z.object({
  workspace_id: z.string(),
  kind: z.literal('github'),
  enabled: z.boolean(),
  api_url: z.string(),
  has_token: z.boolean(),
  updated_at: z.iso.datetime().nullable(),
});
export type GithubIntegration = z.infer<typeof githubIntegrationSchema>;

/** What opens pull requests, in the memory of the activity that does. */
export interface GithubAccess {
  api_url: string;
  token: string;
}

export interface Repository {
  host: string;
  owner: string;
  repo: string;
}

/** The last two parts of an address are owner and repository, however it is written. */
export function repositoryOf(url: string): Repository | null {
  const short = /^[^/@\s]+@([^:/\s]+):(.+)$/.exec(url);
  const [host, path] =
    short && !url.includes('://') ? [short[1], short[2]] : URL.canParse(url) ? hostAndPath(new URL(url)) : [];
  const parts = (path ?? '').split('/').filter((part) => part !== '');
  const [owner, repo] = parts.slice(-2);
  if (!host || !owner || !repo) return null;
  return { host, owner, repo: repo.replace(/\.git$/, '') };
}

const hostAndPath = ({ protocol, hostname, pathname }: URL): [string, string] | [] =>
  protocol === 'file:' ? [] : [hostname, pathname];

/** The token of one server is not for the repositories of another. */
export function demandSameServer({ host }: Repository, apiUrl: string): void {
  const api = new URL(apiUrl).hostname;
  if (api === host || api === `api.${host}` || `api.${host.replace(/^ssh\./, '')}` === api) return;
  throw new Failure('git_refused', `The repository is on ${host}; the GitHub integration is for ${api}.`);
}
