import { describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import type { FailureCode } from '../../domain/failures.ts';
import { fold } from '../../domain/fold.ts';
import { inheritedFrom } from '../../domain/inheritance.ts';
import { isOlder, type Token } from '../../domain/log-entry.ts';
import { openActions, openQuestions, statusOf } from '../../domain/open-calls.ts';
import { emptyState } from '../../domain/run-state.ts';
import { activeMs, spentBy, spentInTree, unconfirmed, unconfirmedBefore } from '../../domain/spending.ts';
import {
  answered,
  asked,
  BEGIN,
  begun,
  called,
  cancelled,
  childAnswered,
  childAsked,
  decided,
  delegated,
  ended,
  entriesOf,
  failed,
  finished,
  message,
  paused,
  pending,
  replied,
  returned,
  stateOf,
  tool,
  unpaused,
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
  ])('%s', (_what, log, count) => expect(unconfirmed(stateOf(begun, ...log)).calls).toBe(count));
});

describe('[15.1] what is unconfirmed is charged', () => {
  const reserved = (tokens: number) => ({ reserved: { tokens, micros: tokens * 10 } });
  const tries = [called(1, 1, reserved(100)), called(1, 2, reserved(200)), called(1, 3, reserved(400))];
  const cut = (attempt: number, code: FailureCode) => failed(1, attempt, { code });
  const one = tries.slice(0, 1);
  const two = tries.slice(0, 2);
  it.each<[string, Fact[], number]>([
    ['nothing while the first try is under way', one, 0],
    ['a lost try at its reserve', two, 100],
    ['each of several lost tries', tries, 300],
    ['not a try that the provider refused', [...one, cut(1, 'rate_limited')], 0],
    ['not a try that was refused, when another follows', [...one, cut(1, 'provider_unavailable'), ...two.slice(1)], 0],
    ['a try that went silent, at once', [...one, cut(1, 'model_timeout')], 100],
    ['a try that broke off', [...one, cut(1, 'stream_cut')], 100],
    ['a try that was answered with nonsense', [...one, cut(1, 'malformed_answer')], 100],
    [
      'both, and not the answered one',
      [...one, cut(1, 'stream_cut'), ...tries.slice(1), answered(1, { attempt: 3 })],
      300,
    ],
    ['what was under way when the run ended', [...one, ended], 100],
  ])('%s', (_what, log, tokens) => {
    const { calls: _, ...charged } = unconfirmed(stateOf(begun, log));
    expect(charged).toEqual({ tokens, micros: tokens * 10 });
  });

  it('before another call, the try that was under way as well', () => {
    expect(unconfirmedBefore(stateOf(begun, one))).toEqual({ calls: 1, tokens: 100, micros: 1000 });
    expect(unconfirmedBefore(stateOf(begun, two))).toEqual({ calls: 2, tokens: 300, micros: 3000 });
    expect(unconfirmedBefore(stateOf(begun, [...one, cut(1, 'rate_limited')]))).toMatchObject({ tokens: 0 });
  });

  it('not for tries of the run that this one goes on from', () => {
    const before = stateOf(begun, two, [answered(1, { attempt: 2 })]);
    expect(unconfirmed(stateOf([inheritedFrom('run_0', 'resume', 1, before)], begun)).tokens).toBe(0);
  });
});

