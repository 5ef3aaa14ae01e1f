import { describe, expect, it } from 'vitest';
import { type Fact, isOlder, type Token } from '../../domain/facts.ts';
import { emptyState, fold, openActions, openQuestions, statusOf, unconfirmedCalls } from '../../domain/run-state.ts';
import {
  answered,
  asked,
  begun,
  called,
  cancelled,
  decided,
  ended,
  entriesOf,
  failed,
  finished,
  message,
  pending,
  replied,
  stateOf,
  tool,
} from './told.ts';

const calls = [tool('w', 'write_file'), tool('q', 'clarify_user')];
const answer = [called(1), answered(1, { calls })];

describe('the status of a run', () => {
  it.each<[string, Fact[][], string]>([
    ['nothing yet', [], 'queued'],
    ['a cancel before it began', [[cancelled]], 'queued'],
    ['begun', [begun], 'running'],
    ['an action is pending', [begun, answer, [pending(1, 'w')]], 'awaiting_confirmation'],
    ['a question is open', [begun, answer, [asked(1, 'q')]], 'waiting_for_user'],
    ['both: the action comes first', [begun, answer, [asked(1, 'q'), pending(1, 'w')]], 'awaiting_confirmation'],
    ['one of both answered', [begun, answer, [asked(1, 'q'), pending(1, 'w')], [decided(1, 'w')]], 'waiting_for_user'],
    ['all answered', [begun, answer, [asked(1, 'q')], [replied(1, 'q')]], 'running'],
    ['ended while an action was pending', [begun, answer, [pending(1, 'w')], [ended]], 'completed'],
  ])('%s', (_what, log, status) => expect(statusOf(stateOf(...log))).toBe(status));

  it('a call that was finished in some other way waits for nobody', () => {
    const state = stateOf(begun, answer, [pending(1, 'w'), asked(1, 'q')], [finished(1, 'w'), finished(1, 'q')]);
    expect([openActions(state), openQuestions(state), statusOf(state)]).toEqual([[], [], 'running']);
  });
});

it('of a run that has ended nobody is asked anything any more', () => {
  const state = stateOf(begun, answer, [pending(1, 'w'), asked(1, 'q')], [ended]);
  expect([openActions(state), openQuestions(state)]).toEqual([[], []]);
});

describe('[15.1] a model call counts as unconfirmed', () => {
  it.each<[string, Fact[][], number]>([
    ['not while it is under way', [[called(1)]], 0],
    ['not when it was answered', [[called(1)], [answered(1)]], 0],
    ['not when it failed', [[called(1)], [failed(1)]], 0],
    ['not when it failed and another is under way', [[called(1)], [failed(1)], [called(1, 2)]], 0],
    ['when another was begun in its place', [[called(1)], [called(1, 2)]], 1],
    ['still when that one was answered', [[called(1)], [called(1, 2)], [answered(1, { attempt: 2 })]], 1],
    ['still in later turns', [[called(1)], [called(1, 2)], [answered(1, { attempt: 2 })], [called(2)]], 1],
    ['when the run ended under it', [[called(1)], [cancelled], [ended]], 1],
    ['each one that was lost', [[called(1)], [called(1, 2)], [failed(1, 2)], [called(1, 3)], [called(1, 4)]], 2],
    ['not when it failed and the run ended', [[called(1)], [failed(1)], [ended]], 0],
  ])('%s', (_what, log, count) => expect(unconfirmedCalls(stateOf(begun, ...log))).toBe(count));
});

describe('folding', () => {
  it('adds up what was used', () => {
    const usage = { input: 3, output: 2, cached: 1 };
    const state = stateOf(begun, [called(1)], [answered(1, { usage })], [called(2)], [answered(2, { usage })]);
    expect(state.usage).toEqual({ input: 6, output: 4, cached: 2 });
  });

  it.each([2, 0, -1])('refuses slot %i after slot 0', (n) => {
    const [entry] = entriesOf([begun]);
    if (!entry) throw new Error('no entry');
    expect(() => fold(emptyState(), { ...entry, n })).toThrow('jumps');
  });

  it('refuses a call that no answer holds', () => {
    expect(() => stateOf(begun, answer, [finished(1, 'nobody')])).toThrow('nobody');
  });

  it('keeps the newest token that wrote; what people append carries none and changes nothing', () => {
    const state = emptyState();
    const tokens: (Token | null)[] = [null, { scheduled: 5, attempt: 1 }, null, { scheduled: 5, attempt: 2 }, null];
    const entries = entriesOf(tokens.map(() => [message('x')]));
    for (const [index, entry] of entries.entries()) fold(state, { ...entry, token: tokens[index] ?? null });
    expect(state.token).toEqual({ scheduled: 5, attempt: 2 });
  });

  it('a message joins the turn after the one under way', () => {
    const joins = (...log: Fact[][]) => stateOf(...log).injected.map((injected) => injected.before_turn);
    expect(joins(begun, [message('a')])).toEqual([1]);
    expect(joins(begun, [called(1)], [message('a')])).toEqual([2]);
    expect(joins(begun, [called(1)], [answered(1)], [message('a')])).toEqual([2]);
    expect(joins(begun, [called(1)], [message('a')], [failed(1)], [called(1, 2)], [message('b')])).toEqual([1, 2]);
  });
});

it.each<[Token, Token, boolean]>([
  [{ scheduled: 1, attempt: 9 }, { scheduled: 2, attempt: 1 }, true],
  [{ scheduled: 2, attempt: 1 }, { scheduled: 1, attempt: 9 }, false],
  [{ scheduled: 1, attempt: 1 }, { scheduled: 1, attempt: 2 }, true],
  [{ scheduled: 1, attempt: 2 }, { scheduled: 1, attempt: 2 }, false],
])('the attempt %j is older than %j: %s', (a, b, older) => expect(isOlder(a, b)).toBe(older));
