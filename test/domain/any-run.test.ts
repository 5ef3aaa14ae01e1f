import fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusOf } from '../../domain/open-calls.ts';
import { currentTurn } from '../../domain/run-state.ts';
import { iterationsUsed } from '../../domain/spending.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { anyDice, MAX_ITERATIONS, type Played, play } from './played-run.ts';
import { entriesOf } from './told.ts';

const holds = (check: (run: Played) => void) => fc.assert(fc.property(anyDice, (dice) => check(play(dice))));

it('[3] a run comes to its end within its iterations, whatever happens', () =>
  holds((run) => {
    expect(iterationsUsed(run.state)).toBeLessThanOrEqual(MAX_ITERATIONS);
    expect(statusOf(run.state)).toBe(run.state.ended?.status);
  }));

it('[3] events and steps are numbered without a gap over any log', () =>
  holds((run) => {
    const entries = entriesOf(run.log);
    const events = entries.flatMap(entryEvents);
    const steps = entries.flatMap(entrySteps);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(steps.map(({ step_number }) => step_number)).toEqual(steps.map((_, index) => index + 1));
    expect(run.state).toMatchObject({ next_cursor: events.length + 1, next_step: steps.length + 1 });
  }));

it('[2] a change runs after a person allowed or denied it, and a call has one result', () =>
  holds((run) => {
    for (const { calls } of run.state.turns) {
      for (const { call, decision, finished: result } of calls) {
        if (call.name === 'write_file' && result) expect(decision).not.toBeNull();
      }
    }
    const results = run.log.flat().flatMap((fact) => (fact.kind === 'tool_finished' ? [fact.call_id] : []));
    expect(new Set(results).size).toBe(results.length);
  }));

it('[3] what was sent to the model stays the beginning of all that is sent later', () =>
  holds((run) => {
    for (const [index, { turn, messages }] of run.requests.entries()) {
      // A try without an outcome is asked again from its beginning, maybe with more: only what was answered binds.
      const later = run.requests.slice(index + 1).find((request) => request.turn === turn + 1);
      const wasAnswered = !run.requests.slice(index + 1).some((request) => request.turn === turn);
      if (later && wasAnswered) expect(later.messages.slice(0, messages.length)).toEqual(messages);
    }
  }));

it('[3] every message is read once, in the order it was sent, unless the run was over before', () =>
  holds((run) => {
    const last = run.requests.at(-1)?.messages ?? [];
    const read = last.flatMap(({ role, content }) =>
      role === 'user' && content.startsWith('message') ? [content] : [],
    );
    expect(read).toEqual(run.sent.slice(0, read.length));
    if (run.state.ended?.status === 'completed') expect(read).toEqual(run.sent);
    expect(currentTurn(run.state)?.turn ?? 0).toBe(run.state.turns.length);
  }));
