import type { Fact } from '../../domain/facts.ts';
import type { Delta, RunEvent } from '../../domain/run-events.ts';
import { entryEvents } from '../../domain/trace.ts';

/** What happens in a run, in order: a line of its log, or a piece of text on its way. */
export type Beat = { event: RunEvent } | { delta: Delta };

/** Numbers in [0, 1) that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const between = (random: () => number, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

const WORDS = [
  'seedling',
  'Lämpchen',
  '光',
  '🌱',
  'data: x\n',
  '\n\n',
  'event: y',
  '"quoted"',
  '\u2028',
  '👩‍🔬 ',
  ' and ',
];

const AT = '2026-01-01T00:00:00.000Z';
export const RUN = 'run_00000000000000000000000000';

/** A run of several turns, with text in many pieces, a try that broke off, and one that nobody finished. */
export function storyOf(random: () => number): Beat[] {
  const beats: Beat[] = [];
  let cursor = 1;
  const log = (...facts: Fact[]) => {
    for (const event of entryEvents({ n: 0, token: null, at: AT, facts, first_step: 1, first_cursor: cursor })) {
      beats.push({ event });
      cursor += 1;
    }
  };
  const write = (turn: number, attempt: number, text: string) => {
    for (let offset = 0; offset < text.length; ) {
      const piece = text.slice(offset, offset + between(random, 1, 12));
      beats.push({ delta: { run_id: RUN, turn, try: attempt, offset, text: piece } });
      offset += piece.length;
    }
  };
  log({ kind: 'queued', at: AT }, { kind: 'started', model: 'm' });
  const turns = between(random, 3, 6);
  let text = '';
  for (let turn = 1; turn <= turns; turn++) {
    text = Array.from({ length: between(random, 5, 60) }, () => WORDS[between(random, 0, WORDS.length - 1)]).join('');
    const tries = between(random, 1, 3);
    for (let attempt = 1; attempt <= tries; attempt++) {
      log({ kind: 'call_started', turn, try: attempt, model: 'm' });
      if (attempt < tries) {
        write(turn, attempt, text.slice(0, between(random, 0, text.length)));
        const error = { code: 'stream_cut' as const, message: 'cut', details: {}, retryable: true };
        if (random() < 0.5) log({ kind: 'call_failed', turn, try: attempt, error, retry_after_ms: null });
        continue;
      }
      write(turn, attempt, text);
      const usage = { input: 1, output: 1, cached: 0 };
      const call = { tool_call_id: `call_${turn}`, name: 'read_file', arguments: { path: '/a.md' } };
      const tool_calls = turn < turns ? [call] : [];
      log({ kind: 'answered', turn, try: attempt, model: 'm', text, tool_calls, usage, duration_ms: 1 });
    }
    if (turn < turns) {
      const done = { name: 'read_file', ok: true, result: 'x', error: null, was_allowed: true, target: null };
      log({ kind: 'tool_finished', turn, call_id: `call_${turn}`, ...done, started_at: AT, duration_ms: 1 });
    }
  }
  log({ kind: 'ended', status: 'completed', output: text, error: null });
  return beats;
}

export const eventsIn = (beats: Beat[]): RunEvent[] => beats.flatMap((beat) => ('event' in beat ? [beat.event] : []));
