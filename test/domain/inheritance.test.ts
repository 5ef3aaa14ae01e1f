import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import { filesAtStep, inheritedFrom, lastStep, stateAtStep } from '../../domain/inheritance.ts';
import type { Entry } from '../../domain/log-entry.ts';
import { NOTHING_SPENT, type RunState } from '../../domain/run-state.ts';
import { addSpent, iterationsUsed, spentInTree, unconfirmedBefore } from '../../domain/spending.ts';
import { entrySteps, stepCount } from '../../domain/trace.ts';
import { nextMove } from '../../domain/turn.ts';
import { anyDice, MAX_ITERATIONS, play } from './played-run.ts';
import {
  agentWith,
  answered,
  asked,
  BEGIN,
  begun,
  called,
  decided,
  ended,
  entriesOf,
  failed,
  finished,
  message,
  pending,
  replied,
  rules,
  stateOf,
  tool,
  toolBegun,
} from './told.ts';

/** Whether a state knows of a fact that gave a step. */
function knows(state: RunState, fact: Fact): boolean {
  if (!('turn' in fact)) return false;
  const turn = state.turns[fact.turn - 1];
  const call = 'call_id' in fact ? turn?.calls.find(({ call }) => call.tool_call_id === fact.call_id) : undefined;
  switch (fact.kind) {
    case 'answered':
      return turn?.answered === true;
    case 'call_failed':
      return turn?.failures.some((failure) => failure.try === fact.try) === true;
    case 'tool_finished':
    case 'delegation_finished':
      return call?.finished !== undefined && call.finished !== null;
    case 'action_pending':
      return call?.action !== undefined && call.action !== null;
    case 'question_asked':
      return call?.question !== undefined && call.question !== null;
    case 'budget_warned':
      return state.warned_at_turn === fact.turn;
    default:
      return false;
  }
}

const withSteps = (entries: Entry[]): { fact: Fact; step: number }[] =>
  entries.flatMap(({ facts, first_step }) => {
    let next = first_step;
    return facts.flatMap((fact) => {
      const step = next;
      next += stepCount(fact);
      return next > step ? [{ fact, step }] : [];
    });
  });

const anyStep = fc.tuple(anyDice, fc.nat());
function at([dice, roll]: [number[], number]) {
  const run = play(dice);
  const entries = entriesOf(run.log);
  const step = roll % (lastStep(entries) + 1);
  return { run, entries, step, state: stateAtStep(entries, step) };
}

describe('[15.6] the state at a step, in any run', () => {
  it('holds all up to it and nothing that came later', () =>
    fc.assert(
      fc.property(anyStep, (any) => {
        const { entries, step, state } = at(any);
        for (const { fact, step: of } of withSteps(entries))
          expect([fact, knows(state, fact)]).toEqual([fact, of <= step]);
        expect(state.ended === null || step === lastStep(entries)).toBe(true);
      }),
    ));

  it('does not depend on what came later', () =>
    fc.assert(
      fc.property(anyStep, (any) => {
        const { entries, step, state } = at(any);
        const upTo = entries.findIndex((entry) => entrySteps(entry).some(({ step_number }) => step_number > step));
        const known = upTo === -1 ? entries : entries.slice(0, upTo + 1);
        const handedOn = (of: RunState) => inheritedFrom('run_0', 'resume', step, of);
        expect(handedOn(stateAtStep(known, step))).toEqual(handedOn(state));
      }),
    ));

  it('at the last step is the state itself', () =>
    fc.assert(
      fc.property(anyDice, (dice) => {
        const { log, state } = play(dice);
        const entries = entriesOf(log);
        expect(lastStep(entries)).toBe(state.next_step - 1);
        expect(stateAtStep(entries, lastStep(entries))).toEqual(state);
      }),
    ));
});

