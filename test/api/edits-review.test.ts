import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { afterEvents, afterReply, withHunks } from '../../domain/edits/job-after.ts';
import { textHash } from '../../domain/edits/text.ts';
import type { Job } from '../../domain/edits/wire.ts';
import { createAgent } from '../../store/agents.ts';
import { nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import { changeRole } from '../../store/memberships.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { AGENT_API, editing, propose, replaceLine } from '../edit-jobs.ts';
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

type Hunk = { hunk_id: string; accepted: boolean | null; origin: string; oversized_hunk: boolean };
const idsOf = (job: { diff_bundle: { files: { hunks: Hunk[] }[] } }) =>
  job.diff_bundle.files.flatMap(({ hunks }) => hunks.map(({ hunk_id }) => hunk_id));
const told = (script: string, position: number) =>
  JSON.stringify(system.model.callsOf(script, position).at(-1)?.request ?? null);

describe('[5] a conflict', () => {
  it('writes nothing, says what changed, and one call proposes anew on the new base', async () => {
    await edits.lay({ 'c/a.md': 'one\ntwo\n', 'c/b.md': 'three\n' });
    const { session, id } = await edits.proposed('conflict', [
      propose(replaceLine('c/a.md', 1, 'one', 'ONE'), replaceLine('c/b.md', 1, 'three', 'THREE')),
      propose(replaceLine('c/a.md', 1, 'uno', 'ONE'), replaceLine('c/b.md', 1, 'three', 'THREE')),
    ]);
    await writeFile(edits.at('c/a.md'), 'uno\ntwo\n');
    await edits.post(`/jobs/${id}/review`, { hunk_id: 'h_2', decision: 'accept', comment: 'This one is fine.' });
    const refused = await edits.apply(session, id, ['h_1']);
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
    expect(refused.body.details.files).toEqual([
      {
        file_path: 'c/a.md',
        reason: expect.stringContaining('changed'),
        expected_hash: textHash('one\ntwo\n'),
        actual_hash: textHash('uno\ntwo\n'),
        diff: expect.stringContaining('+uno'),
      },
    ]);
    expect([await edits.disk('c/a.md'), await edits.disk('c/b.md')]).toEqual(['uno\ntwo\n', 'three\n']);
    const stuck = await edits.job(id);
    expect([stuck.status, stuck.review.state]).toEqual(['awaiting_review', 'conflict']);
    expect(stuck.review, 'what the list left out is what it was').toMatchObject({ accepted: 2, rejected: 0 });

    expect((await edits.post(`/jobs/${id}/rerun`, { comment: 'Mind the new text.' })).body.job_id).toBe(id);
    await expect.poll(async () => (await edits.job(id)).review?.proposal).toBe(2);
    for (const said of ['changes_requested', 'Mind the new text.', 'This one is fine.', 'c/a.md']) {
      expect(told('conflict', 1)).toContain(said);
    }
    const again = await edits.until(id, 'awaiting_review');
    expect((await edits.apply(session, id, idsOf(again))).body.status).toBe('completed');
    expect([await edits.disk('c/a.md'), await edits.disk('c/b.md')]).toEqual(['ONE\ntwo\n', 'THREE\n']);
    const types = (await edits.events(id)).map(({ type }) => type);
    expect(types).toContain('conflict.detected');
    system.model.assertDone('conflict');
  });

  const hashed = (file_path: string, line: number, expected_hash: string, new_text: string) => {
    const { expected_text: _, ...edit } = replaceLine(file_path, line, '', new_text);
    return { ...edit, expected_hash };
  };

  it('is met by a proposal whose hashes are not those of the lines: nothing to decide, and a rerun starts over', async () => {
    await edits.lay({ 'c/h.md': 'one\ntwo\n', 'c/i.md': 'three\n' });
    const { session, id, job } = await edits.proposed('hashes', [
      propose(hashed('c/h.md', 2, textHash('zwei\n'), 'TWO'), replaceLine('c/i.md', 1, 'three', 'THREE')),
      propose(hashed('c/h.md', 2, textHash('two\n'), 'TWO'), replaceLine('c/i.md', 1, 'three', 'THREE')),
    ]);
    const files = [
      {
        file_path: 'c/h.md',
        reason: expect.stringContaining('line 2 (e_1)'),
        expected_hash: null,
        actual_hash: textHash('one\ntwo\n'),
        diff: null,
        edits: [
          {
            edit_id: 'e_1',
            start_line: 2,
            end_line: 2,
            expected_hash: textHash('zwei\n'),
            actual_hash: textHash('two\n'),
          },
        ],
      },
    ];
    expect(job).toMatchObject({ review: { state: 'conflict', proposal: 1, hunks: 0 }, diff_bundle: null });
    expect(job.conflict).toEqual(files);
    expect(job.proposed_edits.map(({ new_text }: { new_text: string }) => new_text)).toEqual(['TWO', 'THREE']);
    const types = (await edits.events(id)).map(({ type }) => type);
    expect(types).not.toContain('diff.generated');
    const detected = (await edits.events(id)).find(({ type }) => type === 'conflict.detected');
    expect(detected?.data).toMatchObject({ files, rerun_required: true });
    const inbox = (await system.call('GET', '/api/v1/inbox')).body.items;
    expect(inbox.find(({ run_id }: { run_id: string }) => run_id === id)?.review.state).toBe('conflict');

    const refused = await edits.apply(session, id, []);
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
    expect(refused.body.details).toEqual({ files, rerun: `/api/agent/jobs/${id}/rerun` });
    const byHand = { file_path: 'c/i.md', content: 'by hand\n' };
    expect((await edits.post(`/jobs/${id}/changes`, byHand)).body.error).toBe('conflict');
    expect((await edits.post(`/jobs/${id}/review`, { file_path: 'c/i.md', decision: 'accept' })).status).toBe(409);
    expect([await edits.disk('c/h.md'), await edits.disk('c/i.md')]).toEqual(['one\ntwo\n', 'three\n']);

    expect((await edits.post(`/jobs/${id}/rerun`, {})).body.job_id).toBe(id);
    await expect.poll(async () => (await edits.job(id)).review?.proposal).toBe(2);
    for (const said of ['changes_requested', 'changed_meanwhile', 'line 2 (e_1)']) {
      expect(told('hashes', 1)).toContain(said);
    }
    const again = await edits.until(id, 'awaiting_review');
    expect([again.review.state, again.conflict]).toEqual(['open', []]);
    expect((await edits.apply(session, id, idsOf(again))).body.status).toBe('completed');
    expect([await edits.disk('c/h.md'), await edits.disk('c/i.md')]).toEqual(['one\nTWO\n', 'THREE\n']);
    system.model.assertDone('hashes');
  });

  it('of an agent below another shows at the root what differs and whose run is to be run again', async () => {
    await edits.lay({ 'c/below.md': 'one\ntwo\n' });
    const make = (more: object) =>
      createAgent(system.caller, {
        ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, ...more }),
        id: newId('agt'),
      });
    const child = await make({ name: 'Below', slug: 'below', system_tools: ['read_file', 'propose_edits'] });
    const lead = await make({ name: 'Above', delegated_agents: [{ agent_id: child.id }] });
    system.model.script('above', [
      { tool_calls: [{ name: 'delegate_to_below', arguments: { task: '[script:edits below] Edit it.' } }] },
      { text: 'Edited.' },
    ]);
    system.model.script('edits below', [
      propose(hashed('c/below.md', 2, textHash('zwei\n'), 'TWO')),
      propose(replaceLine('c/below.md', 2, 'two', 'TWO')),
      propose(replaceLine('c/below.md', 2, 'deux', 'TWO')),
      { text: 'Done.' },
    ]);
    const id = await system.start('above', { agent_id: lead.id });
    const at = (state: string) =>
      system.until(id, ({ pending_reviews: [review] }) => review?.state === state).then((run) => run.pending_reviews);
    const [refused] = await at('conflict');
    const job = refused?.job_id ?? '';
    const conflict = [{ file_path: 'c/below.md', reason: expect.stringContaining('line 2'), diff: null }];
    expect(refused).toEqual(
      expect.objectContaining({ run_id: job, agent_name: 'Below', hunks: 0, files: 1, conflict }),
    );
    expect(job).not.toBe(id);

    await edits.post(`/jobs/${job}/rerun`, {});
    expect(await at('open')).toMatchObject([{ job_id: job, hunks: 1, pending: 1 }]);
    await writeFile(edits.at('c/below.md'), 'one\ndeux\n');
    expect((await edits.apply('', job, ['h_1'])).status).toBe(409);
    const [changed] = await at('conflict');
    expect(changed?.conflict).toEqual([
      { file_path: 'c/below.md', reason: expect.any(String), diff: expect.stringContaining('+deux') },
    ]);
    await edits.post(`/jobs/${job}/rerun`, {});
    await at('open');
    expect((await edits.apply('', job, idsOf(await edits.job(job)))).status).toBe(200);
    expect(await system.ended(id)).toMatchObject({ status: 'completed', pending_reviews: [] });
    const { events } = (await system.call('GET', `/runs/${id}/events?cursor=1`)).body;
    const asked = events.filter(({ type }: { type: string }) => /^(diff|conflict|review)/.test(type));
    expect(asked.map(({ type, data }: { type: string; data: { run_id: string } }) => [type, data.run_id])).toEqual(
      [
        ...['conflict.detected', 'review.updated', 'diff.generated', 'conflict.detected', 'review.updated'],
        ...['diff.generated'],
      ].map((type) => [type, job]),
    );
  });

  it('is met by a proposal for a file that has changed since the agent read it, and shows what has', async () => {
    await edits.lay({ 'c/r.md': 'one\ntwo\n' });
    system.model.script('since', [
      { tool_calls: [{ name: 'read_file', arguments: { path: 'c/r.md' } }] },
      { tool_calls: [{ name: 'clarify_user', arguments: { question: 'Really?' } }] },
      propose(replaceLine('c/r.md', 1, 'one', 'ONE')),
      { text: 'Then not.' },
    ]);
    const id = await edits.start(await edits.open(), 'since');
    const asking = await edits.until(id, 'waiting_for_user');
    await writeFile(edits.at('c/r.md'), 'uno\ntwo\n');
    await edits.post(`/jobs/${id}/clarify`, { question_id: asking.question.question_id, answer: 'Yes.' });
    const job = await edits.until(id, 'awaiting_review');
    expect(job.review.state).toBe('conflict');
    expect(job.conflict).toMatchObject([
      {
        reason: expect.stringContaining('has changed since the agent read it'),
        expected_hash: textHash('one\ntwo\n'),
        actual_hash: textHash('uno\ntwo\n'),
        diff: expect.stringContaining('-one\n+uno\n'),
      },
    ]);
    await edits.post(`/jobs/${id}/rerun`, {});
    await edits.until(id, 'completed');
    expect(await edits.disk('c/r.md')).toBe('uno\ntwo\n');
  });

  it('of what the model says is there is told to it, and nobody is shown anything', async () => {
    await edits.lay({ 'c/c.md': 'one\n' });
    const { id, job } = await edits.proposed('wrong', [
      propose(replaceLine('c/c.md', 1, 'not this', 'ONE'), replaceLine('c/none.md', 3, 'x', 'y')),
      propose(replaceLine('c/c.md', 1, 'one', 'ONE')),
    ]);
    expect(told('wrong', 1)).toContain('invalid_edits');
    expect(told('wrong', 1)).toContain('hash_mismatch');
    expect(job.review.proposal).toBe(1);
    await edits.post(`/jobs/${id}/cancel`, {});
    await edits.until(id, 'cancelled');
    expect(await edits.disk('c/c.md')).toBe('one\n');
  });
});

