import type { EditLimits } from '../domain/edits/limits.ts';
import { ENDED_STATUSES } from '../domain/run.ts';
import {
  dropEditSession,
  type EndedJob,
  editSessionsAfter,
  jobsInSession,
  newerEditSessions,
} from '../store/edit-retention.ts';
import { type Leaving, purgeTree } from '../store/run-purge.ts';
import type { SessionRecord } from '../store/sessions.ts';

const BATCH = 50;

export interface EditPurge {
  limits: EditLimits;
  /** What ended after this stays, whatever the limits say: the audit log has not read it yet. */
  audited: Date;
  /** Ended before this, it has had its time. */
  expired: Date;
  release: (run: Leaving) => Promise<void>;
}

const endedBefore = ({ status, completed_at }: EndedJob, before: Date): boolean =>
  (ENDED_STATUSES as string[]).includes(status) && completed_at !== null && completed_at < before;

/**
 * Of one session: what has had its time, and what is too much. Only what has ended is ever taken; the newest job stays
 * as long as its session does, since the next one goes on from it.
 */
async function purgeSession(session: SessionRecord, { limits, audited, expired, release }: EditPurge): Promise<number> {
  const jobs = await jobsInSession(session._id);
  const isOver = jobs.every((job) => endedBefore(job, audited));
  const isExpired = session.updated_at < expired && jobs.every((job) => endedBefore(job, expired));
  const isTooMany = isOver && (await newerEditSessions(session)) >= limits.max_sessions;
  if ((isExpired || isTooMany) && (await dropEditSession(session))) {
    let purged = 1;
    for (const { _id } of jobs) purged += (await purgeTree(_id, audited, release, { alone: true })) ?? 0;
    return purged;
  }
  let purged = 0;
  for (const [index, job] of jobs.entries()) {
    if (index === 0) continue;
    const goes = endedBefore(job, expired) || (index >= limits.max_jobs_per_session && endedBefore(job, audited));
    if (goes) purged += (await purgeTree(job._id, audited, release, { alone: true })) ?? 0;
  }
  return purged;
}

export async function purgeEdits(
  after: string | null,
  purge: EditPurge,
): Promise<{ purged: number; after: string | null }> {
  const sessions = await editSessionsAfter(after, BATCH);
  let purged = 0;
  for (const session of sessions) purged += await purgeSession(session, purge);
  return { purged, after: sessions.length < BATCH ? null : (sessions.at(-1)?._id ?? null) };
}
