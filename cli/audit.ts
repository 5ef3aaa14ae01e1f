import { once } from 'node:events';
import type { AuditLine } from '../domain/audit.ts';
import type { AuditQuery } from '../sdk/queries.ts';
import { openDesk } from './desk.ts';
import { agentFor } from './run-target.ts';
import { wholeNumber } from './runs.ts';
import { brief, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago, took } from './words.ts';

export interface AuditOptions {
  agent?: string;
  run?: string;
  action?: string;
  denied?: boolean;
  since?: string;
  limit: string;
  export?: string;
  json?: boolean;
}

const MOST = 100;
const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90m`, `24h`, `7d`, or a time. */
export function sinceTime(given: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  const at = count ? now - Number(count) * (UNITS[unit] ?? 0) : Date.parse(given);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new Trouble(`--since takes a span like 90m, 24h or 7d, or a time like 2026-01-31T12:00Z, not "${given}".`);
}

function auditRows(lines: AuditLine[], style: Style, now: number): string[] {
  const rows = lines.map((line) => [
    ago(line.created_at, now),
    brief(line.user_name ?? '–', 20),
    brief(line.agent_name ?? '–', 20),
    line.was_allowed ? line.action : style('red', line.action),
    brief(line.target ?? '', 40),
    line.was_allowed ? 'allowed' : style('red', 'refused'),
    line.execution_time_ms === null ? '' : took(line.execution_time_ms),
  ]);
  return tableLines(['WHEN', 'WHO', 'AGENT', 'ACTION', 'TARGET', 'OUTCOME', 'TOOK'], rows, [6]);
}

const formatOf = (given: string): 'ndjson' | 'csv' => {
  if (given === 'ndjson' || given === 'csv') return given;
  throw new Trouble(`--export takes ndjson or csv, not "${given}".`);
};

/** As it comes, however long it is: nothing is kept. */
async function passOn(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    if (!process.stdout.write(read.value)) await once(process.stdout, 'drain');
  }
}

export async function auditCommand(options: AuditOptions): Promise<void> {
  const { agent, run, action, denied = false, since, json = false } = options;
  const limit = wholeNumber('limit', options.limit, MOST);
  const format = options.export === undefined ? null : formatOf(options.export);
  const from = since === undefined ? undefined : sinceTime(since, Date.now());
  const { client, style, print } = await openDesk({ json });
  const query: AuditQuery = {
    ...(agent === undefined ? {} : { agent_id: (await agentFor(client, agent)).id }),
    ...(run === undefined ? {} : { run_id: run }),
    ...(action === undefined ? {} : { action }),
    ...(denied ? { was_allowed: false } : {}),
    ...(from === undefined ? {} : { from }),
  };
  if (format) return passOn(await client.audit.export(format, query));
  const { items, next_cursor } = await client.audit.list({ ...query, limit });
  if (json) for (const line of items) print(JSON.stringify(line));
  else if (items.length === 0) print('Nothing like that has happened.');
  else {
    for (const row of auditRows(items, style, Date.now())) print(row);
    if (next_cursor) print(style('dim', `The newest ${items.length}; --limit shows more, --export all.`));
  }
}
