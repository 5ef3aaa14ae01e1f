import type { Entry, Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import type { RunEvent } from '../../domain/run.ts';
import { emptyState, fold, type RunState } from '../../domain/run-state.ts';
import { entryEvents } from '../../domain/trace.ts';

/** mulberry32: the same seed gives the same run, so that a failure can be looked at again. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const upTo = (next: () => number, most: number): number => Math.floor(next() * (most + 1));

const by = { user_id: 'u1', name: 'Ada' };
const WORDS = ['soak', 'seed', 'naïve', '芽', '🌱', 'lamp', '\n', '**bold**'];
const someText = (next: () => number): string =>
  Array.from({ length: upTo(next, 20) }, () => WORDS[upTo(next, WORDS.length - 1)]).join(' ');

/** What happens to a run, in order: text being written, and appends to its log. */
export type Happening =
  | { kind: 'text'; turn: number; try: number; text: string; offset: number }
  | { kind: 'append'; events: RunEvent[] };

export interface RandomRun {
  happenings: Happening[];
  state: RunState;
}

/** A run with failed tries, parallel calls, approvals, questions, steering and an end, as the engine would write it. */
export function randomRun(seed: number): RandomRun {
  const next = random(seed);
  const state = emptyState();
  const happenings: Happening[] = [];
  const append = (...facts: Fact[]): void => {
    const at = new Date(1_700_000_000_000 + state.n * 1000).toISOString();
    const { next_step: first_step, next_cursor: first_cursor } = state;
    const entry: Entry = { n: state.n + 1, token: null, at, facts, first_step, first_cursor };
    fold(state, entry);
    happenings.push({ kind: 'append', events: entryEvents(entry) });
  };
  const writeText = (turn: number, attempt: number, text: string): void => {
    for (let offset = 0; offset < text.length; ) {
      const piece = text.slice(offset, offset + 1 + upTo(next, 6));
      happenings.push({ kind: 'text', turn, try: attempt, text: piece, offset });
      offset += piece.length;
    }
  };

  append({ kind: 'queued', at: new Date(1_700_000_000_000).toISOString() });
  append({ kind: 'started', model: 'demo/longhaul' });
  const turns = 1 + upTo(next, 5);
  for (let turn = 1; turn <= turns; turn += 1) {
    const tries = 1 + (next() < 0.3 ? upTo(next, 2) : 0);
    for (let attempt = 1; attempt < tries; attempt += 1) {
      append({ kind: 'call_started', turn, try: attempt, model: 'demo/longhaul' });
      writeText(turn, attempt, someText(next));
      // Lost in a crash, or failed in an orderly way.
      if (next() < 0.5) {
        const error = runError('rate_limited', 'The provider answered 429.', true);
        append({ kind: 'call_failed', turn, try: attempt, error, retry_after_ms: 100 });
      }
    }
    append({ kind: 'call_started', turn, try: tries, model: 'demo/longhaul' });
    const text = someText(next);
    writeText(turn, tries, text);
    if (next() < 0.2) append({ kind: 'message_received', message_id: `m${turn}`, content: someText(next), by });
    const kinds = Array.from({ length: turn === turns ? 0 : 1 + upTo(next, 2) }, () => upTo(next, 3));
    const tool_calls = kinds.map((kind, index) => ({
      tool_call_id: `c${turn}.${index}`,
      name: ['read_file', 'write_file', 'clarify_user', 'list_files'][kind] ?? 'read_file',
      arguments: { path: `/f${index}.md` },
    }));
    const usage = { input: upTo(next, 500), output: upTo(next, 50), cached: 0 };
    append({ kind: 'answered', turn, try: tries, model: 'demo/longhaul', text, tool_calls, usage, duration_ms: 5 });
    for (const [index, { tool_call_id: call_id, name }] of tool_calls.entries()) {
      let allowed = true;
      if (kinds[index] === 1) {
        allowed = next() < 0.6;
        const action = { turn, call_id, action_id: `a${turn}.${index}` };
        append({
          kind: 'action_pending',
          ...action,
          tool: name,
          arguments: {},
          path: '/f.md',
          preview: '@@',
          digest: 'd',
          base_hash: null,
        });
        append({ kind: 'action_decided', ...action, confirmed: allowed, reason: null, arguments: null, by });
      } else if (kinds[index] === 2) {
        const question = { turn, call_id, question_id: `q${turn}.${index}` };
        append({ kind: 'question_asked', ...question, question: 'Which?' });
        append({ kind: 'question_answered', ...question, answer: 'The second', by });
      }
      const error = allowed ? null : runError('denied', 'A person refused.');
      const started_at = new Date(1_700_000_000_000).toISOString();
      const outcome = { ok: allowed, result: { n: index }, error, was_allowed: allowed, target: null };
      append({ kind: 'tool_finished', turn, call_id, name, started_at, duration_ms: 3, ...outcome });
    }
    if (next() < 0.1) append({ kind: 'budget_warned', turn, limit: 'tokens', message: 'Finish now.' });
  }
  if (next() < 0.8) append({ kind: 'ended', status: 'completed', output: 'done', error: null });
  return { happenings, state };
}
