import { readdir, rm, writeFile } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSaveRollback } from '../../activities/save-rollback.ts';
import { saveWorkflowId } from '../../domain/edits/saving.ts';
import { textHash } from '../../domain/edits/text.ts';
import { workflowIdOf } from '../../domain/run-id.ts';
import { applyChanges } from '../../files/journal.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { moveRollback } from '../../store/checkpoints.ts';
import { RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { look } from '../../workflows/messages.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
let edits: ReturnType<typeof editing>;
beforeAll(async () => {
  system = await startServed();
  edits = editing(system);
});
afterAll(() => system.stop());

const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

/** A job whose two changes of one file, and whose new file, are on disk. */
async function applied(name: string) {
  const path = `${name}/file.md`;
  await edits.lay({ [path]: BASE });
  const { session, id, job } = await edits.proposed(name, [
    propose(
      replaceLine(path, 1, 'one', 'ONE'),
      replaceLine(path, 9, 'nine', 'NINE'),
      { file_path: `${name}/new.md`, operation: 'insert', start_line: 1, new_text: 'fresh\n' },
      replaceLine(path, 5, 'five', 'FIVE'),
    ),
  ]);
  const hunks: string[] = job.diff_bundle.files.flatMap((file: { hunks: { hunk_id: string; patch: string }[] }) =>
    file.hunks.filter(({ patch }) => !patch.includes('+FIVE')).map(({ hunk_id }) => hunk_id),
  );
  const done = await edits.apply(session, id, hunks);
  expect(done.status).toBe(200);
  expect(await edits.disk(path)).toBe(BASE.replace('one', 'ONE').replace('nine', 'NINE'));
  return { session, id, path, checkpoint: done.body.checkpoint_id as string, hunks };
}

const journals = async (id: string) =>
  (await readdir(system.root)).filter((name) => name.startsWith('.longhaul') && name.includes(id));
/** What an attempt leaves that was killed after its changes were made: they are, and it has not let go. */
async function leaveJournal(id: string, path: string, text: string): Promise<void> {
  const change = { path: `/${path}`, before_hash: textHash(text), content: `${text}more\n` };
  expect((await applyChanges(await NotebookFiles.at(system.root), id, [change])).is).toBe('applied');
  expect(await journals(id)).toHaveLength(1);
}

const rollback = (id: string, body: object, more: object = {}) => edits.post(`/checkpoints/${id}/rollback`, body, more);
const save = (id: string, body: object = {}, more: object = {}) => edits.post(`/checkpoints/${id}/save`, body, more);

describe('[5] a checkpoint', () => {
  it('tells what was there, what was done, and compares three ways', async () => {
    const { checkpoint, id, session, path, hunks } = await applied('look');
    const { status, body } = await edits.get(`/checkpoints/${checkpoint}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ checkpoint_id: checkpoint, session_id: session, job_id: id, applied: true, files: 2 });
    const [file, fresh] = body.affected_files;
    expect(file).toMatchObject({ file_path: path, base_snapshot_hash: expect.stringMatching(/^sha256:/) });
    expect(fresh.base_snapshot_hash).toBeNull();
    expect(file.hunks.map((hunk: { status: string }) => hunk.status).sort()).toEqual([
      'accepted',
      'accepted',
      'rejected',
    ]);
    expect(file.hunks[0].reverse_patch).toContain('+one');
    const listed = await edits.get(`/checkpoints?session_id=${session}`);
    expect(listed.body.items).toMatchObject([{ checkpoint_id: checkpoint }]);
    expect(hunks).toHaveLength(3);

    await writeFile(edits.at(path), BASE.replace('one', 'ONE').replace('seven', 'by somebody'));
    const three = (await edits.get(`/checkpoints/${checkpoint}/diff3?file_path=${path}`)).body;
    expect(three.checkpoint_base.text).toBe(BASE);
    expect(three.agent_proposed.text).toBe(BASE.replace('one', 'ONE').replace('five', 'FIVE').replace('nine', 'NINE'));
    expect(three.current_file.text).toContain('by somebody');
    expect(three.regions.map((region: { kind: string }) => region.kind)).toEqual(
      expect.arrayContaining(['same', 'both', 'current', 'proposed']),
    );
    expect((await edits.get(`/checkpoints/${checkpoint}/diff3?file_path=none.md`)).status).toBe(404);
  });

  it('takes selected hunks back, keeps what was changed elsewhere since, and writes only when it is saved', async () => {
    const { checkpoint, id, path, hunks } = await applied('scoped');
    const later = (await edits.disk(path)).replace('five', 'five, later');
    await writeFile(edits.at(path), later);
    const back = await rollback(checkpoint, { mode: 'scoped_selected', hunk_ids: [hunks[0]] });
    expect([back.status, back.body.state, back.body.conflicts]).toEqual([200, 'buffer', []]);
    const wanted = later.replace('ONE', 'one');
    expect(back.body.files).toMatchObject([{ file_path: path, working_buffer: wanted }]);
    expect(await edits.disk(path)).toBe(later);
    const saved = await save(checkpoint, { rollback_id: back.body.rollback_id });
    expect([saved.status, saved.body.state]).toEqual([200, 'saved']);
    expect(await edits.disk(path)).toBe(wanted);
    expect((await save(checkpoint, { rollback_id: back.body.rollback_id })).status).toBe(200);
    const shown = (await edits.get(`/checkpoints/${checkpoint}`)).body;
    expect(shown.affected_files[0].hunks[0].status).toBe('rolled_back');
    const events = await edits.events(id);
    const types = events.map(({ type }) => type);
    expect(types.slice(types.indexOf('job.completed') + 1)).toEqual([
      'checkpoint.rollback.started',
      'checkpoint.rollback.completed',
      'checkpoint.rollback.completed',
    ]);
    const page = (await edits.get(`/jobs/${id}/events?cursor=${events.length}`)).body;
    expect([page.events.length, page.next_cursor]).toEqual([1, events.length + 1]);
  });

  it('names hunks whose lines were changed since, and takes what was resolved by hand', async () => {
    const { checkpoint, path, hunks } = await applied('overlap');
    await writeFile(edits.at(path), (await edits.disk(path)).replace('ONE', 'ONE, and more'));
    const back = await rollback(checkpoint, { mode: 'scoped_selected', hunk_ids: [hunks[0], hunks[1]] });
    expect(back.body.state).toBe('conflict');
    expect(back.body.conflicts).toMatchObject([{ file_path: path, hunk_id: hunks[0], current: 'ONE, and more\n' }]);
    expect(back.body.files[0].working_buffer).toContain('nine');
    expect((await save(checkpoint)).status).toBe(409);
    const content = back.body.files[0].working_buffer.replace('ONE, and more', 'one, and more');
    const binary = { contents: [{ file_path: path, content: 'not \0 text' }] };
    expect((await save(checkpoint, binary)).body.error).toBe('not_a_text_file');
    expect((await save(checkpoint, { contents: [{ file_path: path, content }] })).status).toBe(200);
    expect(await edits.disk(path)).toBe(content);
  });

  it('puts everything back as it was, later changes and new files included', async () => {
    const { checkpoint, path } = await applied('hard');
    await writeFile(edits.at(path), 'something else\n');
    const back = await rollback(checkpoint, { mode: 'hard_all', hunk_ids: [] });
    expect(back.body.files).toMatchObject([
      { file_path: path, working_buffer: BASE },
      { file_path: 'hard/new.md', working_buffer: null },
    ]);
    expect((await save(checkpoint)).status).toBe(200);
    expect(await edits.disk(path)).toBe(BASE);
    await expect(edits.disk('hard/new.md')).rejects.toThrow();
  });

  it('is not saved over what changed after the rollback was made', async () => {
    const { checkpoint, path } = await applied('stale');
    await rollback(checkpoint, { mode: 'hard_all' });
    await writeFile(edits.at(path), 'changed in between\n');
    const refused = await save(checkpoint);
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
    expect(refused.body.details.files).toMatchObject([{ file_path: path }]);
    expect(await edits.disk(path)).toBe('changed in between\n');
    expect(await edits.disk('stale/new.md')).toBe('fresh\n');
    await rm(edits.at('stale/new.md'));
    expect((await rollback(checkpoint, { mode: 'hard_all' })).status).toBe(200);
    expect((await save(checkpoint)).status).toBe(200);
    expect(await edits.disk(path)).toBe(BASE);
  });

  it('is saved for as long as that takes: a worker that is at it says so, and one that has died is noticed', async () => {
    const { checkpoint } = await applied('long');
    const { rollback_id } = (await rollback(checkpoint, { mode: 'hard_all' })).body;
    expect((await save(checkpoint)).status).toBe(200);
    const saving = system.starter.client.workflow.getHandle(saveWorkflowId({ checkpoint_id: checkpoint, rollback_id }));
    const { events } = await saving.fetchHistory();
    const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
    const { heartbeatTimeout, startToCloseTimeout } = scheduled?.activityTaskScheduledEventAttributes ?? {};
    expect(Number(heartbeatTimeout?.seconds)).toBe(5);
    expect(Number(startToCloseTimeout?.seconds)).toBeGreaterThan(900);

    const again = (await rollback((await applied('longer')).checkpoint, { mode: 'hard_all' })).body;
    const moved = await moveRollback(again.checkpoint_id, again.rollback_id, ['buffer'], { state: 'saving' });
    expect(moved).not.toBeNull();
    const environment = new MockActivityEnvironment();
    let beats = 0;
    environment.on('heartbeat', () => beats++);
    const input = { v: 1 as const, checkpoint_id: again.checkpoint_id, rollback_id: again.rollback_id };
    expect(await environment.run(createSaveRollback({ heartbeatMs: 1 }), input)).toEqual({ is: 'saved' });
    expect(beats).toBeGreaterThan(0);
  });

  it('leaves no journal behind, also where a worker was killed right before it let go of it', async () => {
    const { checkpoint, path } = await applied('cut');
    const { rollback_id } = (await rollback(checkpoint, { mode: 'hard_all' })).body;
    expect((await save(checkpoint)).status).toBe(200);
    expect(await journals(rollback_id), 'as it ends by itself').toEqual([]);
    await leaveJournal(rollback_id, path, BASE);
    const input = { v: 1 as const, checkpoint_id: checkpoint, rollback_id };
    const attempt = createSaveRollback({ heartbeatMs: 5_000 });
    expect(await new MockActivityEnvironment().run(attempt, input)).toEqual({ is: 'saved' });
    expect(await journals(rollback_id)).toEqual([]);
  });

  it('refuses what it does not know, strangers, and members whose job it was not', async () => {
    const { checkpoint, path } = await applied('refused');
    const stranger = { token: await system.foreigner() };
    const member = { token: await system.member('write') };
    for (const [body, status] of [
      [{ mode: 'soft' }, 400],
      [{ mode: 'scoped_selected' }, 400],
      [{ mode: 'hard_all', hunk_ids: ['h_1'] }, 400],
      [{ mode: 'scoped_selected', hunk_ids: ['h_77'] }, 404],
    ] as const) {
      expect([body, (await rollback(checkpoint, body)).status]).toEqual([body, status]);
    }
    expect((await save(checkpoint)).status).toBe(409);
    for (const answer of [
      await edits.get(`/checkpoints/${checkpoint}`, stranger),
      await edits.get(`/checkpoints/${checkpoint}/diff3?file_path=${path}`, stranger),
      await rollback(checkpoint, { mode: 'hard_all' }, stranger),
      await save(checkpoint, {}, stranger),
      await edits.get(`/checkpoints/${newId('ckp')}`),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await edits.get('/checkpoints', stranger)).body.items).toEqual([]);
    expect((await edits.get(`/checkpoints/${checkpoint}`, member)).status).toBe(200);
    expect((await rollback(checkpoint, { mode: 'hard_all' }, member)).status).toBe(403);
  });
});

describe('[5] an apply', () => {
  it('leaves no journal behind, also where a worker was killed right before it let go of it', async () => {
    await edits.lay({ 'let-go.md': 'a\n' });
    const { id } = await edits.proposed('let-go', [propose(replaceLine('let-go.md', 1, 'a', 'b'))]);
    const apply_id = newId('apl');
    await leaveJournal(apply_id, 'let-go.md', 'a\n');
    const log = await RunLog.open({ run_id: id, workspace_id: system.workspace.id });
    const proposed = log.state.proposals[0]?.review?.proposed;
    if (!proposed) throw new Error('nothing was proposed');
    const { turn, call_id, review_id } = proposed;
    const about = { turn, call_id, review_id };
    const by = { user_id: 'usr_1', name: 'Robin' };
    await log.append(() => [
      { kind: 'apply_requested', ...about, apply_id, accepted: ['h_1'], by },
      { kind: 'edits_applied', ...about, apply_id, checkpoint_id: null, files: [] },
    ]);
    await system.starter.client.workflow.getHandle(workflowIdOf(id)).signal(look);
    await edits.until(id, 'completed');
    expect(await journals(apply_id)).toEqual([]);
  });
});
