import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { startRunBody } from '../../domain/run-requests.ts';
import { entryEvents } from '../../domain/trace.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { loadLedger } from '../../store/ledger.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { findRun, treeOf } from '../../store/runs.ts';
import { AGENT, type System, startSystem } from '../running-system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const makeAgent = (more: Record<string, unknown>) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, max_requests_per_hour: null, ...more }),
    id: newId('agt'),
  });

/** An agent that can hand work to the others. */
const leading = (children: { id: string }[], more: Record<string, unknown> = {}) =>
  makeAgent({ name: 'Lead', delegated_agents: children.map(({ id }) => ({ agent_id: id })), ...more });

const start = async (agent: { id: string }, script: string, more: Record<string, unknown> = {}): Promise<string> => {
  const body = { agent_id: agent.id, notebook_id: system.notebook.id, input: `[script:${script}] Do it.`, ...more };
  return (await system.commands.start(system.caller, startRunBody.parse(body), newId))._id;
};

const hand = (slug: string, script: string) => ({
  name: `delegate_to_${slug}`,
  arguments: { task: `[script:${script}] Do your part.` },
});

const childrenOf = async (id: string) => {
  const runs = await treeOf(system.caller, await findRun(system.caller, id));
  return runs.filter((run) => run._id !== id);
};
const typesOf = async (id: string) => (await entriesAfter(id, 0)).flatMap(entryEvents).map(({ type }) => type);

