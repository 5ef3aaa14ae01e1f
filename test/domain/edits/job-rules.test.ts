import { describe, expect, it } from 'vitest';
import type { EditFactOf } from '../../../domain/edits/facts.ts';
import type { Fact } from '../../../domain/facts.ts';
import { type FailureCode, runError } from '../../../domain/failures.ts';
import { nextModel } from '../../../domain/model-choice.ts';
import { statusOf } from '../../../domain/open-calls.ts';
import type { ToolLookup } from '../../../domain/tool.ts';
import { nextMove } from '../../../domain/turn.ts';
import {
  agentWith,
  ana,
  answered,
  BEGIN,
  begun,
  called,
  cancelled,
  finished,
  message,
  rules,
  stateOf,
  tool,
} from '../told.ts';

const lookup: ToolLookup = (name) =>
  name === 'propose_edits'
    ? { name, operation: null, effect: false, asks: false, proposes: true }
    : { name, operation: 'read', effect: false, asks: name === 'clarify_user' };
const job = (max_tool_calls: number | null = 3) =>
  rules({ tool: lookup, edits: { max_tool_calls, max_schema_retries: 2 } });
const move = (max: number | null, ...log: Fact[][]) => nextMove(stateOf(...log), job(max), BEGIN + 60_000);

const of = (turn: number) => ({ turn, call_id: `p${turn}`, review_id: `rev_${turn}` });
const proposes = (turn: number, ...more: ReturnType<typeof tool>[]): Fact[] => [
  called(turn),
  answered(turn, { calls: [tool(`p${turn}`, 'propose_edits'), ...more] }),
];
const proposed = (turn: number): EditFactOf<'edits_proposed'> => ({
  kind: 'edits_proposed',
  ...of(turn),
  proposal: 1,
  edits: 2,
  stored: 'prp',
  files: [{ file_path: 'a.md', is_new: false, hunk_ids: ['h_1', 'h_2'] }],
});
const refusedWith = (turn: number, code: FailureCode): Fact => ({
  ...(finished(turn, `p${turn}`) as Extract<Fact, { kind: 'tool_finished' }>),
  name: 'propose_edits',
  ok: false,
  result: null,
  error: runError(code, 'No.'),
});
const apply: Fact = { kind: 'apply_requested', ...of(1), apply_id: 'apl', accepted: ['h_2'], by: ana };
const applied: Fact = { kind: 'edits_applied', ...of(1), apply_id: 'apl', checkpoint_id: null, files: [] };
const rerun: Fact = { kind: 'rerun_requested', ...of(1), comment: null, by: ana };

describe('[5] what comes next for a proposal', () => {
  it('it is put before people, and waited for; one beside it is answered at once', () => {
    const two = [begun, proposes(1, tool('p1b', 'propose_edits'))];
    expect(move(3, ...two)).toMatchObject({ do: 'tools', calls: [{ call: { tool_call_id: 'p1b' } }] });
    expect(move(3, ...two, [finished(1, 'p1b')])).toMatchObject({
      do: 'ask',
      calls: [{ call: { tool_call_id: 'p1' } }],
    });
    const state = stateOf(begun, proposes(1), [proposed(1)]);
    expect([statusOf(state), nextMove(state, job(), BEGIN)]).toEqual([
      'awaiting_review',
      { do: 'wait', ids: ['rev_1'], children: [] },
    ]);
  });

  it('what is to be applied is applied before anything else, also before a cancel', () => {
    const log = [begun, proposes(1), [proposed(1)], [apply]];
    expect(move(3, ...log)).toMatchObject({ do: 'apply', turn: 1 });
    expect(move(3, ...log, [cancelled])).toMatchObject({ do: 'apply', turn: 1 });
    expect(statusOf(stateOf(...log))).toBe('running');
    expect(move(3, ...log, [cancelled], [applied])).toMatchObject({ do: 'end', status: 'cancelled' });
  });

  it('once it is applied the run is over, unless somebody has said something', () => {
    const log = [begun, proposes(1), [proposed(1)], [apply], [applied], [finished(1, 'p1')]];
    expect(move(3, ...log)).toMatchObject({ do: 'end', status: 'completed' });
    expect(
      move(3, begun, proposes(1), [proposed(1)], [message('Also this.')], [apply], [applied], [finished(1, 'p1')]),
    ).toMatchObject({ do: 'call', turn: 2 });
  });

  it('after a conflict it waits again; sent back, it is answered and the model goes on', () => {
    const conflict: Fact = { kind: 'conflict_detected', ...of(1), files: [] };
    expect(move(3, begun, proposes(1), [proposed(1)], [apply], [conflict])).toMatchObject({
      do: 'wait',
      ids: ['rev_1'],
    });
    const back = [begun, proposes(1), [proposed(1)], [rerun]];
    expect(move(3, ...back)).toMatchObject({ do: 'tools' });
    expect(move(3, ...back, [refusedWith(1, 'changes_requested')])).toMatchObject({ do: 'call', turn: 2 });
  });

  it('an apply decides about all hunks of the agent; what was made by hand goes with it unless it was rejected', () => {
    const byHand: Fact = {
      ...{ kind: 'review_updated', ...of(1), file_path: 'a.md', by: ana },
      step: { do: 'decide', statuses: { h_1: 'accepted' } },
    };
    const state = stateOf(begun, proposes(1), [proposed(1)], [byHand], [apply]);
    expect(state.turns[0]?.calls[0]?.review?.statuses).toEqual({ h_1: 'rejected', h_2: 'accepted' });
  });
});

