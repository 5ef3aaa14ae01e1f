import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPurge } from '../../activities/retention.ts';
import { EDIT_LIMITS } from '../../domain/edits/limits.ts';
import type { PurgeInput } from '../../domain/retention.ts';
import { claimPosition, keepPosition } from '../../store/audit-position.ts';
import { nativeCollection } from '../../store/connection.ts';
import { newId } from '../../store/ids.ts';
import type { RunRecord } from '../../store/run-record.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import { editing, propose, replaceLine } from '../edit-jobs.ts';
import { type Served, startServed } from '../served-system.ts';

const HOUR = 3_600_000;
const BEGIN: PurgeInput = { v: 1, place: null };
let system: Served;
let edits: ReturnType<typeof editing>;
beforeAll(async () => {
  system = await startServed();
  edits = editing(system);
  await claimPosition('test', 60_000);
  // As the process leaves it that writes the audit log, which is far ahead of everything here.
  await keepPosition('test', { token: null, upto: new Date(Date.now() + 365 * 24 * HOUR) }, 60_000);
});
afterAll(() => system.stop());

const runs = () => nativeCollection<RunRecord>('runs');
const sessions = () => nativeCollection<SessionRecord>('sessions');
const purge = (limits: Partial<typeof EDIT_LIMITS> = {}) =>
  new MockActivityEnvironment().run(
    createPurge({
      keepRunsMs: null,
      snapshotsDir: `${system.home}/snapshots`,
      editLimits: { ...EDIT_LIMITS, ...limits },
    }),
    BEGIN,
  );
const age = async (session: string, hours: number) => {
  const at = new Date(Date.now() - hours * HOUR);
  await sessions().updateOne({ _id: session }, { $set: { updated_at: at } });
  await runs().updateMany({ conversation_id: session, completed_at: { $ne: null } }, { $set: { completed_at: at } });
};
const isThere = async (path: string) => (await edits.get(path)).status === 200;

/** A session with a job that was applied. */
async function applied(name: string) {
  await edits.lay({ [`${name}.md`]: 'a\n' });
  const { session, id } = await edits.proposed(name, [propose(replaceLine(`${name}.md`, 1, 'a', 'b'))]);
  const { body } = await edits.apply(session, id, ['h_1']);
  return { session, id, checkpoint: body.checkpoint_id as string };
}

/** A job of the session as its record tells it, from so many hours ago. */
async function recorded(session: string, like: string, hours: number, more: Partial<RunRecord> = {}): Promise<string> {
  const found = await runs().findOne({ _id: like });
  if (!found) throw new Error('there is no such job');
  const at = new Date(Date.now() - hours * HOUR);
  const _id = newId('run');
  const own = { _id, root_run_id: _id, line: [_id], conversation_id: session };
  await runs().insertOne({ ...found, ...own, created_at: at, completed_at: at, ...more });
  return _id;
}

describe('[5] the clean-up of edits', () => {
  it('takes a session 72 hours after its last job ended, with what its jobs had; what was applied can still be taken back', async () => {
    const { session, id, checkpoint } = await applied('expired');
    await age(session, 71);
    await purge();
    expect(await isThere(`/jobs/${id}`)).toBe(true);
    await age(session, 73);
    await purge();
    expect([await isThere(`/jobs/${id}`), await isThere(`/sessions/${session}`)]).toEqual([false, false]);
    expect(await nativeCollection('proposals').countDocuments({ run: id })).toBe(0);
    expect(await isThere(`/checkpoints/${checkpoint}`)).toBe(true);
    const back = await edits.post(`/checkpoints/${checkpoint}/rollback`, { mode: 'hard_all' });
    expect(back.body.state).toBe('buffer');
    expect((await edits.post(`/checkpoints/${checkpoint}/save`, {})).status).toBe(200);
    expect(await edits.disk('expired.md')).toBe('a\n');
  });

  it('never takes what waits for a person, however long', async () => {
    await edits.lay({ 'waits.md': 'a\n' });
    const { session, id } = await edits.proposed('waits', [propose(replaceLine('waits.md', 1, 'a', 'b'))]);
    await age(session, 10_000);
    await purge({ max_sessions: 1, max_jobs_per_session: 1 });
    expect((await edits.job(id)).status).toBe('awaiting_review');
    expect((await edits.apply(session, id, ['h_1'])).body.status).toBe('completed');
  });

  it('keeps 40 jobs of a session and 25 sessions of a user: the oldest that have ended go', async () => {
    const { session, id } = await applied('many');
    const older = await recorded(session, id, 3);
    const oldest = await recorded(session, id, 4);
    const open = await recorded(session, id, 5, { status: 'running', completed_at: null });
    await purge({ max_jobs_per_session: 2 });
    expect(await Promise.all([older, oldest, open].map((each) => runs().countDocuments({ _id: each })))).toEqual([
      1, 0, 1,
    ]);
    await runs().deleteOne({ _id: open });

    const newer = await edits.open();
    await purge({ max_sessions: 1 });
    expect([await isThere(`/sessions/${newer}`), await isThere(`/sessions/${session}`)]).toEqual([true, false]);
  });

  it('of the events of a job that has ended the last 3,000 are given, and it says where they begin', async () => {
    const { id } = await applied('trimmed');
    const all = (await edits.get(`/jobs/${id}/events?cursor=0`)).body;
    expect([all.first_cursor, all.events[0].cursor]).toEqual([1, 1]);
    system.commands.limits.max_events_per_job = 5;
    const few = (await edits.get(`/jobs/${id}/events?cursor=1`)).body;
    system.commands.limits.max_events_per_job = EDIT_LIMITS.max_events_per_job;
    expect(few.first_cursor).toBe(all.events.length - 4);
    expect(few.events).toEqual(all.events.slice(-5));
    expect(few.next_cursor).toBe(all.next_cursor);
  });
});
