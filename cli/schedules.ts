import type { Schedule } from '../domain/schedule.ts';
import { tierSchema } from '../domain/trigger.ts';
import { type Client, everyItem } from '../sdk/client.ts';
import { openDesk } from './desk.ts';
import { inputIn } from './json-input.ts';
import { agentFor } from './run-target.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { isCalled } from './workspace-choice.ts';

const TEXT_WIDTH = 40;

async function all(client: Client): Promise<Schedule[]> {
  const found: Schedule[] = [];
  const pages = everyItem((cursor) => client.schedules.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) found.push(each);
  return found;
}

async function one(client: Client, wanted: string): Promise<Schedule> {
  const [found, another] = (await all(client)).filter(isCalled(wanted));
  if (!found) throw new Trouble(`There is no schedule "${wanted}".`, 'See: longhaul schedules');
  if (another) throw new Trouble(`Several are called "${wanted}".`, `Give the id: ${found.id} or ${another.id}.`);
  return found;
}

const nextOf = ({ is_active, next_run_time }: Schedule): string =>
  is_active ? (next_run_time ?? 'never').replace(':00.000Z', 'Z') : 'paused';

export async function schedulesCommand({ json = false }: { json?: boolean }): Promise<void> {
  const { client, print } = await openDesk({ json });
  const found = await all(client);
  if (json) for (const each of found) print(JSON.stringify(each));
  else if (found.length === 0) print('No schedule yet. Make one with: longhaul schedules add "0 9 * * 1-5" "<input>"');
  else {
    const rows = found.map((each) => [
      each.id,
      brief(each.name, TEXT_WIDTH),
      each.cron_expression,
      each.time_zone,
      nextOf(each),
      harmless(each.target_name ?? ''),
    ]);
    for (const row of tableLines(['ID', 'NAME', 'CRON', 'ZONE', 'NEXT', 'RUNS'], rows)) print(row);
  }
}

interface AddOptions {
  agent?: string;
  workflow?: string;
  name?: string;
  zone?: string;
  tier?: string;
}

async function workflowCalled(client: Client, wanted: string): Promise<string> {
  const pages = everyItem((cursor) => client.workflows.list(cursor === undefined ? {} : { cursor }));
  for await (const each of pages) if (isCalled(wanted)(each)) return each.id;
  throw new Trouble(`There is no workflow "${wanted}".`);
}

export async function schedulesAddCommand(cron: string, input: string[], options: AddOptions): Promise<void> {
  if (options.agent !== undefined && options.workflow !== undefined) {
    throw new Trouble('Give either --agent or --workflow.');
  }
  const tier = tierSchema.safeParse(options.tier ?? 'standard');
  if (!tier.success) throw new Trouble(`--tier takes ${tierSchema.options.join(', ')}.`);
  const { client, print } = await openDesk();
  const target =
    options.workflow === undefined
      ? { agent_id: (await agentFor(client, options.agent)).id }
      : { workflow_id: await workflowCalled(client, options.workflow) };
  const words = input.join(' ');
  const made = await client.schedules.create({
    ...target,
    cron_expression: cron,
    time_zone: options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    tier: tier.data,
    ...(words === '' ? {} : { input: inputIn(words) }),
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  print(`${made.id}  ${harmless(made.name)}, next ${nextOf(made)} (${made.time_zone})`);
}

export async function schedulesPauseCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await one(client, wanted);
  await client.schedules.pause(id);
  print(`Paused ${harmless(name)}.`);
}

export async function schedulesUnpauseCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id } = await one(client, wanted);
  const now = await client.schedules.unpause(id);
  print(`${harmless(now.name)} goes on, next ${nextOf(now)}.`);
}

export async function schedulesRunCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await one(client, wanted);
  const { outcome, run_id, error } = await client.schedules.trigger(id);
  if (outcome === 'skipped') throw new Trouble(`${harmless(name)} was left out: the run before is still under way.`);
  if (outcome === 'refused') throw new Trouble(`Nothing could be started: ${harmless(error?.message ?? '')}`);
  print(
    run_id ? `${run_id}  watch it with: longhaul watch ${run_id}` : `${harmless(name)} will run as soon as it can.`,
  );
}

export async function schedulesBackfillCommand(wanted: string, from: string, to: string): Promise<void> {
  const [start, end] = [from, to].map((text) => {
    const at = new Date(text);
    if (Number.isNaN(at.getTime())) throw new Trouble(`"${text}" is no time; give one like 2026-01-31T09:00Z.`);
    return at.toISOString();
  });
  const { client, print } = await openDesk();
  const { id } = await one(client, wanted);
  const { times } = await client.schedules.backfill(id, { start_at: start ?? '', end_at: end ?? '' });
  for (const time of times) print(time);
}

export async function schedulesRemoveCommand(wanted: string): Promise<void> {
  const { client, print } = await openDesk();
  const { id, name } = await one(client, wanted);
  await client.schedules.delete(id);
  print(`Deleted ${harmless(name)}. What it has started goes on.`);
}
