import { hasEnded, type RunStatus, runStatusSchema } from '../domain/run.ts';
import { openDesk } from './desk.ts';
import { settledRun } from './follow.ts';
import { runId } from './run-id.ts';
import { runRows } from './runs.ts';
import { Trouble } from './trouble.ts';

const OPEN: RunStatus[] = runStatusSchema.options.filter((status) => !hasEnded(status));

export async function cancelCommand(given: string | undefined): Promise<void> {
  const { client, style, print } = await openDesk();
  let id = given === undefined ? undefined : runId(given);
  if (id === undefined) {
    const { items } = await client.runs.list({ status: OPEN, limit: 20 });
    if (items.length > 1) {
      const rows = runRows(items, style, Date.now()).join('\n');
      throw new Trouble('More than one run is going on; say which one is meant:', `${rows}\nlonghaul cancel <run>`);
    }
    id = items[0]?.id;
  }
  if (id === undefined) throw new Trouble('No run is going on.', 'See what there was: longhaul runs');
  await client.runs.cancel(id);
  const { status } = await settledRun(client, id);
  if (hasEnded(status)) print(`${id} is ${status}.`);
  else print(`${id} is told to stop; it is still ${status}. Watch it with: longhaul watch ${id}`);
}
