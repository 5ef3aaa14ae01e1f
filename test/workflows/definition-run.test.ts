import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { boundOfCaller } from '../../domain/rights.ts';
import { agentOfDefinition, budgetOfPlan } from '../../domain/run-definition.ts';
import { activateAgent } from '../../store/agent-changes.ts';
import { createAgent } from '../../store/agents.ts';
import { definitionFor } from '../../store/flow-targets.ts';
import { newId } from '../../store/ids.ts';
import { loadLedger } from '../../store/ledger.ts';
import { insertRun } from '../../store/runs.ts';
import { findWorkflow } from '../../store/workflow-source.ts';
import { Reconciler } from '../../workers/reconciler.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';
import { agent, tool, wait, workflowsOf } from './defined.ts';
import { historiesOf } from './history.ts';

let system: System;
let flows: ReturnType<typeof workflowsOf>;
beforeAll(async () => {
  system = await startSystem();
  flows = workflowsOf(system);
});
afterAll(() => system.stop());

const file = (name: string) => join(system.root, name);
const write = (id: string, path: string, content: string, more: object = {}) =>
  tool(id, 'write_file', { path, content }, more);
const read = (id: string, path: string, more: object = {}) => tool(id, 'read_file', { path }, more);

describe.concurrent('[7] a workflow runs its steps in order', () => {
  it('with tools, agents and typed mappings; its output is what it is mapped to', async () => {
    system.model.script('sum up', [{ text: 'Two lines.' }]);
    const run = await flows.run(
      [
        read('read', '{{ input.path }}'),
        agent('sum', 'sum up', {
          input_mapping: '[script:sum up] Sum up: {{ steps.read.output.content }}',
          output_mapping: { text: '{{ output }}', 'state.seen': '{{ input.path }}' },
        }),
        write('write', '/sum.md', '{{ steps.sum.output.text }} of {{ state.seen }}\n'),
      ],
      { path: '/notes.md' },
      { output_mapping: { said: '{{ steps.sum.output.text }}', state: '{{ state }}' } },
    );
    expect(run).toMatchObject({ status: 'completed', output: { said: 'Two lines.', state: { seen: '/notes.md' } } });
    expect(await readFile(file('sum.md'), 'utf8')).toBe('Two lines. of /notes.md\n');
    expect(system.model.callsOf('sum up', 0)[0]?.request.messages.at(-1)?.content).toContain('The first line.');
    const [child, ...others] = await flows.childrenOf(run.id);
    expect(others).toEqual([]);
    expect(child).toMatchObject({
      agent_name: 'Worker',
      relation: 'workflow',
      trigger_type: 'workflow',
      parent_run_id: run.id,
      caller_user_id: system.caller.user_id,
      status: 'completed',
    });
    expect(run.tree.tokens).toBe(child?.tokens_used);
    expect((await loadLedger(run.id))?.open).toEqual({});
    const events = (await flows.eventsOf(run.id)).map(({ type, data }) => [type, data.step]);
    expect(events.filter(([type]) => String(type).startsWith('workflow.step'))).toEqual(
      ['read', 'sum', 'write'].flatMap((step) => [
        ['workflow.step.started', step],
        ['workflow.step.completed', step],
      ]),
    );
  });

  it('says on its record which workflow it is of, and how far its steps have come', async () => {
    const workflow = await flows.define([wait('a', 0), wait('b', 0)], { name: 'Two waits' });
    const run = await system.ended(await flows.start(workflow));
    expect(run).toMatchObject({
      workflow_id: workflow.id,
      definition_id: workflow.id,
      definition_name: 'Two waits',
      definition_version: 1,
      agent_name: 'Two waits',
      workflow_state: { steps: { a: { type: 'wait', status: 'completed' }, b: { status: 'completed' } } },
    });
  });

  it('side by side where they do not depend on each other', async () => {
    system.model.script('left', [{ text: 'L' }]);
    system.model.script('right', [{ text: 'R' }]);
    const [left, right] = [system.model.hold('left', 0), system.model.hold('right', 0)];
    const id = await flows.start(
      await flows.define([
        agent('l', 'left', { depends_on: [] }),
        agent('r', 'right', { depends_on: [] }),
        wait('both', 0, {
          depends_on: ['l', 'r'],
          output_mapping: { both: '{{ steps.l.output }}{{ steps.r.output }}' },
        }),
      ]),
    );
    await Promise.all([system.model.reached('left', 0), system.model.reached('right', 0)]);
    left();
    right();
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: { both: 'LR' } });
  });
});

