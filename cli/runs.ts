import { type Run, type RunStatus, runStatusSchema, type Trigger } from '../domain/run.ts';
import type { RunOrder } from '../domain/run-order.ts';
import type { RunQuery } from '../sdk/queries.ts';
import { openDesk } from './desk.ts';
import { agentFor } from './run-target.ts';
import { brief, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago, figure, statusWord, took } from './words.ts';

export interface RunsOptions {
  status?: string;
  agent?: string;
  trigger?: Trigger;
  from?: string;
  to?: string;
  roots?: boolean;
  sort: RunOrder;
  limit: string;
  json?: boolean;
}

const AGENT_WIDTH = 28;
const MOST = 100;

export function statusesIn(given: string): RunStatus[] {
  const known = runStatusSchema.options;
  return given.split(',').map((word) => {
    const status = known.find((status) => status === word.trim());
    if (!status) throw new Trouble(`There is no status "${word.trim()}".`, `Use one of ${known.join(', ')}.`);
    return status;
  });
}

export function wholeNumber(flag: string, given: string, most: number): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Trouble(`--${flag} takes a whole number from 1 to ${figure(most)}, not "${given}".`);
}

export function runRows(runs: Run[], style: Style, now: number): string[] {
  const rows = runs.map((run) => [
    statusWord(run.status, style),
    run.id,
    brief(run.agent_name, AGENT_WIDTH),
    ago(run.started_at ?? run.created_at, now),
    durationOf(run, now),
    figure(run.tokens_used),
  ]);
  return tableLines(['STATUS', 'RUN', 'AGENT', 'STARTED', 'DURATION', 'TOKENS'], rows, [4, 5]);
}

function durationOf(run: Run, now: number): string {
  if (run.duration_ms !== null) return took(run.duration_ms);
  return run.started_at === null ? '–' : took(now - Date.parse(run.started_at));
}

/** As it is said here, in the time of this machine. */
function timeIn(flag: string, given: string): string {
  const time = new Date(/^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00` : given);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new Trouble(`--${flag} takes a time like 2026-05-01 or 2026-05-01T08:00, not "${given}".`);
}

export async function runsCommand(options: RunsOptions): Promise<void> {
  const { status, agent, trigger, from, to, roots, sort, limit, json = false } = options;
  const query: RunQuery = {
    limit: wholeNumber('limit', limit, MOST),
    sort,
    ...(status ? { status: statusesIn(status) } : {}),
    ...(trigger ? { trigger_type: trigger } : {}),
    ...(from ? { from: timeIn('from', from) } : {}),
    ...(to ? { to: timeIn('to', to) } : {}),
    ...(roots ? { root: true } : {}),
  };
  const { client, style, print } = await openDesk({ json });
  if (agent !== undefined) query.agent_id = (await agentFor(client, agent)).id;
  const { items, next_cursor } = await client.runs.list(query);
  if (json) {
    for (const run of items) print(JSON.stringify(run));
    return;
  }
  if (items.length === 0) {
    const isNarrowed = Boolean(status ?? agent ?? trigger ?? from ?? to ?? roots);
    print(isNarrowed ? 'No run fits.' : 'No run yet. Start one with: longhaul run "summarize the notebook"');
    return;
  }
  for (const row of runRows(items, style, Date.now())) print(row);
  if (next_cursor)
    print(style('dim', `The ${sort === 'newest' ? 'newest' : 'first'} ${items.length}; --limit shows more.`));
}
