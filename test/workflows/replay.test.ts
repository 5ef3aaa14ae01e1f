import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { AGENT_RUN, DEFINITION_RUN, SCHEDULED_RUN } from '../../workflows/messages.ts';
import { CONTENT, keep, playScenes, type Scenery } from '../histories/record.ts';
import { startSystem } from '../running-system.ts';
import { eventsOf, type History, payloadsOf, readHistory } from './history.ts';

const folder = new URL('../histories/', import.meta.url);
const kept = () => readdirSync(folder).filter((name) => name.endsWith('.json'));
const workflowBundle = { codePath: fileURLToPath(new URL('../../dist/workflows.js', import.meta.url)) };

/** Of each history the error of its replay, null where it replays. */
async function replay(histories: { workflowId: string; history: History }[]): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    results[workflowId] = error ?? null;
  }
  return results;
}
const fine = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]));

let today: Scenery[] = [];
beforeAll(async () => {
  const system = await startSystem({ segmentMs: 0, executors: 1 });
  today = await playScenes(system);
  await system.stop();
  if (process.env.LONGHAUL_RECORD) for (const scenery of today) await keep(scenery);
}, 180_000);
const like = (): History => {
  const [history] = today.flatMap(({ histories }) => histories);
  if (!history) throw new Error('nothing was played');
  return history;
};
const recorded = (name: string): History => readHistory(readFileSync(new URL(name, folder), 'utf8'), like());
const fresh = () =>
  today.flatMap(({ name, histories }) =>
    histories.map((history, index) => ({ workflowId: `${name}-${index + 1}`, history })),
  );

describe('[14] the workflow as it is now', () => {
  it('replays every history that was ever recorded', async () => {
    expect(kept().length).toBeGreaterThan(0);
    const histories = kept().map((name) => ({ workflowId: name, history: recorded(name) }));
    expect(await replay(histories)).toEqual(fine(kept()));
  });

  it('replays what it has just done', async () => {
    expect(await replay(fresh())).toEqual(fine(fresh().map(({ workflowId }) => workflowId)));
  });

  it('would be told if it did not: a history in which another activity was called is refused', async () => {
    const other = readHistory(JSON.stringify(like()).replaceAll('"advance"', '"retreat"'), like());
    expect((await replay([{ workflowId: 'other', history: other }])).other).not.toBeNull();
  });
});

describe('[14] a history', () => {
  const all = () => [
    ...kept().map((name) => ({ name, history: recorded(name) })),
    ...fresh().map(({ workflowId, history }) => ({ name: workflowId, history })),
  ];

  it('holds no content: not a word of what was said, read or written', () => {
    for (const { name, history } of all()) {
      const text = [JSON.stringify(history), ...payloadsOf(history).map(String)].join('\n');
      expect([name, text.includes(CONTENT), text.includes('Do it.')]).toEqual([name, false, false]);
    }
  });

  it('has payloads of ids and numbers: each under 1 KB', () => {
    for (const { name, history } of all()) {
      const sizes = payloadsOf(history).map((payload) => payload.length);
      expect(sizes.length).toBeGreaterThan(0);
      expect([name, Math.max(...sizes) < 1024]).toEqual([name, true]);
    }
  });

  it('was recorded of each workflow that runs are made of', () => {
    const types = kept().map((name) => {
      const [begun] = eventsOf(recorded(name));
      return begun?.workflowExecutionStartedEventAttributes?.workflowType?.name;
    });
    expect([...new Set(types)].sort()).toEqual([AGENT_RUN, DEFINITION_RUN, SCHEDULED_RUN].sort());
  });

  it('was recorded of each kind that runs go through', () => {
    const seen = new Set(
      kept()
        .flatMap((name) => eventsOf(recorded(name)))
        .flatMap((event) => Object.keys(event)),
    );
    for (const kind of [
      'timerStarted',
      'childWorkflowExecutionCompleted',
      'workflowExecutionSignaled',
      'workflowExecutionContinuedAsNew',
      'workflowExecutionCompleted',
    ]) {
      expect([kind, [...seen].some((key) => key.startsWith(kind))]).toEqual([kind, true]);
    }
  });
});