describe.concurrent('[7] each kind of step', () => {
  it('condition takes one branch, and the steps of the other never run', async () => {
    const steps = [
      {
        id: 'c',
        type: 'condition',
        if: 'input.n > 2',
        steps: [write('big', '/c.md', 'big')],
        else: [write('small', '/c.md', 'small')],
      },
    ];
    const big = await flows.run(steps, { n: 3 });
    expect(big.output).toMatchObject({ matched: true });
    expect(Object.keys(await flows.stepsOf(big.id))).toEqual(['c', 'big']);
    const small = await flows.run(steps, { n: 1 });
    expect(small.output).toMatchObject({ matched: false });
    expect(await readFile(file('c.md'), 'utf8')).toBe('small');
  });

  it('parallel runs its branches at once, no more than it may', async () => {
    const names = ['p1', 'p2', 'p3'];
    for (const name of names) system.model.script(name, [{ text: name }]);
    const holds = names.map((name) => system.model.hold(name, 0));
    const branches = names.map((name) => ({
      id: `b_${name}`,
      steps: [agent(name, name), wait(`w_${name}`, 0, { output_mapping: { of: `{{ steps.${name}.output }}` } })],
    }));
    const id = await flows.start(await flows.define([{ id: 'p', type: 'parallel', branches, max_concurrency: 2 }]));
    await Promise.all([system.model.reached('p1', 0), system.model.reached('p2', 0)]);
    expect(system.model.count('p3').calls).toBe(0);
    holds[0]?.();
    await system.model.reached('p3', 0);
    holds[1]?.();
    holds[2]?.();
    expect(await system.ended(id)).toMatchObject({
      status: 'completed',
      output: { b_p1: { of: 'p1' }, b_p2: { of: 'p2' }, b_p3: { of: 'p3' } },
    });
  });

  it('map runs its steps for each of a list, in bounds, and gives a list in the same order', async () => {
    system.model.script(
      'shout',
      Array.from({ length: 4 }, () => ({ text: '!' })),
    );
    const steps = [
      {
        id: 'each',
        type: 'map',
        over: '{{ input.words }}',
        as: 'word',
        max_concurrency: 2,
        steps: [
          wait('w', 0, { output_mapping: { text: '{{ index }}:{{ upper(word) }}' } }),
          write('keep', '/each-{{ index }}.md', '{{ steps.w.output.text }}', {
            output_mapping: { text: '{{ steps.w.output.text }}' },
          }),
        ],
      },
    ];
    const run = await flows.run(steps, { words: ['a', 'b', 'c', 'd'] });
    expect(run.output).toEqual(['0:A', '1:B', '2:C', '3:D'].map((text) => ({ text })));
    expect(await readFile(file('each-3.md'), 'utf8')).toBe('3:D');
    expect(Object.keys(await flows.stepsOf(run.id))).toContain('each[2].keep');
    expect((await flows.run(steps, { words: [] })).output).toEqual([]);
    expect(await flows.run(steps, { words: 'none' })).toMatchObject({
      status: 'failed',
      error: { code: 'bad_mapping', details: { step: 'each' } },
    });
  });

  it('wait lets time pass: for a duration, or until a time', async () => {
    const until = new Date(Date.now() + 700).toISOString();
    const run = await flows.run([wait('d', '{{ input.s }}'), { id: 'u', type: 'wait', until: '{{ input.until }}' }], {
      s: 0.2,
      until,
    });
    expect(run.status).toBe('completed');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    expect(run.output).toEqual({ until });
  });

  it('approval waits for a person in the inbox, bound to what was shown; what was changed is passed on', async () => {
    const id = await flows.start(
      await flows.define([
        { id: 'ok', type: 'approval', message: 'Send {{ input.what }}?', input_mapping: { to: '{{ input.to }}' } },
        write('send', '/sent.md', '{{ steps.ok.output.arguments.to }} by {{ steps.ok.output.by }}'),
      ]),
      { what: 'the report', to: 'Ada' },
    );
    const waiting = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    const [action] = waiting.pending_actions;
    expect(action).toMatchObject({
      type: 'approval',
      preview: 'Send the report?',
      arguments: { to: 'Ada' },
      can_allow_for_session: false,
    });
    const confirm = (more: object) =>
      system.commands.confirm(system.caller, id, { action_id: action?.id ?? '', confirmed: true, ...more });
    await expect(confirm({ digest: 'sha256:other' })).rejects.toMatchObject({ code: 'stale_approval' });
    await confirm({ digest: action?.digest, arguments: { to: 'Bob' } });
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    expect(await readFile(file('sent.md'), 'utf8')).toBe(`Bob by ${system.caller.name}`);
    await expect(confirm({})).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('a refused approval fails the run, or is an answer where the step says so', async () => {
    const deny = async (steps: unknown[]) => {
      const id = await flows.start(await flows.define(steps));
      const { pending_actions } = await system.until(id, (run) => run.pending_actions.length > 0);
      await system.commands.confirm(system.caller, id, {
        action_id: pending_actions[0]?.id ?? '',
        confirmed: false,
        reason: 'Not today.',
      });
      return system.ended(id);
    };
    const ok = { id: 'ok', type: 'approval', message: 'Now?' };
    expect(await deny([ok, write('never', '/never.md', 'x')])).toMatchObject({
      status: 'failed',
      error: { code: 'denied', message: expect.stringContaining('Not today.') },
    });
    await expect(readFile(file('never.md'))).rejects.toThrow();
    const run = await deny([
      { ...ok, on_denied: 'continue' },
      wait('w', 0, { output_mapping: { was: '{{ steps.ok.output.approved }}' } }),
    ]);
    expect(run).toMatchObject({ status: 'completed', output: { was: false } });
  });

  it('workflow runs another one as a run of its own, in the same tree, and what it asks is answered at the root', async () => {
    system.model.script('inner', [{ text: 'inside' }]);
    const inner = await flows.define(
      [
        agent('a', 'inner'),
        { id: 'ok', type: 'approval', message: 'Go on with {{ steps.a.output }} for {{ input.who }}?' },
      ],
      {
        name: 'Inner',
        output_mapping: { said: '{{ steps.a.output }}' },
      },
    );
    const id = await flows.start(
      await flows.define([
        { id: 'sub', type: 'workflow', workflow_id: inner.id, input_mapping: { who: '{{ input.who }}' } },
      ]),
      { who: 'Eve' },
    );
    const { pending_actions } = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    expect(pending_actions).toMatchObject([{ agent_name: 'Inner', preview: 'Go on with inside for Eve?' }]);
    await system.commands.confirm(system.caller, id, { action_id: pending_actions[0]?.id ?? '', confirmed: true });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: { said: 'inside' } });
    const below = await flows.childrenOf(id);
    expect(
      below.map(({ agent_name, definition_id, relation, root_run_id }) => [
        agent_name,
        definition_id,
        relation,
        root_run_id,
      ]),
    ).toEqual([
      ['Inner', inner.id, 'workflow', id],
      ['Worker', null, 'workflow', id],
    ]);
  });

  it('a tool with `confirm` shows what it would do, and does it once it is allowed', async () => {
    const id = await flows.start(await flows.define([write('w', '/asked.md', 'yes\n', { confirm: true })]));
    const { pending_actions } = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    expect(pending_actions).toMatchObject([
      { type: 'write_file', path: '/asked.md', preview: expect.stringContaining('+yes') },
    ]);
    await system.commands.confirm(system.caller, id, {
      action_id: pending_actions[0]?.id ?? '',
      confirmed: true,
      digest: pending_actions[0]?.digest,
    });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', files_modified: ['/asked.md'] });
  });
});

