import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { ModelMessage } from '../../domain/model.ts';
import type { RunState } from '../../domain/run-state.ts';
import { continuedFrom } from '../../domain/session-turns.ts';
import { iterationsUsed } from '../../domain/spending.ts';
import { nextMove } from '../../domain/turn.ts';
import { anyDice, MAX_ITERATIONS, play } from './played-run.ts';
import {
  agentWith,
  answered,
  BEGIN,
  begun,
  called,
  cancelled,
  decided,
  ended,
  finished,
  message,
  pending,
  rules,
  stateOf,
  tool,
  toolBegun,
} from './told.ts';

const next = (state: RunState, input: unknown = 'First.', same_agent = true) =>
  continuedFrom({ run_id: 'run_0', input, state, same_agent });
const talk = (input: string, ...log: Fact[][]): ModelMessage[] =>
  conversation(agentWith({ system_prompt: 'Be good.' }), input, stateOf(...log));
const lines = (messages: ModelMessage[]) => messages.slice(1).map(({ role, content }) => `${role}: ${content}`);
const turn = (number: number, text: string): Fact[] => [called(number), answered(number, { text })];

describe('[2] the next run of a session', () => {
  it('is sent what the last one said and heard, and then its own input', () => {
    const first = stateOf(begun, [called(1)], [message('Be quick.')], [answered(1, { text: 'Hm.' })], turn(2, 'Yes.'));
    const second = [next(first)];
    expect(lines(talk('Second.', second, begun))).toEqual([
      'user: First.',
      'assistant: Hm.',
      'user: Be quick.',
      'assistant: Yes.',
      'user: Second.',
    ]);
    const third = [next(stateOf(second, begun, turn(3, 'No.')), 'Second.')];
    expect(lines(talk('Third.', third, begun)).slice(4)).toEqual(['user: Second.', 'assistant: No.', 'user: Third.']);
  });

  it('is told of what was open when the last one ended: whether it may have been done, or was not', () => {
    const calls = ['read', 'begun', 'asked'].map((id) => tool(id, 'write_file'));
    const first = stateOf(
      begun,
      [called(1), answered(1, { calls })],
      [pending(1, 'begun'), pending(1, 'asked')],
      [finished(1, 'read'), decided(1, 'begun')],
      [toolBegun(1, 'begun')],
      [cancelled],
      [ended],
    );
    const results = talk('Second.', [next(first)], begun).filter(({ role }) => role === 'tool');
    const told = /"code":"(\w+)"|^<tool_data[^>]*>\n(.*)\n<\/tool_data>$/;
    expect(results.map(({ content }) => told.exec(content)?.slice(1).find(Boolean))).toEqual([
      'done',
      'interrupted',
      'not_begun',
    ]);
  });

  it('keeps an answer that broke off, which people have read, and goes on from it', () => {
    const first = stateOf(begun, [called(1), answered(1, { text: 'It is', cut: true })], [ended]);
    const second = stateOf([next(first)], begun);
    expect(nextMove(second, rules(), BEGIN)).toMatchObject({ do: 'call', turn: 2 });
  });

  it('takes over from the last summary on, so that what is handed on does not grow for ever', () => {
    const read = (number: number): Fact[] => [
      called(number),
      answered(number, { text: `turn ${number}`, calls: [tool(`c${number}`, 'read_file')] }),
      finished(number, `c${number}`, 'found'),
    ];
    const log = [1, 2, 3, 4, 5, 6].map(read);
    const summed = [called(7, 1, { purpose: 'compact' }), answered(7, { text: 'the summary', upto: 4 })];
    const before = [begun, ...log, summed, turn(8, 'Done.'), [ended]];
    const second = next(stateOf(...before));
    expect(second.turns.map(({ turn: number, sums_up }) => [number, sums_up])).toEqual([
      [1, null],
      [2, null],
      [3, 0],
      [4, null],
    ]);
    expect(lines(talk('Second.', [second], begun))).toEqual([...lines(talk('First.', ...before)), 'user: Second.']);
  });

  it('keeps what it was asked when that is summed up', () => {
    const second = [next(stateOf(begun, turn(1, 'Hello.')))];
    const read = (number: number): Fact[] => [
      called(number),
      answered(number, { text: `turn ${number}`, calls: [tool(`c${number}`, 'read_file')] }),
      finished(number, `c${number}`, 'found'),
    ];
    const summed = [called(8, 1, { purpose: 'compact' }), answered(8, { text: 'the summary', upto: 5 })];
    const said = lines(talk('Second.', second, begun, ...[2, 3, 4, 5, 6, 7].map(read), summed));
    expect(said.slice(0, 3)).toEqual(['user: First.', 'user: Second.', expect.stringContaining('the summary')]);
    expect(said.filter((line) => line === 'user: Second.')).toHaveLength(1);
  });

  it('knows what was allowed, once and for the session; one that is forked or resumed does not', () => {
    const allowed: Fact[][] = [
      [called(1), answered(1, { calls: [tool('a', 'write_file'), tool('b', 'delete_file')] })],
      [pending(1, 'a'), pending(1, 'b', 'delete_file')],
      [{ ...decided(1, 'a'), for_session: true } as Fact, decided(1, 'b')],
    ];
    const { session } = next(stateOf(begun, ...allowed));
    expect(session).toEqual({
      opening: 'First.',
      confirmed_tools: ['write_file', 'delete_file'],
      allowed_tools: ['write_file'],
    });
  });

  it('does not take over what was pinned, and measures its first call anew where that, or the agent, changed', () => {
    const row: Fact = {
      kind: 'context_read',
      turn: 1,
      row: { path: '/a.md' },
      text: 'pinned words',
      cut_at: null,
      error: null,
      was_allowed: true,
      duration_ms: 1,
    };
    const spoken: Fact[] = [called(1, 1, { bytes: 500 }), answered(1, { text: 'Hello.' })];
    const pinned = stateOf([...begun, row], spoken);
    expect(JSON.stringify(next(pinned))).not.toContain('pinned words');
    const bytes = (state: RunState, same = true) => next(state, 'First.', same).turns[0]?.bytes;
    expect([bytes(pinned), bytes(stateOf(begun, spoken)), bytes(stateOf(begun, spoken), false)]).toEqual([0, 500, 0]);
  });
});