describe('[5] the limits of a job', () => {
  const reads = (turn: number, ...ids: string[]): Fact[] => [
    called(turn),
    answered(turn, { calls: ids.map((id) => tool(id, 'read_file')) }),
    ...ids.map((id) => finished(turn, id)),
  ];

  it('a question beyond them is not asked but answered; a proposal never counts', () => {
    const asks: Fact[] = [called(2), answered(2, { calls: [tool('q', 'clarify_user')] })];
    expect(move(2, begun, reads(1, 'a', 'b'), asks)).toMatchObject({ do: 'tools' });
    expect(move(3, begun, reads(1, 'a', 'b'), asks)).toMatchObject({ do: 'ask' });
    expect(move(2, begun, reads(1, 'a', 'b'), proposes(2))).toMatchObject({ do: 'ask' });
  });

  it('a run fails after more refused proposals than it may make', () => {
    const refused = (turn: number): Fact[] => [...proposes(turn), refusedWith(turn, 'invalid_edits')];
    expect(move(3, begun, refused(1), refused(2))).toMatchObject({ do: 'call', turn: 3 });
    expect(move(3, begun, refused(1), refused(2), refused(3))).toMatchObject({
      do: 'end',
      status: 'failed',
      error: { code: 'invalid_edits' },
    });
  });

  it.each<[string, Fact[][], string | null]>([
    ['nothing yet', [], null],
    ['a proposal that was wrong', [[...proposes(1), refusedWith(1, 'invalid_edits')]], 'validation_failed'],
    ['a proposal that missed its schema once', [[...proposes(1), refusedWith(1, 'invalid_arguments')]], null],
    [
      'and twice',
      [
        [...proposes(1), refusedWith(1, 'invalid_arguments')],
        [...proposes(2), refusedWith(2, 'invalid_arguments')],
      ],
      'schema_failures',
    ],
    ['all tool calls, and nothing proposed', [reads(1, 'a', 'b', 'c', 'd')], 'tool_budget_exhausted'],
    [
      'a proposal that people sent back',
      [proposes(1), [proposed(1)], [rerun], [refusedWith(1, 'changes_requested')]],
      null,
    ],
  ])('[4] in hybrid_auto %s goes to the remote model by %s', (_what, log, trigger) => {
    const agent = agentWith({ agent_mode: 'hybrid_auto', local_model: 'ollama/llama3', remote_model: 'gpt-4o' });
    const choice = nextModel(agent, stateOf(begun, ...log), [], job().edits);
    expect([choice.side, choice.trigger]).toEqual([trigger ? 'remote' : 'local', trigger]);
  });
});