describe.concurrent('[7] a step that fails', () => {
  it('is tried again as often as it may, and the run fails there with the step named', async () => {
    const run = await flows.run([
      wait('a', 0),
      read('gone', '/gone.md', { retry: { max_attempts: 3, delay: 0.01 } }),
      wait('z', 0),
    ]);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'no_such_file', details: { step: 'gone' }, retryable: true },
    });
    expect(await flows.stepsOf(run.id)).toMatchObject({
      a: { status: 'completed' },
      gone: { status: 'failed', attempt: 3 },
    });
    expect((await flows.eventsOf(run.id)).filter(({ type }) => type === 'tool.completed')).toHaveLength(3);
    expect(Object.keys(await flows.stepsOf(run.id))).not.toContain('z');
  });

  it('goes on once a later try comes through', async () => {
    system.model.script('flaky', [[{ fault: '401' }, { text: 'fine' }]]);
    const run = await flows.run([agent('a', 'flaky', { retry: { max_attempts: 2, delay: 0.01 } })]);
    expect(run).toMatchObject({ status: 'completed', output: 'fine' });
    expect((await flows.childrenOf(run.id)).map(({ status }) => status)).toEqual(['failed', 'completed']);
  });

  it('is passed over where it may fail, and its error can be asked for', async () => {
    const run = await flows.run([
      read('gone', '/gone.md', { on_error: 'continue' }),
      wait('w', 0, {
        output_mapping: { why: '{{ steps.gone.error.code }}', what: '{{ steps.gone.output ?? "nothing" }}' },
      }),
    ]);
    expect(run).toMatchObject({ status: 'completed', output: { why: 'no_such_file', what: 'nothing' } });
  });

  it('stops what runs beside it, and is what the run is said to have failed of', async () => {
    system.model.script('endless', [{ text: 'too late' }]);
    const release = system.model.hold('endless', 0);
    const id = await flows.start(
      await flows.define([
        agent('slow', 'endless', { depends_on: [] }),
        wait('w', '{{ input.s }}', { depends_on: [] }),
        read('gone', '/gone.md', { depends_on: ['w'] }),
      ]),
      { s: 0.3 },
    );
    await system.model.reached('endless', 0);
    expect(await system.ended(id)).toMatchObject({ status: 'failed', error: { details: { step: 'gone' } } });
    expect((await flows.childrenOf(id)).map(({ status }) => status)).toEqual(['cancelled']);
    release();
  });

  it('in a map that goes on leaves a hole in the list', async () => {
    await writeFile(file('here.md'), 'here\n');
    const run = await flows.run(
      [
        {
          id: 'm',
          type: 'map',
          over: '{{ input }}',
          on_error: 'continue',
          steps: [read('r', '{{ item }}', { output_mapping: { text: '{{ output.content }}' } })],
        },
      ],
      ['/here.md', '/gone.md'],
    );
    expect(run).toMatchObject({ status: 'completed', output: [{ text: 'here\n' }, null] });
  });

  it('takes too long: an agent is stopped, an approval is no longer asked, and the code says so', async () => {
    system.model.script('slow agent', [{ text: 'too late' }]);
    const release = system.model.hold('slow agent', 0);
    const late = await flows.run([agent('a', 'slow agent', { timeout: 0.4 })]);
    release();
    expect(late).toMatchObject({ status: 'failed', error: { code: 'step_timeout', details: { step: 'a' } } });
    expect((await flows.childrenOf(late.id)).map(({ status }) => status)).toEqual(['cancelled']);
    const asked = await flows.run([{ id: 'ok', type: 'approval', message: 'Now?', timeout: 0.2 }]);
    expect(asked).toMatchObject({ status: 'failed', error: { code: 'step_timeout' }, pending_actions: [] });
  });

  it('because of its mapping is told which path leads nowhere', async () => {
    expect(
      await flows.run([wait('a', 0), agent('b', 'never', { input_mapping: '{{ steps.a.output.nope }}' })]),
    ).toMatchObject({
      status: 'failed',
      error: { code: 'bad_mapping', message: expect.stringContaining('steps.a.output.nope'), details: { step: 'b' } },
    });
  });
});

