import { setTimeout } from 'node:timers/promises';
import type { Run } from '../../domain/run.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { isApiError } from '../../sdk/api-error.ts';
import type { Product } from './product.ts';
import { flawsOf } from './whole.ts';

export interface Played {
  run: Run;
  events: RunEvent[];
  /** Runs it took, with those it was resumed as. */
  runs: number;
  unconfirmed: number;
  flaws: string[];
}

/** What somebody else was faster with, or what is over, needs no answer any more. */
async function unlessDecided(answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: unknown) => {
    if (!isApiError(error) || error.status !== 409) throw error;
  });
}

/** Answers all that the run asks, after a while. */
async function answerAll({ client }: Product, id: string, afterMs: number): Promise<void> {
  await setTimeout(afterMs);
  const { pending_actions, pending_questions } = await client.runs.get(id);
  for (const { id: action_id, digest } of pending_actions) {
    await unlessDecided(client.runs.confirm(id, { action_id, confirmed: true, digest }));
  }
  for (const question of pending_questions) await unlessDecided(client.runs.answer(id, question.id, 'the second one'));
}

/** Watches a run over every lost connection, and answers what it asks. */
async function follow(product: Product, id: string, afterMs: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const answers: Promise<void>[] = [];
  for await (const item of product.client.runs.events(id)) {
    if (item.kind !== 'event') continue;
    events.push(item.event);
    if (['action.pending', 'clarification.requested'].includes(item.event.type)) {
      answers.push(answerAll(product, id, afterMs));
    }
  }
  await Promise.all(answers);
  return events;
}

/** From its start to its end. A step that was struck three times running fails the run there; then it is resumed. */
export async function play(product: Product, first: string, afterMs: number): Promise<Played> {
  const events: RunEvent[] = [];
  const flaws: string[] = [];
  let unconfirmed = 0;
  for (let id = first, runs = 1; ; runs++) {
    const told = await follow(product, id, afterMs);
    const run = await product.client.runs.get(id);
    events.push(...told);
    flaws.push(...flawsOf(told).map((flaw) => `${id}: ${flaw}`));
    unconfirmed += run.unconfirmed_calls;
    if (run.error?.code !== 'poison_step') return { run, events, runs, unconfirmed, flaws };
    ({ id } = await product.client.runs.resume(id));
  }
}
