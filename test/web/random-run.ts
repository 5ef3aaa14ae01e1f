import type { Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import { fold } from '../../domain/fold.ts';
import type { Entry } from '../../domain/log-entry.ts';
import type { RunEvent, Step } from '../../domain/run-events.ts';
import { emptyState, type RunState } from '../../domain/run-state.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';

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
const CHOICE = { model: 'm', side: 'local', reason: 'local_first', trigger: null } as const;
const WORDS = ['soak', 'seed', 'naïve', '芽', '🌱', 'lamp', '\n', '**bold**'];
const someText = (next: () => number): string =>
  Array.from({ length: upTo(next, 20) }, () => WORDS[upTo(next, WORDS.length - 1)]).join(' ');

/** What happens to a run, in order: text being written, and appends to its log. */
export type Happening =
  | { kind: 'text'; turn: number; try: number; text: string; offset: number }
  | { kind: 'append'; events: RunEvent[] };

export interface RandomRun {
  happenings: Happening[];
  steps: Step[];
  state: RunState;
}

type Append = (...facts: Fact[]) => void;

const TOOLS = ['read_file', 'write_file', 'clarify_user', 'list_files', 'delegate_to_helper', 'propose_edits'];

/** Edits that somebody looks at, and applies or sends back. */
function propose(append: Append, next: () => number, turn: number, call_id: string): void {
  const about = { turn, call_id, review_id: `r${turn}${call_id}` };
  const files = [{ file_path: 'f.md', is_new: false, hunk_ids: ['h_1'] }];
  append({ kind: 'edits_proposed', ...about, proposal: 1, edits: 1, files, stored: 's' });
  if (next() < 0.5) append({ kind: 'apply_requested', ...about, apply_id: 'a', accepted: ['h_1'], by });
  else append({ kind: 'rerun_requested', ...about, comment: null, by });
}

/** Another agent at work, which may ask something on the way and may be answered; sometimes it never comes back. */
function delegate(append: Append, next: () => number, turn: number, call_id: string, name: string): void {
  const child_run_id = `run_${turn}${call_id}`;
  append({ kind: 'delegated', turn, call_id, child_run_id, agent_id: 'agt_1', agent_name: 'Helper' });
  if (next() < 0.5) {
    const id = `b${turn}${call_id}`;
    const asksWords = next() < 0.5;
    const action = { tool: 'write_file', path: '/f.md', arguments: {}, preview: '@@', digest: 'd' };
    append({
      kind: 'child_asked',
      child_run_id,
      agent_name: 'Helper',
      asked: asksWords ? { kind: 'question', id, question: 'Which?' } : { kind: 'action', id, ...action },
    });
    if (next() < 0.7) append({ kind: 'child_answered', child_run_id, id, confirmed: asksWords ? null : true, by });
  }
  const spent = { iterations: 1 + upTo(next, 3), tokens: upTo(next, 900), micros: upTo(next, 5000) };
  const outcome = { status: 'completed' as const, ok: true, result: 'done', error: null };
  append({ kind: 'delegation_finished', turn, call_id, name, child_run_id, ...outcome, spent, duration_ms: 9 });
}

/** A run with all that can happen to one, as the engine would write it. */
export function randomRun(seed: number): RandomRun {
  const next = random(seed);
  const state = emptyState();
  const happenings: Happening[] = [];
  const steps: Step[] = [];
  const append: Append = (...facts) => {
    const at = new Date(1_700_000_000_000 + state.n * 1000).toISOString();
    const { next_step: first_step, next_cursor: first_cursor } = state;
    const entry: Entry = { n: state.n + 1, token: null, at, facts, first_step, first_cursor };
    fold(state, entry);
    happenings.push({ kind: 'append', events: entryEvents(entry) });
    steps.push(...entrySteps(entry));
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
  if (next() < 0.3) append({ kind: 'provider_selected', turn: 1, mode: 'hybrid_auto', choice: CHOICE });
  const turns = 1 + upTo(next, 5);
  for (let turn = 1; turn <= turns; turn += 1) {
    if (next() < 0.1) append({ kind: 'rate_limited', turn, until: '2023-11-14T23:00:00.000Z', limit: 100 });
    if (next() < 0.1) append({ kind: 'paused', by }, { kind: 'unpaused', by });
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
    const sumsUp = turn > 2 && turn < turns && next() < 0.2;
    const length = turn === turns || sumsUp ? 0 : 1 + upTo(next, 2);
    const kinds = Array.from({ length }, () => upTo(next, 5));
    const tool_calls = kinds.map((kind, index) => ({
      tool_call_id: `c${turn}.${index}`,
      name: TOOLS[kind] ?? 'read_file',
      arguments: { path: `/f${index}.md` },
    }));
    const usage = { input: upTo(next, 500), output: upTo(next, 50), cached: 0 };
    const cost_micros = upTo(next, 300);
    const answer = { turn, try: tries, model: 'demo/longhaul', text, tool_calls, usage, duration_ms: 5, cost_micros };
    append({ kind: 'answered', ...answer, ...(sumsUp ? { purpose: 'compact', upto: turn - 2 } : {}) });
    if (turn < turns && length === 0 && !sumsUp)
      append({ kind: 'output_rejected', turn, errors: ['/a'], message: 'No.' });
    for (const [index, { tool_call_id: call_id, name }] of tool_calls.entries()) {
      let allowed = true;
      if (kinds[index] === 4) {
        delegate(append, next, turn, call_id, name);
        continue;
      }
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
      } else if (kinds[index] === 5) propose(append, next, turn, call_id);
      const error = allowed ? null : runError('denied', 'A person refused.');
      const started_at = new Date(1_700_000_000_000).toISOString();
      const outcome = { ok: allowed, result: { n: index }, error, was_allowed: allowed, target: null };
      append({ kind: 'tool_finished', turn, call_id, name, started_at, duration_ms: 3, ...outcome });
    }
    if (next() < 0.1) append({ kind: 'budget_warned', turn, limit: 'tokens', message: 'Finish now.' });
  }
  if (next() < 0.1) append({ kind: 'paused', by });
  else if (next() < 0.8) append({ kind: 'ended', status: 'completed', output: 'done', error: null });
  return { happenings, steps, state };
}