describe('[3] the time a run is at work', () => {
  /** Each append is a second after the one before, the first at one second; looked at after ten. */
  const active = (...log: Fact[][]) => activeMs(stateOf(...log), BEGIN + 10_000);
  const delegate = [called(1), answered(1, { calls: [tool('d', 'delegate_to_scout')] }), delegated(1, 'd')];
  it.each<[string, Fact[][], number]>([
    ['is none before it began', [[{ kind: 'queued', at: new Date(BEGIN).toISOString() }]], 0],
    ['counts from its beginning', [begun], 9_000],
    ['stops when an action is put before a person', [begun, answer, [pending(1, 'w')]], 2_000],
    ['goes on when it is decided', [begun, answer, [pending(1, 'w')], [], [decided(1, 'w')]], 7_000],
    ['stops for a question', [begun, answer, [asked(1, 'q')], [], [], [replied(1, 'q')]], 6_000],
    [
      'stands while any of several is open',
      [begun, answer, [asked(1, 'q'), pending(1, 'w')], [decided(1, 'w')], [], [replied(1, 'q')]],
      6_000,
    ],
    ['stops for a pause', [begun, [paused]], 1_000],
    ['goes on after a pause', [begun, [paused], [], [], [unpaused]], 6_000],
    ['counts once where a pause lies over a question', [begun, answer, [asked(1, 'q')], [paused], [unpaused]], 2_000],
    ['goes on while another agent works', [begun, delegate], 9_000],
    ['stops while that one asks a person', [begun, delegate, [childAsked('run_1_d')]], 2_000],
    ['goes on when it was answered', [begun, delegate, [childAsked('run_1_d')], [], [childAnswered('run_1_d')]], 7_000],
    ['goes on when who asked is gone', [begun, delegate, [childAsked('run_1_d')], [], [returned(1, 'd')]], 7_000],
    ['is not less for a pause before it began', [[paused], [], [unpaused], begun], 6_000],
    ['stands still from the beginning where it was paused before', [[paused], [], begun, []], 0],
    ['ends with the run', [begun, [called(1)], [ended]], 2_000],
    ['ends with the run, also where it waited for a person', [begun, answer, [asked(1, 'q')], [], [ended]], 2_000],
  ])('%s', (_what, log, ms) => expect(active(...log)).toBe(ms));
});

describe('[15.5] what a run below asks', () => {
  const delegate = [called(1), answered(1, { calls: [tool('d', 'delegate_to_scout')] }), delegated(1, 'd')];
  const status = (...log: Fact[][]) => statusOf(stateOf(begun, delegate, ...log));
  it('shows in the status of the run above', () => {
    expect(status()).toBe('running');
    expect(status([childAsked('run_9')])).toBe('waiting_for_user');
    expect(status([childAsked('run_9')], [childAsked('run_8', 'action')])).toBe('awaiting_confirmation');
    expect(status([childAsked('run_9')], [paused])).toBe('paused');
  });

  it('is there once, however often it was told, until it is answered or who asked is gone', () => {
    const bubbled = (...log: Fact[][]) => stateOf(begun, delegate, ...log).bubbled.length;
    expect(bubbled([childAsked('run_9')], [childAsked('run_9')])).toBe(1);
    expect(bubbled([childAsked('run_9')], [childAnswered('run_9')])).toBe(0);
    expect(bubbled([childAsked('run_1_d')], [childAsked('run_9')], [returned(1, 'd')])).toBe(1);
  });
});

describe('folding', () => {
  it('adds up what it cost, and says where a price is not known', () => {
    const costs = (...all: (number | null)[]) =>
      stateOf(begun, ...all.map((cost_micros, n) => [called(n + 1), answered(n + 1, { cost_micros })]));
    expect(costs(3, 4)).toMatchObject({ cost_micros: 7, priced: true });
    expect(costs(3, null, 4)).toMatchObject({ cost_micros: 7, priced: false });
  });

  it('adds what the runs below have used to the tree, not to the run', () => {
    const calls = [tool('d', 'delegate_to_scout'), tool('e', 'delegate_to_scout')];
    const spent = { iterations: 2, tokens: 50, micros: 9 };
    const state = stateOf(
      begun,
      [called(1), answered(1, { calls, cost_micros: 1 }), delegated(1, 'd'), delegated(1, 'e')],
      [returned(1, 'd', spent)],
      [returned(1, 'e', spent)],
    );
    expect(spentBy(state)).toEqual({ iterations: 1, tokens: 20, micros: 1 });
    expect(spentInTree(state)).toEqual({ iterations: 5, tokens: 120, micros: 19 });
  });

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
