import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
let workflow: string;
let [writer, other, reader, stranger]: string[] = [];
beforeAll(async () => {
  system = await startServed();
  [writer, other, reader] = await Promise.all([system.member('write'), system.member('write'), system.member('read')]);
  stranger = await system.foreigner();
  workflow = (await define('Report', STEPS)).body.id;
});
afterAll(() => system.stop());

const STEPS = [
  { id: 'a', type: 'wait', duration: 0 },
  { id: 'b', type: 'tool', tool: 'read_file', input_mapping: { path: '{{ input.path }}' } },
  { id: 'c', type: 'wait', duration: 0, output_mapping: { lines: '{{ steps.b.output.total_lines ?? 0 }}' } },
];
const define = (name: string, steps: unknown[], more: object = {}) =>
  system.call('POST', '/agents/workflows', { body: { workspace_id: system.workspace.id, name, steps, ...more } });
const start = (body: object, token = writer) =>
  system.call('POST', '/runs', { token: token ?? null, body: { notebook_id: system.notebook.id, wait: 30, ...body } });
const failed = async () => (await start({ workflow_id: workflow, input: { path: '/nope.md' } })).body;
const resume = (id: string, body: object, token = writer) =>
  system.call('POST', `/runs/workflow/${id}/resume`, { token: token ?? null, body });

describe('[3] runs of workflows over HTTP', () => {
  it('are started by id or by name, and listed by their workflow', async () => {
    const byId = await start({ workflow_id: workflow, input: { path: '/notes.md' } });
    expect(byId).toMatchObject({
      status: 200,
      body: { status: 'completed', workflow_id: workflow, definition_name: 'Report' },
    });
    const byName = await start({ workflow: 'Report', input: { path: '/notes.md' } });
    expect(byName).toMatchObject({ status: 200, body: { definition_id: workflow, definition_version: 1 } });
    const list = await system.call('GET', `/runs?workflow_id=${workflow}&limit=1`);
    expect(list.body.items).toMatchObject([{ id: byName.body.id, definition_id: workflow }]);
    const view = await system.call('GET', `/runs/${byId.body.id}/workflow`, { token: writer ?? null });
    expect(view).toMatchObject({
      status: 200,
      body: {
        definition_id: workflow,
        run_steps: [{ address: 'a' }, { address: 'b', input: { path: '/notes.md' } }, { address: 'c' }],
      },
    });
  });

  it('have no steps that a model could explain, and say so', async () => {
    const { id } = await failed();
    const answer = await system.call('POST', `/runs/${id}/steps/1/rationale`);
    expect(answer).toMatchObject({ status: 409, body: { error: 'not_for_workflows' } });
  });

  it.each([
    ['two targets', { workflow_id: 'wf_x', agent_id: 'agt_x', input: {} }],
    ['neither', { input: {} }],
    ['no input', { workflow: 'Report' }],
    ['an output schema', { workflow: 'Report', input: {}, output_schema: { a: {} } }],
  ])('are refused with %s, and nothing runs', async (_what, body) => {
    expect((await start(body)).status).toBe(400);
  });

  it('keep the version they began with, and an inactive workflow starts none', async () => {
    const made = (await define('Changing', [{ id: 'ok', type: 'approval', message: 'One?' }])).body;
    const { body } = await system.call('POST', '/runs', { body: { workflow_id: made.id, input: {} } });
    await system.until(body.id, (run) => run.status === 'awaiting_confirmation');
    const steps = [{ id: 'ok', type: 'approval', message: 'Two?' }];
    expect((await system.call('PUT', `/agents/workflows/${made.id}`, { body: { steps } })).body.version).toBe(2);
    const run = await system.get(body.id);
    expect(run).toMatchObject({ definition_version: 1, pending_actions: [{ preview: 'One?' }] });
    const inbox = await system.call('GET', '/inbox');
    expect(inbox.body.items).toContainEqual(
      expect.objectContaining({ kind: 'action', run_id: body.id, agent_name: 'Changing' }),
    );
    expect((await system.call('DELETE', `/agents/workflows/${made.id}`)).status).toBe(204);
    expect((await start({ workflow_id: made.id, input: {} })).status).toBe(404);
    await system.commands.cancel(system.caller, body.id);
  });
});

describe('[3] an ended run of a workflow is forked', () => {
  it('gives 202 with the new run, and 400 or 404 for what nothing can come of', async () => {
    const { body: done } = await start({ workflow_id: workflow, input: { path: '/notes.md' } });
    const fork = (body: object, token = writer) =>
      system.call('POST', `/runs/${done.id}/fork`, { token: token ?? null, body });
    const answer = await fork({ from_step: 'b', override_input: { path: '/notes.md' } });
    expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(await system.ended(answer.body.id)).toMatchObject({
      status: 'completed',
      parent_run_id: done.id,
      relation: 'fork',
      resume_from_step: 'b',
      workflow_state: { steps: { a: { inherited: true } } },
    });
    for (const body of [{}, { step: 1, from_step: 'b' }, { step: 1, model: 'gpt-4o' }, { from_step: 'nope' }]) {
      expect((await fork(body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await fork({ step: 0 }, stranger)).status).toBe(404);
  });
});

describe('REQ-014: a failed workflow is resumed from the point of failure', () => {
  it('gives 202 with the new run, which refers to the first and has its state', async () => {
    const before = await failed();
    expect(before).toMatchObject({ status: 'failed', error: { details: { step: 'b' } } });
    const answer = await resume(before.id, { from_step: 'b', override_input: { path: '/notes.md' } });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        parent_run_id: before.id,
        workflow_id: workflow,
        status: 'queued',
        resume_from_step: 'b',
        created_at: expect.any(String),
      },
    });
    const run = await system.ended(answer.body.id);
    expect(run).toMatchObject({
      status: 'completed',
      relation: 'resume',
      workflow_state: { steps: { a: { inherited: true } } },
    });
    expect((await system.call('POST', `/runs/${before.id}/resume`, { body: {} })).status).toBe(202);
  });

  it('gives 409 for a run that has not failed, and nothing runs', async () => {
    const { body } = await start({ workflow_id: workflow, input: { path: '/notes.md' } });
    const count = async () => (await system.call('GET', '/runs?limit=100')).body.items.length;
    const before = await count();
    expect(await resume(body.id, { from_step: 'b' })).toMatchObject({ status: 409, body: { error: 'not_failed' } });
    expect((await resume(body.id, { step: 'b' })).status).toBe(400);
    expect(await count()).toBe(before);
  });

  it('is for who may see the run: strangers find nothing, and the caller of the new run is who resumed it', async () => {
    const before = await failed();
    expect((await resume(before.id, {}, stranger)).status).toBe(404);
    expect((await system.call('GET', `/runs/${before.id}/workflow`, { token: stranger ?? null })).status).toBe(404);
    const { body } = await resume(before.id, { from_step: 'b', override_input: { path: '/notes.md' } }, other);
    const run = await system.ended(body.id);
    expect(run.caller_user_id).not.toBe(before.caller_user_id);
    const again = await resume(before.id, { from_step: 'b', override_input: { path: '/notes.md' } }, reader);
    expect(again.status).toBe(202);
    expect(await system.ended(again.body.id)).toMatchObject({ status: 'completed' });
  });
});
