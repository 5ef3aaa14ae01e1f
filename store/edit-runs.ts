import type { Caller } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';
import { RunModel, type RunRecord } from './run-record.ts';
import type { SessionRecord } from './sessions.ts';
import { boundedBy } from './tenancy.ts';

const MOST_JOBS = 1000;

/** The jobs of a session of edits, newest first. */
export const jobsOf = (caller: Caller, session: string): Promise<RunRecord[]> =>
  RunModel.find(
    { ...boundedBy(caller), conversation_id: session, relation: null },
    { agent: 0, delegates: 0, output: 0 },
  )
    .sort({ created_at: -1, _id: -1 })
    .limit(MOST_JOBS)
    .lean<RunRecord[]>();

/** Of the caller's own. */
export const countEditSessions = ({ org_id, user_id }: Caller): Promise<number> =>
  nativeCollection<SessionRecord>('sessions').countDocuments({ kind: 'edits', org_id, user_id });
