import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { createAgent } from '../../store/agents.ts';
import { createDefinition } from '../../store/definitions.ts';
import { newId } from '../../store/ids.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';
import { agent, tool, workflowsOf } from './defined.ts';

let system: System;
let flows: ReturnType<typeof workflowsOf>;
beforeAll(async () => {
  system = await startSystem();
  flows = workflowsOf(system);
});
afterAll(() => system.stop());

const INPUT = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] };

const asTool = async (name: string, workflow: { id: string }) => {
  const content = { schema: { input: INPUT, output: null }, entrypoint: `workflow:${workflow.id}`, scopes: [] };
  const place = { id: newId('tool'), workspace_id: system.workspace.id };
  await createDefinition(system.caller, 'tool', { ...place, name, description: 'Makes a report', content });
};
const makeAgent = (name: string, tools: string[], confirmation: Record<string, string> = {}, more: object = {}) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, name, tools, confirmation, workspace_id: system.workspace.id, ...more }),
    id: newId('agt'),
  });
const start = async ({ id }: { id: string }, script: string) => {
  const body = { agent_id: id, notebook_id: system.notebook.id, input: `[script:${script}] Do it.` };
  return (await system.commands.start(system.caller, startRunBody.parse(body), newId))._id;
};
const confirm = async (id: string) => {
  const { pending_actions } = await system.until(id, (run) => run.pending_actions.length > 0);
  const [action] = pending_actions;
  await system.commands.confirm(system.caller, id, {
    action_id: action?.id ?? '',
    confirmed: true,
    digest: action?.digest,
  });
  return action;
};

describe.concurrent('[7] a workflow as a tool of an agent', () => {
  it('is a run of its own below the agent; its output is the result, and its changes wait for a person', async () => {
    const workflow = await flows.define(
      [
        agent('think', 'think'),
        tool('write', 'write_file', { path: '/{{ input.topic }}.md', content: '{{ steps.think.output }}\n' }),
      ],
      { output_mapping: { report: '{{ steps.think.output }}' } },
    );
    await asTool('make_report', workflow);
    system.model.script('reporter', [
      { tool_calls: [{ name: 'make_report', arguments: { topic: 'pears' } }] },
      { text: 'Reported.' },
    ]);
    system.model.script('think', [{ text: 'Pears are ripe.' }]);
    const id = await start(await makeAgent('Reporter', ['make_report'], { make_report: 'never' }), 'reporter');
    expect(await confirm(id)).toMatchObject({ type: 'write_file', path: '/pears.md' });
    const run = await system.ended(id);
    expect(run).toMatchObject({ status: 'completed', output: 'Reported.' });
    expect(await readFile(join(system.root, 'pears.md'), 'utf8')).toBe('Pears are ripe.\n');
    const told = JSON.stringify(system.model.callsOf('reporter', 1)[0]?.request.messages);
    expect(told).toContain('Pears are ripe.');
    const offered = JSON.stringify(system.model.callsOf('reporter', 0)[0]?.request.tools);
    expect(offered).toContain('make_report');
    const below = await flows.childrenOf(id);
    expect(below.map(({ definition_id, relation, root_run_id }) => [definition_id, relation, root_run_id])).toEqual([
      [workflow.id, 'workflow', id],
      [null, 'workflow', id],
    ]);
    expect(run.tree.tokens).toBe(run.tokens_used + (below[1]?.tokens_used ?? 0));
  });

  it('waits for a person as its policy says, with its arguments shown; what does not fit its schema is told to the model', async () => {
    const workflow = await flows.define([{ id: 'w', type: 'wait', duration: 0 }], {
      output_mapping: { of: '{{ input.topic }}' },
    });
    await asTool('ask_first', workflow);
    system.model.script('asker', [
      { tool_calls: [{ name: 'ask_first', arguments: { topic: 3 } }] },
      { tool_calls: [{ name: 'ask_first', arguments: { topic: 'figs' } }] },
      { text: 'Done.' },
    ]);
    const id = await start(await makeAgent('Asker', ['ask_first']), 'asker');
    await confirm(id);
    expect(await confirm(id)).toMatchObject({
      type: 'ask_first',
      arguments: { topic: 'figs' },
      preview: expect.stringContaining('figs'),
    });
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(system.model.callsOf('asker', 1)[0]?.request.messages)).toContain('invalid_arguments');
    expect(JSON.stringify(system.model.callsOf('asker', 2)[0]?.request.messages)).toContain('figs');
  });

  it('[15.9] calls no tool that the grants of the agent above do not name, which is told to its model', async () => {
    await asTool('unpassed', await flows.define([{ id: 'w', type: 'wait', duration: 0 }]));
    await asTool('calls_it', await flows.define([tool('t', 'unpassed', { topic: '{{ input.topic }}' })]));
    for (const [script, tools, isPassed] of [
      ['passes it', ['unpassed'], true],
      ['keeps it', [], false],
    ] as const) {
      system.model.script(script, [
        { tool_calls: [{ name: 'calls_it', arguments: { topic: 'figs' } }] },
        { text: 'Done.' },
      ]);
      const grants = { can_read: true, scope: { notebooks: ['*'] }, tools };
      const caller = await makeAgent(script, ['calls_it'], { calls_it: 'never' }, { grants });
      const id = await start(caller, script);
      if (isPassed) await confirm(id);
      expect(await system.ended(id)).toMatchObject({ status: 'completed' });
      const said = JSON.stringify(system.model.callsOf(script, 1)[0]?.request.messages);
      expect(said.includes('there is no tool unpassed')).toBe(!isPassed);
      expect(await flows.childrenOf(id)).toHaveLength(isPassed ? 2 : 0);
    }
  });

  it('and a tool of the workspace as a step, also one that is a workflow itself', async () => {
    const inner = await flows.define([{ id: 'w', type: 'wait', duration: 0 }], {
      output_mapping: 'made of {{ input.topic }}',
    });
    await asTool('inner_tool', inner);
    const run = await flows.run([tool('t', 'inner_tool', { topic: '{{ input.topic }}' })], { topic: 'plums' });
    expect(run).toMatchObject({ status: 'completed', output: 'made of plums' });
    expect((await flows.childrenOf(run.id)).map(({ definition_id }) => definition_id)).toEqual([inner.id]);
  });
});