describe('[2] a session of any three runs', () => {
  const holds = (check: (runs: ReturnType<typeof play>[]) => void) =>
    fc.assert(
      fc.property(fc.tuple(anyDice, anyDice, anyDice), fc.constantFrom(40, Number.POSITIVE_INFINITY), (dice, limit) => {
        const runs: ReturnType<typeof play>[] = [];
        for (const each of dice) {
          const former = runs.at(-1);
          runs.push(play(each, { compact_at: limit }, former ? [next(former.state)] : []));
        }
        check(runs);
      }),
    );

  it('gives each run a budget of its own, and turns of its own after those of the others', () =>
    holds((runs) => {
      for (const { state } of runs) {
        expect(iterationsUsed(state)).toBeGreaterThanOrEqual(0);
        expect(iterationsUsed(state)).toBeLessThanOrEqual(MAX_ITERATIONS);
        expect(state.turns.map(({ turn: number }) => number)).toEqual(state.turns.map((_, index) => index + 1));
      }
    }));

  it('never sends a call without a result, and says each input once', () =>
    holds((runs) => {
      for (const { requests, state } of runs) {
        for (const { messages } of requests) {
          const asked = messages.flatMap((said) => (said.role === 'assistant' ? (said.tool_calls ?? []) : []));
          expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(asked.length);
        }
        expect(state.injected.filter(({ is_input }) => is_input)).toHaveLength(state.opening ? 1 : 0);
      }
    }));
});
