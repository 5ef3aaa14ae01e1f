import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canCompact, compactableUpTo, needsCompaction, summedUpTo } from '../../domain/compaction.ts';
import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { ModelMessage } from '../../domain/model.ts';
import { boundOf, inputBound, RESULT_CHARS, requestBytes } from '../../domain/request-size.ts';
import { withoutMarks } from '../../domain/tool-content.ts';
import { anyDice, play } from './played-run.ts';
import { agentWith, answered, begun, called, finished, message, stateOf, tool } from './told.ts';

const usage = (input: number) => ({ input, output: 10, cached: 0 });
/** Turns that read something each, the last of them counted at so many tokens. */
const turns = (from: number, to: number, tokens = 100, result: unknown = 'x'.repeat(200)): Fact[][] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n).map((turn) => [
    called(turn, 1, { bytes: 1_000 }),
    answered(turn, { text: `turn ${turn}`, calls: [tool(`c${turn}`, 'read_file')], usage: usage(tokens) }),
    finished(turn, `c${turn}`, result),
  ]);
const summed = (turn: number, upto: number): Fact[] => [
  called(turn, 1, { purpose: 'compact' }),
  answered(turn, { text: `summary at ${turn}`, upto }),
];
const talk = (...log: Fact[][]): ModelMessage[] =>
  conversation(agentWith({ system_prompt: 'Be good.' }), 'Go.', stateOf(begun, ...log));
const lines = (...log: Fact[][]) =>
  talk(...log).map(({ role, content }) => `${role}: ${withoutMarks(content).split('\n').at(-1)}`);

describe('[3] a summary', () => {
  it('takes the place of the turns before it; the newest stay as they are', () => {
    expect(lines(...turns(1, 6, 100, 'found'), summed(7, 4), [called(8)])).toEqual([
      'system: Be good.',
      'user: Go.',
      'user: summary at 7',
      'assistant: turn 5',
      'tool: found',
      'assistant: turn 6',
      'tool: found',
    ]);
  });

  it('keeps what people say after the turns it sums up', () => {
    const log = [...turns(1, 3), [message('early')], ...turns(4, 5), [message('late')], ...turns(6, 6)];
    const said = lines(...log, summed(7, 4), [message('after')], [called(8)]);
    expect(said).not.toContain('user: early');
    expect(said.filter((line) => /late|after/.test(line))).toEqual(['user: late', 'user: after']);
    expect(said.indexOf('user: late')).toBeLessThan(said.indexOf('assistant: turn 6'));
  });

  it('is taken in by the next one', () => {
    const said = lines(...turns(1, 6), summed(7, 4), ...turns(8, 11), summed(12, 9), [called(13)]);
    expect(said.slice(0, 4)).toEqual(['system: Be good.', 'user: Go.', 'user: summary at 12', 'assistant: turn 10']);
  });

  it('makes the next request smaller, and what it counts at most as well', () => {
    const before = stateOf(begun, ...turns(1, 20, 5_000), [called(21)]);
    const after = stateOf(begun, ...turns(1, 20, 5_000), summed(21, compactableUpTo(before)), [called(22)]);
    const size = (state: typeof before) => requestBytes(conversation(agentWith(), 'Go.', state), []);
    expect(size(after)).toBeLessThan(size(before) / 3);
    expect(inputBound(after, size(after))).toBe(boundOf(size(after)));
  });
});

describe('[3] whether a conversation is summed up', () => {
  const state = (...log: Fact[][]) => stateOf(begun, ...log);
  it.each<[string, Fact[][], boolean]>([
    ['not while it is short, however large it counts', turns(1, 5, 90_000), false],
    ['not while it is small, however many turns it has', turns(1, 50, 800), false],
    ['once it is both', turns(1, 6, 1_000), true],
    ['also for results that have come since the last count', turns(1, 6, 100, 'x'.repeat(2_000)), true],
    ['not again right after a summary', [...turns(1, 6, 1_000), summed(7, 4)], false],
    ['not again while there is little more', [...turns(1, 6, 1_000), summed(7, 4), ...turns(8, 9, 1_000)], false],
    ['again when there is', [...turns(1, 6, 1_000), summed(7, 4), ...turns(8, 11, 1_000)], true],
  ])('%s: %#', (_what, log, needs) => expect(needsCompaction(state(...log), 1_000)).toBe(needs));

  it('a result counts by what is shown of it, not by what is stored', () => {
    const huge = turns(1, 6, 100, 'x'.repeat(1_000_000));
    const shown = boundOf(talk(...huge).at(-1)?.content.length ?? 0);
    expect(shown).toBeLessThan(boundOf(RESULT_CHARS + 400));
    expect(needsCompaction(state(...huge), 110 + shown)).toBe(false);
    expect(needsCompaction(state(...huge), 109 + shown)).toBe(true);
  });

  it('the last two answers are never summed up', () => {
    expect([1, 2, 3, 6].map((count) => compactableUpTo(state(...turns(1, count))))).toEqual([0, 0, 1, 4]);
    expect([5, 6].map((count) => canCompact(state(...turns(1, count))))).toEqual([false, true]);
  });
});