describe('[15.6] a run that goes on from any step of any other', () => {
  const goOn = fc.tuple(anyStep, fc.constantFrom('resume' as const, 'fork' as const), anyDice);
  const holds = (check: (before: ReturnType<typeof at>, inherited: Fact[], dice: number[]) => void) =>
    fc.assert(
      fc.property(goOn, ([any, relation, dice]) => {
        const before = at(any);
        check(before, [inheritedFrom('run_0', relation, before.step, before.state)], dice);
      }),
    );

  it('comes to its end within the same budget, counting what was used before', () =>
    holds(({ state }, inherited, dice) => {
      const run = play(dice, {}, inherited);
      const before = state.turns.filter((turn) => turn.answered).length;
      expect(before + iterationsUsed(run.state)).toBeLessThanOrEqual(MAX_ITERATIONS);
      expect(iterationsUsed(run.state)).toBeGreaterThanOrEqual(0);
    }));

  it('goes on with the next number, and its own steps begin at 1', () =>
    holds(({ state }, inherited, dice) => {
      const run = play(dice, {}, inherited);
      const before = state.turns.filter((turn) => turn.answered).length;
      expect(run.state.turns.map(({ turn }) => turn)).toEqual(run.state.turns.map((_, index) => index + 1));
      for (const { turn } of run.requests) expect(turn).toBeGreaterThan(before);
      expect(entriesOf(run.log).flatMap(entrySteps)[0]?.step_number ?? 1).toBe(1);
    }));

  it('does nothing again that was done', () =>
    holds(({ state }, inherited, dice) => {
      const done = state.turns.flatMap(({ calls }) =>
        calls.flatMap((call) => (call.finished ? call.call.tool_call_id : [])),
      );
      const again = play(dice, {}, inherited)
        .log.flat()
        .flatMap((fact) => (fact.kind === 'tool_finished' ? [fact.call_id] : []));
      expect(done.filter((id) => again.includes(id))).toEqual([]);
    }));

  it('tells the model what it was told before, and all that was said since', () =>
    holds(({ state }, inherited) => {
      if (state.turns.some(({ answered: isDone, calls }) => isDone && calls.some((call) => !call.finished))) return;
      const talk = (of: RunState) => conversation(agentWith(), 'Go.', of);
      expect(talk(stateOf(inherited, begun))).toEqual(talk(state));
    }));

  it('leaves the run it goes on from as it was', () =>
    holds(({ run, entries, step, state }, inherited, dice) => {
      const before = JSON.stringify([run.log, state]);
      play(dice, {}, inherited);
      expect(JSON.stringify([run.log, state])).toBe(before);
      expect(stateAtStep(entries, step)).toEqual(state);
    }));

  it('has used what all before it have, and not its own', () =>
    holds(({ state, step }, inherited) => {
      const next = stateOf(inherited, begun);
      expect(spentInTree(next)).toEqual(NOTHING_SPENT);
      const third = inheritedFrom('run_1', 'resume', step, stateOf(inherited, begun));
      const { tokens, micros } = unconfirmedBefore(state);
      expect(third.spent).toEqual(addSpent(spentInTree(state), { iterations: 0, tokens, micros }));
    }));
});

describe('a call that was not finished', () => {
  const calls = [tool('w', 'write_file'), tool('v', 'write_file'), tool('q', 'clarify_user'), tool('r', 'read_file')];
  const state = stateOf(
    begun,
    [called(1), answered(1, { calls })],
    [pending(1, 'w'), pending(1, 'v'), asked(1, 'q'), finished(1, 'r')],
    [decided(1, 'w'), replied(1, 'q')],
    [toolBegun(1, 'w')],
    [toolBegun(1, 'w')],
    [toolBegun(1, 'w')],
  );
  const handed = (relation: 'resume' | 'fork') => stateOf([inheritedFrom('run_0', relation, 5, state)], begun);
  const callOf = (of: RunState, id: string) => of.turns[0]?.calls.find(({ call }) => call.tool_call_id === id);

  it('stays decided and is looked for before it is begun again, where the files are the same', () => {
    const [before, after] = [callOf(state, 'w'), callOf(handed('resume'), 'w')];
    expect(after).toEqual({ ...before, starts: 0 });
    expect(after?.intent).not.toBeNull();
    const move = nextMove(handed('resume'), rules(), BEGIN);
    expect(move.do === 'tools' && move.calls.map(({ call }) => call.tool_call_id)).toEqual(['w', 'q']);
  });

  it('keeps the answer of a person', () => {
    expect(callOf(handed('resume'), 'q')?.answer).toBe(callOf(state, 'q')?.answer);
    expect(callOf(handed('resume'), 'q')?.answer).not.toBeNull();
  });

  it('that nobody decided is put before a person again', () => {
    expect(callOf(handed('resume'), 'v')).toMatchObject({ action: null, decision: null, finished: null });
  });

  it('was never asked about nor begun, in a tree of its own', () => {
    for (const id of ['w', 'v', 'q']) {
      expect(callOf(handed('fork'), id)).toMatchObject({
        action: null,
        decision: null,
        question: null,
        intent: null,
        starts: 0,
      });
    }
    const move = nextMove(handed('fork'), rules(), BEGIN);
    expect(move.do === 'ask' && move.calls.map(({ call }) => call.tool_call_id)).toEqual(['w', 'v', 'q']);
  });

  it.each(['resume', 'fork'] as const)('and one that was stays finished: %s', (relation) =>
    expect(callOf(handed(relation), 'r')?.finished).toEqual(callOf(state, 'r')?.finished),
  );
});

