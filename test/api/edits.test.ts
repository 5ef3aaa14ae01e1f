import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import { newKey, newMember } from '../people.ts';
import { AGENT } from '../running-system.ts';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
let edits: ReturnType<typeof editing>;
beforeAll(async () => {
  system = await startServed();
  edits = editing(system);
});
afterAll(() => system.stop());

const MEETING = '# Meeting\n\nWe met.\nWe spoke.\n\nWe left.\n';

it('[1] a new workspace has its built-in agents from the beginning, for all its members, and nobody changes them', async () => {
  const { id } = (await system.call('POST', '/workspaces', { body: { name: 'New' } })).body;
  const token = await newKey(await newMember(system.caller, id, 'read'));
  const { items } = (await system.call('GET', `/agents?workspace_id=${id}`, { token })).body;
  expect(items).toMatchObject([
    { slug: 'editor', is_builtin: true, is_active: true, model: 'gpt-test' },
    { slug: 'dispatcher', is_builtin: true, is_active: true, model: 'gpt-test' },
  ]);
  const change = await system.call('PUT', `/agents/${items[0].id}`, { body: { name: 'Mine' } });
  expect(change.status).toBe(403);
});

describe('[5] a job, from the instruction to the disk', () => {
  it('proposes, is reviewed by hunk, applied, and completed: with the fields of the contract', async () => {
    await edits.lay({ 'notes/meeting.md': MEETING, 'notes/other.md': 'one\ntwo\n' });
    system.model.script('whole', [
      { text: 'I look.', tool_calls: [{ name: 'search_project', arguments: { query: 'We' } }] },
      propose(
        replaceLine('notes/meeting.md', 3, 'We met.', 'They met.'),
        replaceLine('/notes/meeting.md', 6, 'We left.', 'They left.'),
        replaceLine('notes/other.md', 2, 'two', 'zwei'),
        { file_path: 'notes/new.md', operation: 'insert', start_line: 1, new_text: 'fresh\n' },
      ),
    ]);
    const made = await edits.post('/sessions', {});
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ session_id: expect.any(String), status: 'active', created_at: expect.any(String) }),
    ]);
    const started = await edits.post('/run', {
      session_id: made.body.session_id,
      instruction: '[script:whole] Refactor these notes into sections',
      context_rows: [
        { id: 'ctx_1', kind: 'selection', file_path: 'notes/meeting.md', start_line: 1, end_line: 3, content: '...' },
      ],
      tool_config: { max_tool_calls: 12 },
    });
    expect([started.status, started.body]).toEqual([202, { job_id: expect.any(String), status: 'queued' }]);
    const id = started.body.job_id;
    const job = await edits.until(id, 'awaiting_review');
    expect(job.diff_bundle.files.map((file: { file_path: string }) => file.file_path)).toEqual([
      'notes/meeting.md',
      'notes/other.md',
      'notes/new.md',
    ]);
    const [meeting, other, fresh] = job.diff_bundle.files;
    expect(meeting).toMatchObject({ base_file_hash: expect.stringMatching(/^sha256:/) });
    expect(fresh.base_file_hash).toBeNull();
    expect(meeting.hunks[0]).toMatchObject({ hunk_id: 'h_1', accepted: null, edit_ids: ['e_1'], origin: 'agent' });
    expect(meeting.hunks[0].patch).toContain('+They met.');
    expect(job.proposed_edits).toHaveLength(4);
    expect(await edits.disk('notes/meeting.md')).toBe(MEETING);

    const rejected = await edits.post(`/jobs/${id}/review`, {
      hunk_id: meeting.hunks[1].hunk_id,
      decision: 'reject',
      comment: 'Not this one.',
    });
    expect(rejected.status).toBe(200);
    expect(rejected.body.files[0].working_buffer).toBe(MEETING.replace('We met.', 'They met.'));
    expect(rejected.body.review).toMatchObject({ rejected: 1, pending: 3, hunks: 4 });
    const inbox = await system.call('GET', '/inbox');
    expect(inbox.body.items).toContainEqual(expect.objectContaining({ kind: 'review', run_id: id }));

    const accepted = [meeting.hunks[0].hunk_id, other.hunks[0].hunk_id, fresh.hunks[0].hunk_id];
    const applied = await edits.apply(made.body.session_id, id, accepted);
    expect([applied.status, applied.body]).toEqual([
      200,
      {
        status: 'completed',
        applied_files: [
          { file_path: 'notes/meeting.md', applied_hunks: 1, rejected_hunks: 1 },
          { file_path: 'notes/other.md', applied_hunks: 1, rejected_hunks: 0 },
          { file_path: 'notes/new.md', applied_hunks: 1, rejected_hunks: 0 },
        ],
        checkpoint_id: expect.stringMatching(/^ckp_/),
      },
    ]);
    expect(await edits.disk('notes/meeting.md')).toBe(MEETING.replace('We met.', 'They met.'));
    expect(await edits.disk('notes/other.md')).toBe('one\nzwei\n');
    expect(await edits.disk('notes/new.md')).toBe('fresh\n');
    const types = (await edits.events(id)).map(({ type }) => type);
    for (const type of [
      'job.started',
      'tool.call.requested',
      'tool.call.completed',
      'edits.proposed',
      'diff.generated',
      'review.updated',
      'apply.started',
      'checkpoint.created',
      'apply.completed',
      'job.completed',
    ]) {
      expect(types).toContain(type);
    }
    system.model.assertDone('whole');
  });

  it('is there for any run whose agent proposes edits, also outside of a session, and a fork of it has the files as it left them', async () => {
    await edits.lay({ 'alone.md': 'a\n' });
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, name: 'Alone', workspace_id: system.workspace.id }),
      system_tools: ['read_file', 'propose_edits'],
      id: newId('agt'),
    });
    system.model.script('alone', [propose(replaceLine('alone.md', 1, 'a', 'b')), { text: 'And on.' }]);
    const id = await system.start('alone', { agent_id: agent.id });
    const waiting = await system.until(id, ({ status }) => status === 'awaiting_review');
    expect(waiting.pending_reviews).toMatchObject([{ run_id: id, hunks: 1, pending: 1, state: 'open' }]);
    expect((await edits.apply('', id, ['h_1'])).body.status).toBe('completed');
    expect((await system.ended(id)).files_modified).toEqual(['/alone.md']);
    expect(await edits.disk('alone.md')).toBe('b\n');
    await edits.lay({ 'alone.md': 'c\n' });
    const steps = (await system.call('GET', `/runs/${id}/steps`)).body.items;
    const forked = await system.call('POST', `/runs/${id}/fork`, { body: { step: steps.at(-1).step_number } });
    const run = await system.ended(forked.body.id);
    expect(run.status).toBe('completed');
    const file = await system.call('GET', `/notebooks/${run.notebook_id}/files/content?path=/alone.md`);
    expect(file.body.text).toBe('b\n');
  });
});