describe('[3] a conversation that is summed up again and again', () => {
  // Odd dice never fall on an answer without calls: such a run goes on until they have run out.
  const odd = fc.nat(499).map((n) => 2 * n + 1);
  const anyLong = fc.array(odd, { minLength: 60, maxLength: 200 });
  const budget = { max_iterations: 60, max_tokens: 1_000_000, max_micros: null, max_active_ms: null };
  const long = (dice: number[]) => play(dice, { compact_at: 15, budget });

  it('has every result after the call it belongs to, and every call its result', () => {
    let summaries = 0;
    const check = (dice: number[]) => {
      const run = long(dice);
      summaries += run.state.turns.filter((turn) => turn.sums_up !== null).length;
      for (const { messages } of run.requests) {
        let open: string[] = [];
        for (const one of messages) {
          if (one.role === 'tool') {
            expect(one.tool_call_id).toBe(open.shift());
          } else {
            expect(open).toEqual([]);
            if (one.role === 'assistant') open = one.tool_calls.map((call) => call.tool_call_id);
          }
        }
        expect(open).toEqual([]);
      }
    };
    fc.assert(fc.property(fc.oneof(anyDice, anyLong), check), { numRuns: 100 });
    expect(summaries).toBeGreaterThan(0);
  });

  it('loses no word of a person but to a summary, and has none twice', () => {
    fc.assert(
      fc.property(anyLong, (dice) => {
        const run = long(dice);
        const { state } = run;
        if (state.turns.at(-1)?.calls.some((call) => !call.finished)) return;
        const told = conversation(agentWith(), 'Go.', state).flatMap(({ role, content }) =>
          role === 'user' && content.startsWith('message') ? [content] : [],
        );
        const open = state.injected.filter(({ by, before_turn }) => by !== null && before_turn > summedUpTo(state));
        expect(told).toEqual(open.map(({ content }) => content));
        expect(told).toEqual(run.sent.slice(run.sent.length - told.length));
      }),
    );
  });

  it('never ends with a summary as its output', () => {
    fc.assert(
      fc.property(anyLong, (dice) => {
        const { ended } = long(dice).state;
        if (ended?.status === 'completed') expect(ended.output).toMatch(/^answer/);
      }),
    );
  });
});

describe('[3] a long result', () => {
  const shown = (result: unknown) => talk(...turns(1, 1, 100, result), [called(2)]).at(-1)?.content ?? '';

  it('is cut, and says how to read on', () => {
    const text = Array.from({ length: 10_000 }, (_, n) => `line ${n}`).join('\n');
    expect(withoutMarks(shown(text))).toBe(text.slice(0, RESULT_CHARS));
    const rest = shown(text).slice(RESULT_CHARS);
    expect(rest.length).toBeLessThan(400);
    for (const part of ['read_result', '"c1"', `offset ${RESULT_CHARS}`, `${text.length} characters`]) {
      expect(rest).toContain(part);
    }
  });

  it.each([RESULT_CHARS - 1, RESULT_CHARS])('is whole up to the limit: %i characters', (length) =>
    expect(withoutMarks(shown('x'.repeat(length))) === 'x'.repeat(length)).toBe(true),
  );

  it('is cut whatever its shape', () => {
    expect(shown({ content: 'x'.repeat(RESULT_CHARS) }).length).toBeLessThan(RESULT_CHARS + 400);
  });
});

describe('[15.1] what a request counts at most', () => {
  const state = stateOf(begun, [called(1, 1, { bytes: 1_000 }), answered(1, { usage: usage(200) })]);
  it.each([
    ['half its bytes, where nothing was counted yet', stateOf(begun), 1_001, 501],
    ['what was counted, and half of what is new', state, 1_100, 250],
    ['half its bytes, where it is not longer than what was counted', state, 900, 450],
    ['what was counted, for the same again', state, 1_000, 200],
  ])('is %s', (_what, of, bytes, most) => expect(inputBound(of, bytes)).toBe(most));

  it('never more than half its bytes', () =>
    fc.assert(
      fc.property(fc.nat(10 ** 6), fc.nat(10 ** 6), fc.nat(10 ** 6), (sent, counted, bytes) => {
        const of = stateOf(begun, [called(1, 1, { bytes: sent }), answered(1, { usage: usage(counted) })]);
        expect(inputBound(of, bytes)).toBeLessThanOrEqual(boundOf(bytes));
      }),
    ));
});
