import { setTimeout } from 'node:timers/promises';
import type { Run } from '../domain/run.ts';
import { median, quantile, residentWhenIdle, severalAtOnce, within } from './measure.ts';
import type { Stack } from './stack.ts';
import { FILLER, type Script, type StubModel } from './stub-model.ts';

const WAITING = 5_000;
const ANSWERED = 200;
const STARTS_AT_ONCE = 50;
const ANSWERS_AT_ONCE = 4;
const ALL_ASKED_MS = 600_000;
const AWAKE_MS = 60_000;

/** How runs are called that ask a person first, and end when they have the answer. */
export const ASKING = 'asking';
export const asksFirst: Script = (_run, turn) =>
  turn === 0
    ? { content: FILLER, tool: { name: 'clarify_user', arguments: { question: 'Shall I go on?' } } }
    : { content: FILLER };

async function untilAllWait({ call }: Stack): Promise<void> {
  const anyWith = async (status: string) =>
    (await call<{ items: unknown[] }>('GET', `/runs?status=${status}&limit=1`)).items.length > 0;
  const deadline = Date.now() + ALL_ASKED_MS;
  while (await anyWith('queued,running')) {
    if (Date.now() > deadline) throw new Error(`not all runs were waiting within ${ALL_ASKED_MS / 1000} s`);
    await setTimeout(250);
  }
  if (await anyWith('failed,cancelled,budget_exceeded')) throw new Error('some run ended instead of waiting');
}

async function held({ api, worker }: Stack): Promise<{ total: number; text: string }> {
  const [ofApi = 0, ofWorker = 0] = await Promise.all([api, worker].map(({ pid }) => residentWhenIdle(pid)));
  return { total: ofApi + ofWorker, text: `API ${Math.round(ofApi)} MB, worker ${Math.round(ofWorker)} MB` };
}

/** From the answer leaving here to the model being called with it. */
async function wakeTime({ call }: Stack, stub: StubModel, id: string): Promise<number> {
  const { input, pending_questions } = await call<Run>('GET', `/runs/${id}`);
  const [question] = pending_questions;
  if (!question) throw new Error(`${id} asks nothing`);
  const begun = performance.now();
  const [, at] = await Promise.all([
    call('POST', `/runs/${id}/answer`, { question_id: question.id, answer: 'Yes.' }),
    within(AWAKE_MS, `${id} awake`, stub.called(String(input), 1)),
  ]);
  return at - begun;
}

export async function waitingRuns(
  stack: Stack,
  stub: StubModel,
  about: { agent_id: string; notebook_id: string },
  scale: number,
  say: (line: string) => void,
) {
  const waiting = Math.ceil(WAITING * scale);
  const answered = Math.ceil(ANSWERED * scale);
  const before = await held(stack);
  const ids: string[] = [];
  await severalAtOnce(waiting, STARTS_AT_ONCE, async (i) => {
    const { id } = await stack.call<Run>('POST', '/runs', { ...about, input: `${ASKING} ${i}` });
    ids.push(id);
  });
  await untilAllWait(stack);
  const then = await held(stack);
  say(`${waiting} runs wait for a person: ${then.text}; before: ${before.text}`);

  const wakes: number[] = [];
  // Spread over all of them: what waits longest is what no cache remembers.
  const chosen = Array.from({ length: answered }, (_, i) => ids[Math.floor((i * ids.length) / answered)] ?? '');
  await severalAtOnce(answered, ANSWERS_AT_ONCE, async (i) => {
    wakes.push(await wakeTime(stack, stub, chosen[i] ?? ''));
  });
  return {
    waiting_mb: then.total - before.total,
    wake_p95_ms: quantile(wakes, 0.95),
    waiting_total_mb: then.total,
    wake_p50_ms: median(wakes),
  };
}
