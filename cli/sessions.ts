import type { SessionSummary } from '../domain/session.ts';
import { openDesk } from './desk.ts';
import { wholeNumber } from './runs.ts';
import { brief, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago, figure, statusWord } from './words.ts';

export interface SessionsOptions {
  limit: string;
  archived?: boolean;
  json?: boolean;
}

const MOST = 100;

/** Told here, since the server can only speak of the path of a request. */
export function sessionId(word: string): string {
  if (/^ses_[0-9a-z]{26}$/.test(word)) return word;
  throw new Trouble(`"${word}" is not the id of a session.`, 'See which there are: longhaul sessions');
}

function sessionRows(sessions: SessionSummary[], style: Style, now: number): string[] {
  const rows = sessions.map(({ id, status, agent_name, title, updated_at, tokens_used }) => [
    status === 'pending' ? style('dim', '○ pending') : statusWord(status, style),
    id,
    brief(agent_name, 24),
    brief(title, 48),
    ago(updated_at, now),
    figure(tokens_used),
  ]);
  return tableLines(['STATUS', 'SESSION', 'AGENT', 'TITLE', 'LAST', 'TOKENS'], rows, [5]);
}

export async function sessionsCommand({ limit, archived = false, json = false }: SessionsOptions): Promise<void> {
  const query = { limit: wholeNumber('limit', limit, MOST), archived };
  const { client, style, print } = await openDesk({ json });
  const { items, next_cursor } = await client.sessions.list(query);
  if (json) for (const session of items) print(JSON.stringify(session));
  else if (items.length === 0) print('No conversation yet. Begin one with: longhaul chat');
  else for (const row of sessionRows(items, style, Date.now())) print(row);
  if (!json && next_cursor) print(style('dim', `The newest ${items.length}; --limit shows more.`));
}
