import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { RESULT_CHARS } from '../../domain/request-size.ts';
import { workflowIdOf } from '../../domain/run-id.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { startTirelessModel } from '../doubles/tireless-model.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';
import { eventsOf, type History, historiesOf, payloadsOf, segmentsIn } from './history.ts';

const MEGABYTE = 1024 * 1024;
/** Room for a conversation of 200,000 tokens before it is summed up. */
const WIDE = 300_000;
/** Short, so that the run goes over several histories. */
const MAX_HISTORY = 60;
/** What a history has besides its segments: its start and its end, or the cut. */
const AROUND = 10;
/** Scheduled, started and completed, and the workflow task after it. */
const PER_SEGMENT = 6;

/** Runs one agent that knows no limit until it has called its tool so often. */
async function endure(
  turns: number,
  window: number,
  call: { name: string; arguments: object },
  files: Record<string, string> = {},
) {
  const model = await startTirelessModel(turns, call, window);
  const system = await startSystem({
    segmentMs: 1_000,
    contextTokens: window,
    maxHistory: MAX_HISTORY,
    modelUrl: model.url,
  });
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(system.root, name), text);
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({
        ...AGENT,
        workspace_id: system.workspace.id,
        max_requests_per_hour: null,
        max_iterations: 100_000,
        max_token_budget: 1_000_000_000,
      }),
      id: newId('agt'),
    });
    const id = await start(system, agent.id);
    // Without a look at every append of thousands.
    await system.client.workflow.getHandle(workflowIdOf(id)).result();
    const run = await system.ended(id);
    const histories = await historiesOf(system.client, id);
    return { run, seen: model.seen, histories, documents: await largestDocuments() };
  } finally {
    await system.stop();
    model.close();
  }
}

const start = async ({ commands, caller, notebook }: System, agent_id: string): Promise<string> =>
  (await commands.start(caller, startRunBody.parse({ agent_id, notebook_id: notebook.id, input: 'Go on.' }), newId))
    ._id;

/** Bytes of the largest document of each collection. */
async function largestDocuments(): Promise<Record<string, number>> {
  const { db } = mongoose.connection;
  const collections = (await db?.listCollections().toArray()) ?? [];
  const sizes = collections.map(async ({ name }) => {
    const largest = [{ $group: { _id: null, bytes: { $max: { $bsonSize: '$$ROOT' } } } }];
    const [found] = (await db?.collection(name).aggregate<{ bytes: number }>(largest).toArray()) ?? [];
    return [name, found?.bytes ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}

/** Whatever the run read and wrote: small payloads, and so many events for every time it was carried on. */
function expectSlim(histories: History[]): void {
  const payloads = histories.flatMap(eventsOf).flatMap(payloadsOf);
  expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThan(64 * 1024);
  for (const history of histories) {
    const events = eventsOf(history).length;
    expect(events).toBeLessThan(MAX_HISTORY + AROUND);
    expect(events).toBeLessThanOrEqual(PER_SEGMENT * segmentsIn([history]) + AROUND);
  }
}

describe('[15.8] a long run', () => {
  it('of 300 results in a conversation of over 200,000 tokens is summed up on the way, fits its model and completes', async () => {
    const line = 'What was read on the long haul is kept in words that a model can count, and read again.\n';
    const text = line.repeat(Math.ceil((2 * RESULT_CHARS) / line.length));
    const call = { name: 'read_file', arguments: { path: '/long.md' } };
    const { run, seen, histories, documents } = await endure(300, WIDE, call, { 'long.md': text });
    expect(run).toMatchObject({ status: 'completed', output: 'All done.' });
    expect([seen.calls, seen.refused]).toEqual([301, 0]);
    expect(seen.summaries).toBeGreaterThan(0);
    expect(seen.largest).toBeGreaterThan(200_000);
    expect(seen.largest).toBeLessThanOrEqual(WIDE);
    expectSlim(histories);
    expect(Math.max(...Object.values(documents))).toBeLessThan(MEGABYTE);
  }, 180_000);

  it('of 3,000 turns completes, and its history grows no faster at its end than at its beginning', async () => {
    const { run, seen, histories, documents } = await endure(3_000, 16_000, { name: 'list_files', arguments: {} });
    expect(run).toMatchObject({ status: 'completed', output: 'All done.' });
    expect([seen.calls, seen.refused]).toEqual([3_001, 0]);
    expect(run.iterations_used).toBe(seen.calls + seen.summaries);
    expectSlim(histories);
    expect(Math.max(...Object.values(documents))).toBeLessThan(MEGABYTE);
  }, 300_000);
});