describe('the troubles of a run are not handed on', () => {
  const next = (...log: Fact[][]) =>
    nextMove(stateOf([inheritedFrom('run_0', 'resume', 9, stateOf(begun, ...log))], begun), rules(), BEGIN);
  const firstTurn = [[called(1), answered(1, { calls: [tool('r', 'read_file')] })], [finished(1, 'r')]];
  it.each<[string, Fact[][]]>([
    ['failed tries', [...firstTurn, [called(2), failed(2, 1, { retryable: false })], [ended]]],
    ['lost tries', [...firstTurn, [called(2)], [called(2, 2)], [called(2, 3)], [ended]]],
    ['a denied call', [...firstTurn, [{ kind: 'budget_denied', turn: 2, limit: 'tokens' }], [ended]]],
    ['an answer that was cut', [...firstTurn, [called(2), answered(2, { text: 'Half', cut: true })], [ended]]],
    ['a pause and a cancel', [...firstTurn, [{ kind: 'cancel_requested', by: { user_id: 'u', name: 'U' } }], [ended]]],
  ])('%s: the call is made anew', (_what, log) => {
    expect(next(...log)).toEqual({ do: 'call', turn: 2, try: 1, preface: [] });
  });

  it('a message that no call has read yet is read by the next', () => {
    const state = stateOf(begun, ...firstTurn, [called(2)], [message('hurry')], [ended]);
    const after = stateOf([inheritedFrom('run_0', 'resume', 9, state)], begun, [called(2)]);
    expect(conversation(agentWith(), 'Go.', after).at(-1)).toEqual({ role: 'user', content: 'hurry' });
  });
});

describe('[15.6] the files at a step', () => {
  const kept = (snapshot: string): Fact => ({ kind: 'files_kept', snapshot });
  const entries = entriesOf([
    begun,
    [called(1), answered(1, { calls: [tool('w', 'write_file'), tool('v', 'write_file')] })],
    [pending(1, 'w'), pending(1, 'v')],
    [decided(1, 'w'), decided(1, 'v')],
    [kept('untouched'), toolBegun(1, 'w')],
    [finished(1, 'w'), kept('after w')],
    [toolBegun(1, 'v')],
    [finished(1, 'v'), kept('after v')],
    [called(2), answered(2)],
    [ended],
  ]);
  it.each([
    [0, 'untouched'],
    [3, 'untouched'],
    [5, 'untouched'],
    [6, 'after w'],
    [7, 'after v'],
    [8, 'after v'],
  ])('step %i: %s', (step, snapshot) => expect(filesAtStep(entries, step)).toBe(snapshot));

  it('are those of the notebook where the run never changed one', () => {
    expect(filesAtStep(entriesOf([begun, [called(1), answered(1)], [ended]]), 1)).toBeNull();
    expect(filesAtStep([], 0)).toBeNull();
  });
});

it('a run that has taken no step has none', () => {
  expect([lastStep([]), lastStep(entriesOf([begun]))]).toEqual([0, 0]);
});