describe.concurrent('[3] a run of a workflow', () => {
  it('is cancelled with all below it, also while it waits', async () => {
    system.model.script('to cancel', [{ text: 'too late' }]);
    const release = system.model.hold('to cancel', 0);
    const id = await flows.start(
      await flows.define([
        agent('a', 'to cancel', { depends_on: [] }),
        wait('w', 3_600, { depends_on: [] }),
        { id: 'ok', type: 'approval', message: 'x', depends_on: [] },
      ]),
    );
    await system.model.reached('to cancel', 0);
    await system.until(id, (run) => run.pending_actions.length > 0);
    await system.commands.cancel(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'cancelled', pending_actions: [] });
    release();
    expect((await flows.childrenOf(id)).map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('begins nothing while it is paused, and goes on where it was', async ({ expect }) => {
    const id = await flows.start(
      await flows.define([{ id: 'ok', type: 'approval', message: 'x' }, write('after', '/paused.md', 'x')]),
    );
    const { pending_actions } = await system.until(id, (run) => run.pending_actions.length > 0);
    await system.commands.pause(system.caller, id);
    await system.commands.confirm(system.caller, id, { action_id: pending_actions[0]?.id ?? '', confirmed: true });
    await expect.poll(async () => (await flows.stepsOf(id)).ok?.status).toBe('completed');
    expect(await system.get(id)).toMatchObject({ status: 'paused' });
    expect(Object.keys(await flows.stepsOf(id))).toEqual(['ok']);
    await system.commands.unpause(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
  });

  it('has one budget with all below it: what is left for a step is what the others left', async () => {
    for (const name of ['first', 'second'])
      system.model.script(name, [{ text: name, usage: { input: 400, output: 500 } }]);
    const run = await flows.run(
      [agent('a', 'first'), agent('b', 'second')],
      {},
      { budget: { max_token_budget: 5_000, max_iterations: 1 } },
    );
    expect(run).toMatchObject({ status: 'budget_exceeded', tree: { iterations: 1 } });
    expect(system.model.count('second').calls).toBe(0);
  });

  it('may do what its caller may, and no more: who only reads changes nothing', async () => {
    const workflow = await flows.define([write('w', '/forbidden.md', 'x')]);
    const reader = { ...system.caller, is_owner: false, roles: { [system.workspace.id]: 'read' as const } };
    const { _id } = await system.commands.startDefinition(
      reader,
      { workflow_id: workflow.id, input: {}, notebook_id: system.notebook.id },
      newId,
    );
    expect(await system.ended(_id)).toMatchObject({ status: 'failed', error: { details: { step: 'w' } } });
    await expect(readFile(file('forbidden.md'))).rejects.toThrow();
  });

  it('takes no messages, and says so', async () => {
    const run = await flows.run([wait('a', 0)]);
    await expect(system.commands.message(system.caller, run.id, 'msg', 'Hello')).rejects.toMatchObject({
      code: 'not_for_workflows',
    });
  });

  it('is refused before anything runs where its input does not fit, or what it needs is off', async () => {
    const off = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, name: 'Off', workspace_id: system.workspace.id }),
      id: newId('agt'),
    });
    const needing = await flows.define([{ id: 'a', type: 'agent', agent_id: off.id }]);
    await activateAgent(system.caller, off.id, false);
    await expect(flows.start(needing)).rejects.toMatchObject({ code: 'agent_inactive', details: { step: 'a' } });
    const typed = await flows.define([wait('a', 0)], { input_schema: { topic: { type: 'string' } } });
    await expect(flows.start(typed, { topic: 3 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { errors: [expect.stringContaining('/topic')] },
    });
  });

  it('is started by the reconciler as what it is, where whoever recorded it died before', async () => {
    const { id: workflow_id } = await flows.define([wait('a', 0)]);
    const workflow = await findWorkflow(system.caller, workflow_id);
    const agentOf = agentOfDefinition(workflow, new Date());
    const id = newId('run');
    const acting = { agent: agentOf, bound: boundOfCaller(true) };
    await insertRun(system.caller, {
      id,
      ...acting,
      delegates: [],
      ...(await definitionFor(system.caller.org_id, workflow, acting, false)),
      notebook: null,
      trigger_type: 'sdk',
      trigger_source: 'test',
      input: {},
      output_schema: null,
      budget: budgetOfPlan(workflow),
      parent: null,
      line: [id],
    });
    await new Reconciler(system.client, system.starter, system.logger).once(Date.now() + 10_000);
    expect(await system.ended(id)).toMatchObject({ status: 'completed', definition_id: workflow_id });
    expect((await system.client.workflow.getHandle(`run:${id}`).describe()).type).toBe('definitionRun');
  });

  it('lets a long map go on over a history that is cut again and again', async () => {
    system.model.script('many', [{ text: 'one' }]);
    const steps = [{ id: 'm', type: 'map', over: '{{ input }}', max_concurrency: 3, steps: [agent('a', 'many')] }];
    const workflow = await flows.define(steps);
    const input = Array.from({ length: 12 }, (_, n) => n);
    const _id = await flows.start(workflow, input, {}, { maxHistory: 30 });
    expect(await system.ended(_id)).toMatchObject({ status: 'completed', output: input.map(() => 'one') });
    expect((await flows.childrenOf(_id)).length).toBe(12);
    expect((await historiesOf(system.client, _id)).length).toBeGreaterThan(1);
  });
});
