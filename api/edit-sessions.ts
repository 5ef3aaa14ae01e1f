import { brief } from '../domain/brief.ts';
import { inputText } from '../domain/conversation.ts';
import type { EditLimits } from '../domain/edits/limits.ts';
import { summaryOf } from '../domain/edits/review-state.ts';
import type { EditContextRow, EditSession, EditSessionSummary } from '../domain/edits/wire.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { openReviews } from '../domain/open-calls.ts';
import { type ContextRow, UNTITLED } from '../domain/session.ts';
import { jobsOf } from '../store/edit-runs.ts';
import { RunLog } from '../store/event-log.ts';
import { entriesOfKinds } from '../store/log-reading.ts';
import type { RunRecord } from '../store/run-record.ts';
import { findSession, type SessionRecord } from '../store/sessions.ts';
import { jobSummary } from './edit-jobs.ts';

/** Newest jobs of a session whose words are shown with it. */
const SHOWN_JOBS = 20;

/** A session whose runs are jobs; a conversation is not there for who asks for one. */
export async function findEditSession(caller: Caller, id: string): Promise<SessionRecord> {
  const session = await findSession(caller, id);
  if (session.kind !== 'edits') throw new Failure('not_found', `There is no session ${id} that you can see.`, { id });
  return session;
}

/** As runs are given it: the file is read anew, and held against what the user saw. */
export const pinnedRow = ({ file_path, start_line, end_line, content, note }: EditContextRow): ContextRow => ({
  path: file_path,
  ...(start_line === undefined ? {} : { start_line }),
  ...(end_line === undefined ? {} : { end_line }),
  ...(content === undefined ? {} : { content }),
  ...(note === undefined ? {} : { note }),
});

export const sessionSummary = (session: SessionRecord): EditSessionSummary => ({
  id: session._id,
  session_id: session._id,
  status: session.archived ? 'archived' : 'active',
  title: session.title ?? UNTITLED,
  notebook_id: session.notebook_id ?? '',
  agent_id: session.agent_id,
  agent_name: session.agent_name,
  user_id: session.user_id,
  created_at: session.created_at.toISOString(),
  updated_at: session.updated_at.toISOString(),
  last_job_id: session.run_id,
});

const SPOKEN: Fact['kind'][] = ['answered', 'message_received', 'tool_finished'];
const TOOL_CHARS = 200;

async function chatOf(run: RunRecord): Promise<EditSession['chat']> {
  const job_id = run._id;
  const first = { id: `${job_id}:0`, role: 'user' as const, content: inputText(run.input), job_id };
  const entries = await entriesOfKinds(job_id, SPOKEN);
  const later = entries.flatMap(({ facts, at, n }) =>
    facts.flatMap((fact, index): EditSession['chat'] => {
      const about = { job_id, created_at: at };
      if (fact.kind === 'message_received')
        return [{ id: fact.message_id, role: 'user', content: fact.content, ...about }];
      if (fact.kind === 'tool_finished') {
        const went = fact.ok ? 'done' : (fact.error?.message ?? 'failed');
        const content = `${fact.name}${fact.target ? ` ${fact.target}` : ''}: ${brief(went).slice(0, TOOL_CHARS)}`;
        return [{ id: `${job_id}:${n}:${index}`, role: 'tool', content, ...about }];
      }
      if (fact.kind !== 'answered' || fact.purpose || fact.text === '') return [];
      return [{ id: `${job_id}:${fact.turn}`, role: 'assistant', content: fact.text, ...about }];
    }),
  );
  return [{ ...first, created_at: run.created_at.toISOString() }, ...later];
}

export async function sessionView(caller: Caller, session: SessionRecord, limits: EditLimits): Promise<EditSession> {
  const jobs = await jobsOf(caller, session._id);
  const shown = jobs.slice(0, SHOWN_JOBS).reverse();
  const latest = jobs[0];
  const { state } = latest
    ? await RunLog.open({ run_id: latest._id, workspace_id: latest.workspace_id })
    : { state: null };
  const [review] = state ? openReviews(state) : [];
  return {
    ...sessionSummary(session),
    chat: (await Promise.all(shown.map(chatOf))).flat(),
    context_rows: session.edit_rows ?? [],
    pending_review: review && latest ? summaryOf(review, latest._id) : null,
    jobs: jobs.map(jobSummary),
    poll_interval_ms: limits.poll_interval_ms,
  };
}
