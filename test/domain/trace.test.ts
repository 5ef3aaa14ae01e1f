import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brief } from '../../domain/brief.ts';
import type { Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import { runStatusSchema } from '../../domain/run.ts';
import { eventSchema, stepSchema } from '../../domain/run-events.ts';
import { entryEvents, entrySteps, eventCount, eventsOf, stepCount } from '../../domain/trace.ts';
import {
  ana,
  answered,
  asked,
  BEGIN,
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
  revised,
  tool,
  toolBegun,
  unpaused,
} from './told.ts';

const at = new Date(BEGIN).toISOString();
const OF_REVIEW = { turn: 1, call_id: 'a', review_id: 'rev_1_a' };
const SOMEBODY = { user_id: 'usr_1', name: 'Somebody' };

/**
 * Stored logs are numbered by these: a kind that gives another number of steps or events than it did when it was
 * appended would make every cursor after it wrong.
 */
const FORMAT: Record<Fact['kind'], { fact: Fact; events: string[]; steps: string[] }> = {
  queued: { fact: { kind: 'queued', at }, events: ['run.queued'], steps: [] },
  started: { fact: { kind: 'started', model: 'gpt-test' }, events: ['run.started'], steps: [] },
  call_started: { fact: called(1), events: ['model.started'], steps: [] },
  call_failed: { fact: failed(1), events: ['model.completed'], steps: ['error'] },
  answered: {
    fact: answered(1, { text: 'Hi.', calls: [tool('a', 'read_file'), tool('b', 'read_file')] }),
    events: ['model.completed'],
    steps: ['llm_response', 'tool_call', 'tool_call'],
  },
  tool_started: { fact: toolBegun(1, 'a'), events: [], steps: [] },
  tool_finished: { fact: finished(1, 'a'), events: ['tool.started', 'tool.completed'], steps: ['tool_result'] },
  action_pending: { fact: pending(1, 'a'), events: ['action.pending'], steps: ['confirmation'] },
  action_revised: { fact: revised(1, 'a', {}), events: ['action.revised'], steps: [] },
  action_decided: { fact: decided(1, 'a'), events: ['action.decided'], steps: [] },
  question_asked: { fact: asked(1, 'a'), events: ['clarification.requested'], steps: ['clarification'] },
  question_answered: { fact: replied(1, 'a'), events: ['clarification.received'], steps: [] },
  message_received: { fact: message('hello'), events: ['message.received'], steps: [] },
  budget_warned: {
    fact: { kind: 'budget_warned', turn: 2, limit: 'tokens', message: 'Finish now.' },
    events: ['run.budget_warning'],
    steps: ['budget_warning'],
  },
  edits_proposed: {
    fact: {
      ...{
        kind: 'edits_proposed',
        turn: 1,
        call_id: 'a',
        review_id: 'rev_1_a',
        proposal: 1,
        edits: 1,
        stored: 'prp_1',
      },
      files: [{ file_path: 'a.md', is_new: false, hunk_ids: ['h_1'] }],
    },
    events: ['edits.proposed', 'diff.generated'],
    steps: ['confirmation'],
  },
  review_updated: {
    fact: { kind: 'review_updated', ...OF_REVIEW, file_path: 'a.md', step: { do: 'comment' }, by: SOMEBODY },
    events: ['review.updated'],
    steps: [],
  },
  apply_requested: {
    fact: { kind: 'apply_requested', ...OF_REVIEW, apply_id: 'apl_1', accepted: ['h_1'], by: SOMEBODY },
    events: ['apply.started'],
    steps: [],
  },
  checkpoint_created: {
    fact: { kind: 'checkpoint_created', ...OF_REVIEW, checkpoint_id: 'ckp_1', files: ['a.md'] },
    events: ['checkpoint.created'],
    steps: [],
  },
  conflict_detected: {
    fact: { kind: 'conflict_detected', ...OF_REVIEW, files: [] },
    events: ['conflict.detected'],
    steps: [],
  },
  apply_failed: {
    fact: { kind: 'apply_failed', ...OF_REVIEW, error: runError('tool_failed', 'It did not work.') },
    events: ['apply.failed'],
    steps: [],
  },
  edits_applied: {
    fact: { kind: 'edits_applied', ...OF_REVIEW, apply_id: 'apl_1', checkpoint_id: 'ckp_1', files: [] },
    events: ['apply.completed'],
    steps: [],
  },
  rerun_requested: {
    fact: { kind: 'rerun_requested', ...OF_REVIEW, comment: null, by: SOMEBODY },
    events: ['review.updated'],
    steps: [],
  },
  step_begun: {
    fact: {
      kind: 'step_begun',
      turn: 1,
      step: 'each[0].read',
      id: 'read',
      type: 'tool',
      name: 'read_file',
      attempt: 1,
      call_id: 's1',
      input: { path: '/a.md' },
    },
    events: ['workflow.step.started'],
    steps: ['tool_call'],
  },
  step_ended: {
    fact: {
      kind: 'step_ended',
      turn: 1,
      step: 'each[0].read',
      call_id: 's1',
      attempt: 1,
      status: 'completed',
      output: 'text',
      error: null,
      duration_ms: 5,
    },
    events: ['workflow.step.completed'],
    steps: ['tool_result'],
  },
  cancel_requested: { fact: cancelled, events: [], steps: [] },
  inherited: {
    fact: {
      kind: 'inherited',
      from: 'run_1',
      relation: 'fork',
      step: 3,
      turns: [],
      injected: [],
      spent: { iterations: 1, tokens: 20, micros: 5 },
    },
    events: ['run.inherited'],
    steps: [],
  },
  context_read: {
    fact: {
      kind: 'context_read',
      turn: 1,
      row: { path: '/notes.md' },
      text: '# Notes',
      cut_at: null,
      error: null,
      was_allowed: true,
      duration_ms: 1,
    },
    events: ['context.read'],
    steps: [],
  },
  provider_selected: {
    fact: {
      kind: 'provider_selected',
      turn: 1,
      mode: 'hybrid_auto',
      choice: { model: 'ollama/llama3', side: 'local', reason: 'local_first', trigger: null },
    },
    events: ['provider.selected'],
    steps: [],
  },
  output_rejected: {
    fact: { kind: 'output_rejected', turn: 2, errors: ['(whole) must be object'], message: 'Again.' },
    events: ['output.rejected'],
    steps: ['error'],
  },
  rate_limited: {
    fact: { kind: 'rate_limited', turn: 1, until: at, limit: 100 },
    events: ['run.rate_limited'],
    steps: [],
  },
  budget_denied: { fact: { kind: 'budget_denied', turn: 2, limit: 'tokens' }, events: [], steps: [] },
  files_kept: { fact: { kind: 'files_kept', snapshot: 'abc' }, events: [], steps: [] },
  checkout_ready: {
    fact: {
      kind: 'checkout_ready',
      executor: 'host:1',
      branch: 'longhaul/run_1',
      base_commit: 'abc',
      epoch: 1,
      restored: false,
      duration_ms: 5,
    },
    events: ['checkout.ready'],
    steps: [],
  },
  delegated: { fact: delegated(1, 'a'), events: ['delegation.started'], steps: [] },
  delegation_finished: { fact: returned(1, 'a'), events: ['delegation.completed'], steps: ['tool_result'] },
  child_asked: { fact: childAsked('run_2'), events: ['clarification.requested'], steps: [] },
  child_answered: { fact: childAnswered('run_2'), events: ['clarification.received'], steps: [] },
  paused: { fact: paused, events: ['run.paused'], steps: [] },
  unpaused: { fact: unpaused, events: ['run.resumed'], steps: [] },
  ended: { fact: ended, events: ['run.completed'], steps: [] },
};
const all = Object.values(FORMAT);

describe('[3] the numbering of a stored log', () => {
  it.each(Object.entries(FORMAT))('%s gives the steps and events it always gave', (_kind, { fact, events, steps }) => {
    const [entry] = entriesOf([[fact]]);
    if (!entry) throw new Error('no entry');
    expect(entryEvents(entry).map(({ type }) => type)).toEqual(events);
    expect(entrySteps(entry).map(({ type }) => type)).toEqual(steps);
    expect([eventCount(fact), stepCount(fact)]).toEqual([events.length, steps.length]);
  });

  it('has no gap and nothing twice over any appends of any facts', () => {
    const anyFact = fc.constantFrom(...all.map(({ fact }) => fact));
    fc.assert(
      fc.property(fc.array(fc.array(anyFact, { maxLength: 6 }), { maxLength: 30 }), (appends) => {
        const entries = entriesOf(appends);
        const cursors = entries.flatMap(entryEvents).map(({ cursor }) => cursor);
        const numbers = entries.flatMap(entrySteps).map(({ step_number }) => step_number);
        expect(cursors).toEqual(cursors.map((_, index) => index + 1));
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      }),
    );
  });

  it('gives what clients are told to expect', () => {
    for (const entry of entriesOf(all.map(({ fact }) => [fact]))) {
      for (const event of entryEvents(entry)) expect(eventSchema.parse(event)).toEqual(event);
      for (const step of entrySteps(entry)) expect(stepSchema.parse(step)).toEqual(step);
    }
  });
});

describe('an event', () => {
  it.each(['completed', 'failed', 'cancelled', 'budget_exceeded'] as const)('of an end tells it: %s', (status) => {
    const error = status === 'failed' ? runError('internal', 'Broken.') : null;
    expect(eventsOf({ kind: 'ended', status, output: 'partial', error }, at)).toEqual([
      { type: `run.${runStatusSchema.parse(status)}`, ts: at, data: { output: 'partial', error } },
    ]);
  });

  it('of a queued run has the time it was queued, and of a tool the time it began', () => {
    const [entry] = entriesOf([[{ kind: 'queued', at }, finished(1, 'a')]]);
    if (!entry) throw new Error('no entry');
    expect(entryEvents(entry).map(({ ts }) => ts)).toEqual([at, at, entry.at]);
  });

  it('of a tool result is brief, its step is whole', () => {
    const [entry] = entriesOf([[finished(1, 'a', { content: 'x'.repeat(100_000) })]]);
    if (!entry) throw new Error('no entry');
    expect(JSON.stringify(entryEvents(entry)).length).toBeLessThan(3_000);
    expect(JSON.stringify(entrySteps(entry)).length).toBeGreaterThan(100_000);
  });

  it('of a decision tells who decided, and whether the arguments were changed', () => {
    const changed: Fact = {
      ...(decided(1, 'a') as Extract<Fact, { kind: 'action_decided' }>),
      arguments: { path: '/b' },
    };
    expect(eventsOf(changed, at)[0]?.data).toMatchObject({ by: ana, confirmed: true, edited: true });
    expect(eventsOf(decided(1, 'a', false), at)[0]?.data).toMatchObject({ confirmed: false, edited: false });
  });
});

describe('[15.5] what a run below asks', () => {
  it('is told as the run itself would tell it, with its id', () => {
    const about = { run_id: 'run_2', agent_name: 'Scout' };
    const { asked: action } = childAsked('run_2', 'action') as Extract<Fact, { kind: 'child_asked' }>;
    if (action.kind !== 'action') throw new Error('not an action');
    const { id: action_id, kind: _, tool: type, ...rest } = action;
    expect(eventsOf(childAsked('run_2', 'action'), at)).toEqual([
      { type: 'action.pending', ts: at, data: { ...about, action_id, type, ...rest, can_allow_for_session: true } },
    ]);
    expect(eventsOf(childAsked('run_2'), at)[0]?.data).toEqual({
      ...about,
      question_id: 'q_of_run_2',
      question: 'Which?',
    });
  });

  it('and the answer it was given', () => {
    expect(eventsOf(childAnswered('run_2', 'action'), at)).toEqual([
      {
        type: 'action.decided',
        ts: at,
        data: { run_id: 'run_2', action_id: 'act_of_run_2', confirmed: true, by: ana },
      },
    ]);
  });
});

it('what only an adapter can read of a call stays out of what clients see', () => {
  const signed = answered(1, { calls: [{ ...tool('a', 'read_file'), signature: 'opaque' }] });
  const [entry] = entriesOf([[signed]]);
  if (!entry) throw new Error('no entry');
  expect(JSON.stringify([entryEvents(entry), entrySteps(entry)])).not.toContain('opaque');
});

it('a fact of an earlier build, without the fields that came later, is told as ever', () => {
  const [entry] = entriesOf([[called(1), answered(1)]]);
  if (!entry) throw new Error('no entry');
  expect(entryEvents(entry).map(({ data }) => data)).toEqual([
    { turn: 1, try: 1, model: 'gpt-test' },
    expect.objectContaining({ cost_usd: null }),
  ]);
});

it.each([
  ['short', 'short'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, ''],
  [null, 'null'],
])('brief(%j) is %j', (value, text) => expect(brief(value)).toBe(text));