describe('[5] a review', () => {
  it('takes manual edits as the reviewer’s own, with undo and redo, and applies them with the rest', async () => {
    await edits.lay({ 'm.md': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n' });
    const { session, id } = await edits.proposed('manual', [
      propose(replaceLine('m.md', 1, 'one', 'ONE'), replaceLine('m.md', 9, 'nine', 'NINE')),
    ]);
    const before = (await edits.get(`/jobs/${id}/file?file_path=m.md`)).body;
    expect(before.working_buffer).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\n');
    const content = before.working_buffer.replace('five', 'FIVE, by hand');
    const changed = await edits.post(`/jobs/${id}/changes`, {
      file_path: 'm.md',
      content,
      buffer_hash: before.buffer_hash,
    });
    expect(changed.body.files[0]).toMatchObject({ working_buffer: content, can_undo: true, can_redo: false });
    expect(changed.body.files[0].change_log.at(-1)).toMatchObject({ id: 'u_1', origin: 'user', status: 'accepted' });
    const stale = { file_path: 'm.md', content: 'x\n', buffer_hash: before.buffer_hash };
    expect((await edits.post(`/jobs/${id}/changes`, stale)).status).toBe(409);

    const undone = await edits.post(`/jobs/${id}/changes`, { file_path: '/m.md', undo: true });
    expect(undone.body.files[0]).toMatchObject({ working_buffer: before.working_buffer, can_redo: true });
    const redone = await edits.post(`/jobs/${id}/changes`, { file_path: 'm.md', redo: true });
    expect(redone.body.files[0].working_buffer).toBe(content);
    expect((await edits.post(`/jobs/${id}/changes`, { file_path: 'm.md', redo: true })).status).toBe(409);

    const done = await edits.apply(session, id, ['h_2']);
    expect(done.body.applied_files).toEqual([{ file_path: 'm.md', applied_hunks: 2, rejected_hunks: 1 }]);
    expect(await edits.disk('m.md')).toBe('one\ntwo\nthree\nfour\nFIVE, by hand\nsix\nseven\neight\nNINE\n');
  });

  it('decides about many hunks in one request, and takes that back in one', async () => {
    const texts = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`many/${name}.md`, 'one\n-\n-\n-\n-\n-\n-\ntwo\n']),
    );
    await edits.lay(texts);
    const { session, id, job } = await edits.proposed('many', [
      propose(
        ...Object.keys(texts).flatMap((path) => [
          replaceLine(path, 1, 'one', 'ONE'),
          replaceLine(path, 8, 'two', 'TWO'),
        ]),
      ),
    ]);
    const hunk_ids = idsOf(job);
    expect(hunk_ids).toHaveLength(6);
    await edits.post(`/jobs/${id}/review`, { hunk_id: 'h_1', decision: 'reject' });
    const all = await edits.post(`/jobs/${id}/review`, { hunk_ids, decision: 'accept' });
    expect(all.body).toMatchObject({
      review: { accepted: 6 },
      files: [],
      statuses: { h_1: 'accepted', h_6: 'accepted' },
    });
    expect((await edits.job(id)).cursor).toBe(all.body.cursor);
    const undone = await edits.post(`/jobs/${id}/changes`, { file_paths: Object.keys(texts), undo: true });
    expect(undone.body).toMatchObject({
      review: { rejected: 1, pending: 5 },
      statuses: { h_1: 'rejected', h_6: 'pending' },
    });
    const redone = await edits.post(`/jobs/${id}/changes`, { file_paths: Object.keys(texts), redo: true });
    expect(redone.body.review).toMatchObject({ accepted: 6 });
    for (const [body, status] of [
      [{ hunk_ids: ['h_1', 'h_9'], decision: 'accept' }, 404],
      [{ hunk_ids: [], decision: 'accept' }, 400],
      [{ hunk_ids, comment: 'all of them' }, 400],
      [{ hunk_ids, hunk_id: 'h_1', decision: 'accept' }, 400],
    ] as const) {
      expect([body, (await edits.post(`/jobs/${id}/review`, body)).status]).toEqual([body, status]);
    }
    const changes = { file_paths: ['many/a.md', 'none.md'], undo: true };
    expect((await edits.post(`/jobs/${id}/changes`, changes)).status).toBe(404);
    expect((await edits.job(id)).review).toMatchObject({ accepted: 6 });
    await edits.apply(session, id, hunk_ids);
  });

  it('is shown as its log tells it, also where the record of the run is a moment behind', async () => {
    await edits.lay({ 'behind.md': 'a\n' });
    const { id, job } = await edits.proposed('behind', [propose(replaceLine('behind.md', 1, 'a', 'b'))]);
    await nativeCollection<RunRecord>('runs').updateOne({ _id: id }, { $set: { status: 'running' } });
    expect(await edits.job(id)).toEqual(job);
    await edits.post(`/jobs/${id}/cancel`, {});
  });

  it('is told by its events: who follows them sees what who reads the whole job does', async () => {
    await edits.lay({ 'told/a.md': 'one\ntwo\n', 'told/b.md': 'one\n' });
    const { id, job } = await edits.proposed('told', [
      propose(replaceLine('told/a.md', 1, 'one', 'ONE'), replaceLine('told/b.md', 1, 'one', 'ONE')),
    ]);
    let followed: Job = job;
    async function follow(): Promise<void> {
      const { events } = (await edits.get(`/jobs/${id}/events?cursor=${followed.cursor + 1}`)).body;
      const after = afterEvents(followed, events);
      if (!after) throw new Error('the whole job would have to be read');
      const read = after.stale.map(async (path) => (await edits.get(`/jobs/${id}/file?file_path=${path}`)).body);
      followed = withHunks(after.job, await Promise.all(read));
      expect(followed).toEqual(await edits.job(id));
    }
    const change = (body: object) => edits.post(`/jobs/${id}/changes`, body);
    const review = (body: object) => edits.post(`/jobs/${id}/review`, body);
    await review({ hunk_id: 'h_1', decision: 'accept', comment: 'Good.' });
    await review({ hunk_id: 'h_2', comment: 'Why?' });
    await follow();
    await change({ file_path: 'told/a.md', content: 'ONE, by hand\ntwo\n' });
    await change({ file_path: 'told/b.md', content: 'ONE\nand more\n' });
    await follow();
    await review({ hunk_id: 'h_1', decision: 'reject' });
    await follow();
    expect(followed.diff_bundle?.files[0]?.hunks[1]?.blocked, 'by hand, on what is rejected now').not.toBeNull();
    await review({ hunk_ids: ['h_1', 'h_2'], decision: 'accept' });
    await change({ file_path: 'told/a.md', undo: true });
    await change({ file_path: 'told/a.md', redo: true });
    await follow();
    const own = await review({ hunk_ids: ['h_1', 'h_2'], decision: 'pending' });
    expect(afterReply(followed, own.body).job, 'and from the reply alone, to who did it').toEqual(await edits.job(id));
    await edits.post(`/jobs/${id}/cancel`, {});
    await edits.until(id, 'cancelled');
    const { events } = (await edits.get(`/jobs/${id}/events?cursor=${followed.cursor + 1}`)).body;
    expect(afterEvents(followed, events), 'what is no step of the review').toBeNull();
  });

  it('holds a hunk that is too large until it is split or accepted as one', async () => {
    const long = (word: string) => `${`${word} ${'x'.repeat(60)}`.repeat(200)}\n`;
    await edits.lay({ 'big.md': `${long('a')}end\n` });
    const { session, id, job } = await edits.proposed('large', [
      propose({ ...replaceLine('big.md', 1, long('a'), `${long('b')}${long('c')}`) }),
    ]);
    const hunk = job.diff_bundle.files[0].hunks.find((each: Hunk) => each.oversized_hunk);
    expect(hunk).toBeDefined();
    const accept = { hunk_id: hunk.hunk_id, decision: 'accept' };
    const refused = await edits.post(`/jobs/${id}/review`, accept);
    expect([refused.status, refused.body.error]).toEqual([409, 'oversized_hunk']);
    expect((await edits.apply(session, id, idsOf(job))).body.error).toBe('oversized_hunk');
    for (const hunk_id of idsOf(job)) {
      const one = await edits.post(`/jobs/${id}/review`, { hunk_id, decision: 'accept', as_one: true });
      expect(one.status).toBe(200);
    }
    expect((await edits.apply(session, id, idsOf(job))).status).toBe(200);
    expect(await edits.disk('big.md')).toBe(`${long('b')}${long('c')}end\n`);
  });

  it('holds the part of a split hunk that is too large still, and undoes what was decided before the split', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`);
    const text = `${lines.join('\n')}\n`;
    await edits.lay({ 'parts.md': 'a\n' });
    const { id, job } = await edits.proposed('parts', [
      propose({ file_path: 'parts.md', operation: 'insert', start_line: 2, new_text: text }),
    ]);
    const [hunk] = job.diff_bundle.files[0].hunks;
    expect(hunk.oversized_hunk).toBe(true);
    const review = (body: object) => edits.post(`/jobs/${id}/review`, body);
    expect((await review({ hunk_id: hunk.hunk_id, decision: 'reject' })).status).toBe(200);
    const split = await review({ hunk_id: hunk.hunk_id, split_at: { new_lines: 1 } });
    const shown = ({ hunk_id, accepted, oversized_hunk }: Hunk) => [hunk_id, accepted, oversized_hunk];
    const [first, rest] = [`${hunk.hunk_id}.1`, `${hunk.hunk_id}.2`];
    expect(split.body.files[0].hunks.map(shown)).toEqual([
      [first, false, false],
      [rest, false, true],
    ]);
    expect((await review({ hunk_id: rest, decision: 'accept' })).body.error).toBe('oversized_hunk');
    const undone = await edits.post(`/jobs/${id}/changes`, { file_path: 'parts.md', undo: true });
    expect(undone.body.files[0].hunks.map(shown)).toEqual([
      [first, null, false],
      [rest, null, true],
    ]);
  });

  it('that is applied is the last of its job, whatever was said meanwhile: one checkpoint takes all of it back', async () => {
    await edits.lay({ 'once.md': 'a\n', 'twice.md': 'a\n' });
    const { session, id } = await edits.proposed('once', [
      propose(replaceLine('once.md', 1, 'a', 'b')),
      propose(replaceLine('twice.md', 1, 'a', 'b')),
      { text: 'One file was changed.' },
    ]);
    const said = await system.call('POST', `/runs/${id}/message`, { body: { content: 'And the other one.' } });
    expect(said.status).toBe(202);
    expect((await edits.apply(session, id, ['h_1'])).status).toBe(200);
    await edits.until(id, 'completed');
    system.model.assertDone('once');
    expect([await edits.disk('once.md'), await edits.disk('twice.md')]).toEqual(['b\n', 'a\n']);
    const results = (await edits.events(id)).filter(({ type }) => type === 'tool.call.completed');
    expect(results.at(-1)?.data).toMatchObject({ ok: false });
  });

  it('of a hunk that was split decides about its parts', async () => {
    await edits.lay({ 'split.md': 'a\n' });
    const { session, id } = await edits.proposed('split', [
      propose({ file_path: 'split.md', operation: 'insert', start_line: 2, new_text: 'b\nc\n' }),
    ]);
    const split = await edits.post(`/jobs/${id}/review`, { hunk_id: 'h_1', split_at: { new_lines: 1 } });
    expect(split.body.files[0].hunks.map(({ hunk_id }: Hunk) => hunk_id)).toEqual(['h_1.1', 'h_1.2']);
    expect((await edits.apply(session, id, ['h_1'])).status).toBe(400);
    expect((await edits.apply(session, id, ['h_1.2'])).status).toBe(200);
    expect(await edits.disk('split.md')).toBe('a\nc\n');
  });

  it('refuses what it does not know with 4xx, and changes nothing', async () => {
    await edits.lay({ 'r.md': 'a\n' });
    const { session, id } = await edits.proposed('refusals', [propose(replaceLine('r.md', 1, 'a', 'b'))]);
    const cases: [path: string, body: object, status: number][] = [
      [`/jobs/${id}/review`, { hunk_id: 'h_9', decision: 'accept' }, 404],
      [`/jobs/${id}/review`, { file_path: 'other.md', decision: 'accept' }, 404],
      [`/jobs/${id}/review`, { hunk_id: 'h_1' }, 400],
      [`/jobs/${id}/review`, { hunk_id: 'h_1', decision: 'maybe' }, 400],
      [`/jobs/${id}/changes`, { file_path: 'r.md' }, 400],
      [`/jobs/${id}/changes`, { file_path: 'none.md', content: 'x' }, 404],
      [`/jobs/${id}/changes`, { file_path: 'r.md', content: 'a NUL: \0' }, 400],
      [`/jobs/${id}/changes`, { file_path: 'r.md', content: 'half a character: \ud83d' }, 400],
      [`/jobs/${id}/clarify`, { question_id: 'q_1', answer: 'x' }, 404],
      ['/apply', { session_id: session, job_id: id, accepted_hunk_ids: ['h_9'] }, 400],
      ['/apply', { session_id: newId('ses'), job_id: id, accepted_hunk_ids: [] }, 404],
      ['/apply', { session_id: session, job_id: newId('run'), accepted_hunk_ids: [] }, 404],
      ['/run', { session_id: session, instruction: 'another', context_rows: [{ file_path: 'r.md' }] }, 409],
      ['/run', { session_id: newId('ses'), instruction: 'another' }, 404],
    ];
    for (const [path, body, status] of cases) {
      expect([path, body, (await edits.post(path, body)).status]).toEqual([path, body, status]);
    }
    expect((await edits.get(`/sessions/${session}`)).body.context_rows).toEqual([]);
    expect((await edits.job(id)).review).toMatchObject({ hunks: 1, pending: 1 });
    expect((await edits.apply(session, id, [])).body).toMatchObject({ status: 'completed', checkpoint_id: null });
    expect(await edits.disk('r.md')).toBe('a\n');
    expect((await edits.apply(session, id, ['h_1'])).status).toBe(409);
  });

  it('is applied once under one Idempotency-Key', async () => {
    await edits.lay({ 'once.md': 'a\n' });
    const { session, id } = await edits.proposed('once', [propose(replaceLine('once.md', 1, 'a', 'b'))]);
    const headers = { 'idempotency-key': newId('key') };
    const [first, second] = await Promise.all([
      edits.apply(session, id, ['h_1'], { headers }),
      edits.apply(session, id, ['h_1'], { headers }),
    ]);
    expect([first.status, second.status].filter((status) => status === 200).length).toBeGreaterThan(0);
    expect((await edits.apply(session, id, ['h_1'], { headers })).body.status).toBe('completed');
    const types = (await edits.events(id)).map(({ type }) => type);
    expect(types.filter((type) => type === 'apply.completed')).toHaveLength(1);
  });
});

describe('[5] files are kept as they are but for the lines that change', () => {
  it('with BOM, CRLF and mixed line ends, no final newline, and their mode', async () => {
    const files = {
      'e/bom.md': '\uFEFFone\r\ntwo\r\n',
      'e/crlf.md': 'one\r\ntwo\r\nthree',
      'e/mixed.md': 'one\r\ntwo\nthree\r\n',
      'e/none.md': 'one\ntwo',
    };
    await edits.lay(files);
    await chmod(edits.at('e/none.md'), 0o750);
    const two = (path: string) => replaceLine(path, 2, 'two', 'TWO');
    const { session, id, job } = await edits.proposed('encodings', [propose(...Object.keys(files).map(two))]);
    expect((await edits.apply(session, id, idsOf(job))).status).toBe(200);
    for (const [path, text] of Object.entries(files)) {
      expect([path, await readFile(edits.at(path), 'utf8')]).toEqual([path, text.replace('two', 'TWO')]);
    }
    expect((await stat(edits.at('e/none.md'))).mode & 0o777).toBe(0o750);
  });

  it.each([
    ['binary', 'is a binary file'],
    ['latin1', 'is not UTF-8 text'],
    ['folder', 'is not a file'],
    ['link', 'is a link'],
    ['large', 'over 10 MB'],
  ])('and what is %s is refused with a clear reason', async (what, reason) => {
    const path = `odd-${what}.md`;
    if (what === 'binary') await writeFile(edits.at(path), Buffer.from([97, 0, 98, 10]));
    if (what === 'latin1') await writeFile(edits.at(path), Buffer.from([0xe9, 10]));
    if (what === 'folder') await mkdir(edits.at(path), { recursive: true });
    if (what === 'link') await symlink('notes.md', edits.at(path));
    if (what === 'large') await writeFile(edits.at(path), Buffer.alloc(10 * 1024 * 1024 + 1, 97));
    const script = `odd-${what}`;
    system.model.script(script, [propose(replaceLine(path, 1, 'a', 'b')), { text: 'I cannot.' }]);
    const id = await edits.start(await edits.open(), script);
    const job = await edits.until(id, 'completed');
    expect(job.review).toBeNull();
    expect(told(script, 1)).toContain(reason);
  });
});

describe('[5] a job', () => {
  it('asks one question at a time, for ever, and is told no_user_answer where it is skipped', async () => {
    const ask = (question: string) => ({ name: 'clarify_user', arguments: { question } });
    system.model.script('asks', [{ tool_calls: [ask('First?'), ask('Second?')] }, { text: 'Fine.' }]);
    const id = await edits.start(await edits.open(), 'asks');
    const first = await edits.until(id, 'waiting_for_user');
    expect(first.question).toMatchObject({ question: 'First?' });
    const asked = async () => (await edits.events(id)).filter(({ type }) => type === 'clarification.requested');
    expect(await asked()).toHaveLength(1);
    const { question_id } = first.question;
    expect((await edits.post(`/jobs/${id}/clarify`, { question_id, skip: true })).status).toBe(202);
    await expect.poll(async () => (await edits.job(id)).question?.question).toBe('Second?');
    const second = (await edits.job(id)).question.question_id;
    await edits.post(`/jobs/${id}/clarify`, { question_id: second, answer: 'Use concise headings only' });
    await edits.until(id, 'completed');
    expect(told('asks', 1)).toContain('no_user_answer');
    expect(told('asks', 1)).toContain('Use concise headings only');
    expect((await edits.events(id)).map(({ type }) => type)).toContain('clarification.received');
  });

  it('makes as many tool calls as it may, then is told to propose now', async () => {
    await edits.lay({ 'lim.md': 'a\n' });
    const list = { name: 'list_files', arguments: {} };
    system.model.script('limit', [
      { tool_calls: [list, list] },
      { tool_calls: [list, list] },
      propose(replaceLine('lim.md', 1, 'a', 'b')),
    ]);
    const id = await edits.start(await edits.open(), 'limit', { tool_config: { max_tool_calls: 3 } });
    const job = await edits.until(id, 'awaiting_review');
    expect([job.tool_calls, job.max_tool_calls]).toEqual([3, 3]);
    const calls = (await edits.events(id)).filter(({ type }) => type === 'tool.call.completed');
    expect(calls.map(({ data }) => data.ok)).toEqual([true, true, true, false]);
    expect(calls[0]?.data).toMatchObject({ tool: 'list_files', result_count: expect.any(Number) });
    expect(told('limit', 2)).toContain('propose now');
    await edits.post(`/jobs/${id}/cancel`, {});
  });

  it('fails after five proposals that cannot be made', async () => {
    await edits.lay({ 'bad.md': 'a\n' });
    system.model.script(
      'hopeless',
      Array.from({ length: 6 }, () => propose(replaceLine('bad.md', 1, 'no', 'b'))),
    );
    const id = await edits.start(await edits.open(), 'hopeless');
    const job = await edits.until(id, 'failed');
    expect(job.error.code).toBe('invalid_edits');
    expect((await edits.events(id)).map(({ type }) => type)).toContain('job.failed');
    system.model.assertDone('hopeless');
  });

  it('that has ended is begun anew by rerun, with what was said about it', async () => {
    await edits.lay({ 'again.md': 'a\n' });
    const { session, id } = await edits.proposed('ended', [
      propose(replaceLine('again.md', 1, 'a', 'b')),
      { text: 'Nothing more.' },
    ]);
    await edits.post(`/jobs/${id}/review`, { hunk_id: 'h_1', decision: 'reject', comment: 'Rather c.' });
    await edits.apply(session, id, []);
    const next = await edits.post(`/jobs/${id}/rerun`, {});
    expect([next.status, next.body.job_id === id]).toEqual([202, false]);
    const again = await edits.until(next.body.job_id, 'completed');
    expect(again.instruction).toContain('Rather c.');
    expect(again.instruction).toContain('Do it.');
    const shown = (await edits.get(`/sessions/${session}`)).body;
    expect(shown.jobs.map(({ job_id }: { job_id: string }) => job_id)).toEqual([next.body.job_id, id]);
    expect(shown.last_job_id).toBe(next.body.job_id);
    expect(shown.chat.map(({ role }: { role: string }) => role)).toContain('tool');
  });

  it('never has a tool that writes, whatever its agent has', async () => {
    const agent = await createAgent(system.caller, {
      ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, name: 'All', can_delete: true }),
      id: newId('agt'),
    });
    system.model.script('tools', [
      { tool_calls: [{ name: 'write_file', arguments: { path: '/x', content: 'x' } }] },
      { text: 'No.' },
    ]);
    const id = await edits.start(await edits.open({ agent_id: agent.id }), 'tools');
    await edits.until(id, 'completed');
    const request = system.model.callsOf('tools', 0)[0]?.request as { tools?: { function: { name: string } }[] };
    const names = request.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toContain('propose_edits');
    for (const name of ['write_file', 'create_file', 'delete_file', 'update_file_properties']) {
      expect(names).not.toContain(name);
    }
    expect(told('tools', 1)).toContain('unknown_tool');
  });
});

describe('[1] who may', () => {
  it('a reader proposes nothing; a member sees and may not decide; a stranger sees nothing', async () => {
    await edits.lay({ 'who.md': 'a\n' });
    const { session, id } = await edits.proposed('who', [propose(replaceLine('who.md', 1, 'a', 'b'))]);
    const member = { token: await system.member('write') };
    const stranger = { token: await system.foreigner() };
    expect((await edits.get(`/jobs/${id}`, member)).status).toBe(200);
    const decision = { hunk_id: 'h_1', decision: 'accept' };
    expect((await edits.post(`/jobs/${id}/review`, decision, member)).status).toBe(403);
    expect((await edits.apply(session, id, ['h_1'], member)).status).toBe(403);
    expect((await edits.post(`/jobs/${id}/rerun`, {}, member)).status).toBe(403);
    for (const path of [
      `/jobs/${id}`,
      `/jobs/${id}/events`,
      `/jobs/${id}/file?file_path=who.md`,
      `/sessions/${session}`,
    ]) {
      expect([path, (await edits.get(path, stranger)).status]).toEqual([path, 404]);
    }
    for (const [path, body] of [
      [`/jobs/${id}/review`, decision],
      [`/jobs/${id}/changes`, { file_path: 'who.md', content: 'x\n' }],
      [`/jobs/${id}/cancel`, undefined],
      ['/apply', { session_id: session, job_id: id, accepted_hunk_ids: [] }],
      ['/run', { session_id: session, instruction: 'x' }],
    ] as const) {
      const answer = await system.call('POST', `${AGENT_API}${path}`, { ...(body ? { body } : {}), ...stranger });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await edits.job(id)).review).toMatchObject({ pending: 1 });
    await edits.post(`/jobs/${id}/cancel`, {});

    const reader = { token: await system.member('read') };
    system.model.script('reader', [propose(replaceLine('who.md', 1, 'a', 'b')), { text: 'I may not.' }]);
    const own = await edits.post('/sessions', { notebook_id: system.notebook.id }, reader);
    const body = { session_id: own.body.session_id, instruction: '[script:reader] Do it.' };
    const started = await edits.post('/run', body, reader);
    await edits.until(started.body.job_id, 'completed');
    expect(told('reader', 1)).toContain('unknown_tool');
  });

  it('who may only read by now has nothing applied, also where an apply of the same job came to a conflict before', async () => {
    await edits.lay({ 'late.md': 'a\n' });
    const writer = await newMember(system.caller, system.workspace.id, 'write');
    const token = await newKey(writer);
    system.model.script('late', [propose(replaceLine('late.md', 1, 'a', 'b'))]);
    const session_id = (await edits.post('/sessions', { notebook_id: system.notebook.id }, { token })).body.session_id;
    const body = { session_id, instruction: '[script:late] Do it.' };
    const id = (await edits.post('/run', body, { token })).body.job_id;
    await edits.until(id, 'awaiting_review');
    await edits.lay({ 'late.md': 'other\n' });
    expect((await edits.apply(session_id, id, ['h_1'], { token })).body.error).toBe('conflict');
    await edits.lay({ 'late.md': 'a\n' });
    await changeRole(system.caller, system.workspace.id, writer.user_id, 'read');
    const refused = await edits.apply(session_id, id, ['h_1']);
    expect(refused.body).toMatchObject({ error: 'scope_violation', message: expect.stringContaining('may only read') });
    expect(await edits.disk('late.md')).toBe('a\n');
    await edits.post(`/jobs/${id}/cancel`, {});
  });
});