describe('[3] delegation', () => {
  it('runs other agents as runs of their own, side by side, and gives their answers to the model', async () => {
    const a = await makeAgent({ name: 'Counter', slug: 'counter-1' });
    const b = await makeAgent({ name: 'Painter', slug: 'painter-1' });
    system.model.script('lead', [
      { tool_calls: [hand('counter-1', 'count'), hand('painter-1', 'paint')] },
      { text: 'Both are done.' },
    ]);
    system.model.script('count', [{ text: 'There are 3.' }]);
    system.model.script('paint', [{ tool_calls: [{ name: 'list_files' }] }, { text: 'It is blue.' }]);
    const id = await start(await leading([a, b]), 'lead');
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Both are done.' });
    const told = JSON.stringify(system.model.callsOf('lead', 1)[0]?.request.messages);
    expect(told).toContain('There are 3.');
    expect(told).toContain('It is blue.');
    system.model.assertDone('lead', 'count', 'paint');

    const children = await childrenOf(id);
    expect(
      children.map((run) => [run.agent_name, run.status, run.parent_run_id, run.relation, run.trigger_type]),
    ).toEqual(
      expect.arrayContaining([
        ['Counter', 'completed', id, 'delegation', 'delegation'],
        ['Painter', 'completed', id, 'delegation', 'delegation'],
      ]),
    );
    expect(
      children.every((run) => run.caller_user_id === system.caller.user_id && run.org_id === system.caller.org_id),
    ).toBe(true);
    expect((await typesOf(id)).filter((type) => type.startsWith('delegation'))).toEqual([
      'delegation.started',
      'delegation.started',
      'delegation.completed',
      'delegation.completed',
    ]);
    const root = await system.get(id);
    expect(root.tree.tokens).toBe(root.tokens_used + children.reduce((sum, run) => sum + run.tokens_used, 0));
    const ledger = await loadLedger(id);
    expect([ledger?.open, Object.keys(ledger?.free ?? {})]).toEqual([{}, [id]]);
  });

  it('tells the model of a child that failed, and of arguments that do not fit', async () => {
    const child = await makeAgent({ name: 'Weak', slug: 'weak-1' });
    system.model.script('weak lead', [
      { tool_calls: [hand('weak-1', 'weak'), { name: 'delegate_to_weak-1', arguments: { task: 3 } }] },
      { text: 'Then not.' },
    ]);
    system.model.script('weak', [{ fault: '401' }]);
    const lead = await makeAgent({
      name: 'Lead',
      delegated_agents: [{ agent_id: child.id, input_schema: { task: { type: 'string' } } }],
    });
    const id = await start(lead, 'weak lead');
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Then not.' });
    const told = JSON.stringify(system.model.callsOf('weak lead', 1)[0]?.request.messages);
    expect(told).toContain('delegation_failed');
    expect(told).toContain('invalid_arguments');
  });

  it('[15.5] shows what a child asks at the root, where it is answered', async () => {
    const child = await makeAgent({ name: 'Writer', slug: 'writer-1' });
    system.model.script('ask lead', [{ tool_calls: [hand('writer-1', 'asking')] }, { text: 'Written.' }]);
    system.model.script('asking', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/out.md', content: 'x\n' } }] },
      { text: 'I wrote it.' },
    ]);
    const id = await start(await leading([child]), 'ask lead');
    const waiting = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    const [action] = waiting.pending_actions;
    expect(action).toMatchObject({ agent_name: 'Writer', type: 'write_file', path: '/out.md' });
    expect(action?.run_id).not.toBe(id);
    await system.commands.confirm(system.caller, id, {
      action_id: action?.id ?? '',
      confirmed: true,
      digest: action?.digest,
    });
    expect(await system.ended(id)).toMatchObject({ status: 'completed', pending_actions: [] });
    const types = await typesOf(id);
    expect(types.filter((type) => type.startsWith('action'))).toEqual(['action.pending', 'action.decided']);
    await expect(
      system.commands.confirm(system.caller, id, { action_id: action?.id ?? '', confirmed: true }),
    ).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('[15.5] shows anew at the root what is to be done with other arguments: only that can be allowed', async () => {
    const child = await makeAgent({ name: 'Writer', slug: 'writer-2' });
    system.model.script('revise lead', [{ tool_calls: [hand('writer-2', 'revised')] }, { text: 'Written.' }]);
    system.model.script('revised', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/revised.md', content: 'as proposed\n' } }] },
      { text: 'I wrote it.' },
    ]);
    const id = await start(await leading([child]), 'revise lead');
    const [before] = (await system.until(id, (run) => run.status === 'awaiting_confirmation')).pending_actions;
    const action_id = before?.id ?? '';
    const revise = (args: Record<string, unknown>, digest = before?.digest) =>
      system.commands.revise(system.caller, id, { action_id, digest, arguments: args });
    await expect(revise({}, 'sha256:other')).rejects.toMatchObject({ code: 'stale_approval' });
    await revise({ path: '/../out.md', content: '' });
    const said = await system.until(id, ({ pending_actions: [now] }) => now?.problem !== undefined);
    expect(said.pending_actions).toMatchObject([{ id: action_id, digest: before?.digest, path: '/revised.md' }]);
    const edited = { path: '/revised.md', content: 'as edited\n' };
    await revise(edited);
    const shown = await system.until(id, ({ pending_actions: [now] }) => now?.arguments.content === 'as edited\n');
    const [now] = shown.pending_actions;
    expect(shown.pending_actions).toMatchObject([{ id: action_id, agent_name: 'Writer', arguments: edited }]);
    expect(now?.preview).toContain('+as edited');
    expect(now?.created_at, 'its place among what waits').toBe(before?.created_at);
    expect(now?.shown_at).not.toBe(before?.shown_at);
    const confirm = (digest = '') => system.commands.confirm(system.caller, id, { action_id, confirmed: true, digest });
    await expect(confirm(before?.digest)).rejects.toMatchObject({ code: 'stale_approval' });
    await confirm(now?.digest);
    expect(await system.ended(id)).toMatchObject({ status: 'completed', pending_actions: [] });
    expect(await readFile(join(system.root, 'revised.md'), 'utf8')).toBe('as edited\n');
    const types = await typesOf(id);
    expect(types.filter((type) => type.startsWith('action'))).toEqual([
      ...['action.pending', 'action.pending', 'action.pending', 'action.decided'],
    ]);
  });

  it('[3] cancelling the root cancels the tree, also who waits for a person', async () => {
    const child = await makeAgent({ name: 'Slow', slug: 'slow-1' });
    const asker = await makeAgent({ name: 'Asker', slug: 'asker-1' });
    system.model.script('cancel lead', [{ tool_calls: [hand('slow-1', 'slow'), hand('asker-1', 'waits')] }]);
    system.model.script('slow', [{ text: 'too late' }]);
    system.model.script('waits', [{ tool_calls: [{ name: 'clarify_user', arguments: { question: 'Which?' } }] }]);
    const release = system.model.hold('slow', 0);
    const id = await start(await leading([child, asker]), 'cancel lead');
    await system.model.reached('slow', 0);
    await system.until(id, (run) => run.pending_questions.length === 1);
    await system.commands.cancel(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'cancelled' });
    release();
    expect((await childrenOf(id)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('[3] a paused tree begins nothing new, and goes on where it was', async () => {
    const child = await makeAgent({ name: 'Calm', slug: 'calm-1' });
    system.model.script('pause lead', [{ tool_calls: [hand('calm-1', 'calm')] }, { text: 'End.' }]);
    system.model.script('calm', [{ tool_calls: [{ name: 'list_files' }] }, { text: 'Seen.' }]);
    const release = system.model.hold('calm', 0);
    const id = await start(await leading([child]), 'pause lead');
    await system.model.reached('calm', 0);
    expect(await system.commands.pause(system.caller, id)).toMatchObject({ status: 'paused' });
    await expect(system.commands.pause(system.caller, id)).rejects.toMatchObject({ code: 'not_paused' });
    release();
    await system.model.settled('calm', 1);
    const [below] = await childrenOf(id);
    await system.until(below?._id ?? '', (run) => run.status === 'paused');
    expect(system.model.count('calm').calls).toBe(1);
    await system.commands.unpause(system.caller, id);
    expect(await system.ended(id)).toMatchObject({ status: 'completed' });
    await expect(system.commands.unpause(system.caller, id)).rejects.toMatchObject({ code: 'run_ended' });
  });

  it('[15.9] a child has no more rights than were passed down, whatever its own', async () => {
    const child = await makeAgent({ name: 'Mighty', slug: 'mighty-1', confirmation: { write_file: 'never' } });
    const reader = await leading([child], { can_write: false, can_create: false });
    system.model.script('weak root', [{ tool_calls: [hand('mighty-1', 'mighty')] }, { text: 'So.' }]);
    system.model.script('mighty', [{ text: 'I may not write.' }]);
    const id = await start(reader, 'weak root');
    await system.ended(id);
    const offered = JSON.stringify(system.model.callsOf('mighty', 0)[0]?.request.tools);
    expect(offered).toContain('read_file');
    expect(offered).not.toContain('write_file');

    const granting = await leading([child], {
      can_write: false,
      can_create: false,
      grants: { can_read: true, can_write: true, can_create: true, scope: { notebooks: ['*'], folders: ['/only'] } },
    });
    system.model.script('granting', [{ tool_calls: [hand('mighty-1', 'bounded')] }, { text: 'So.' }]);
    system.model.script('bounded', [
      {
        tool_calls: [
          { name: 'write_file', arguments: { path: '/only/a.md', content: 'a' } },
          { name: 'write_file', arguments: { path: '/b.md', content: 'b' } },
        ],
      },
      { text: 'Half.' },
    ]);
    await system.ended(await start(granting, 'granting'));
    const results = JSON.stringify(system.model.callsOf('bounded', 1)[0]?.request.messages);
    expect(results).toContain('written\\":true');
    expect(results).toContain('scope_violation');
  });

  it('[15.1] parallel children share what is left, and no call is made that it does not cover', async () => {
    const child = await makeAgent({ name: 'Hungry', slug: 'hungry-1', max_tokens_per_request: 2_000 });
    const lead = await leading([child], { max_token_budget: 14_000, max_tokens_per_request: 500 });
    system.model.script('hungry lead', [
      { tool_calls: Array.from({ length: 8 }, () => hand('hungry-1', 'hungry')) },
      { text: 'Enough.' },
    ]);
    system.model.script('hungry', [{ text: 'Fed.', usage: { input: 900, output: 1_500 } }]);
    const id = await start(lead, 'hungry lead');
    const run = await system.ended(id);
    const children = await childrenOf(id);
    const statuses = children.map(({ status }) => status).sort();
    expect(statuses).toContain('completed');
    expect(statuses).toContain('budget_exceeded');
    expect(run.tree.tokens).toBeLessThanOrEqual(14_000);
    expect(Object.values((await loadLedger(id))?.free ?? {}).every(({ tokens }) => tokens >= 0)).toBe(true);
  });
});
