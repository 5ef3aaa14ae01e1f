import { inputText } from '../domain/conversation.ts';
import type { Fact } from '../domain/facts.ts';
import type { Caller } from '../domain/identity.ts';
import { type Session, type SessionMessage, type SessionSummary, UNTITLED } from '../domain/session.ts';
import { entriesOfKinds } from './log-reading.ts';
import { RunModel, type RunRecord, toRun } from './run-record.ts';
import { currentRun } from './runs.ts';
import type { SessionRecord } from './sessions.ts';
import { boundedBy } from './tenancy.ts';

/** Newest runs of a session whose words are shown with it. */
const SHOWN_RUNS = 50;

interface Sum {
  _id: string;
  tokens: number;
  calls: number;
  files: string[][];
  started_at: Date | null;
}

/** What all runs of each session have come to, those below them included. */
async function sums(caller: Caller, ids: string[]): Promise<Map<string, Sum>> {
  const found = await RunModel.aggregate<Sum>([
    { $match: { ...boundedBy(caller), conversation_id: { $in: ids } } },
    { $sort: { created_at: 1, _id: 1 } },
    {
      $group: {
        _id: '$conversation_id',
        tokens: { $sum: '$tokens_used' },
        calls: { $sum: '$iterations_used' },
        files: { $push: '$files_modified' },
        started_at: { $min: '$started_at' },
      },
    },
  ]);
  return new Map(found.map((sum) => [sum._id, sum]));
}

function summary(session: SessionRecord, latest: RunRecord | null, sum: Sum | undefined): SessionSummary {
  const { _id, org_id: _org, opening, title, created_at, updated_at, kind: _kind, edit_rows: _rows, ...rest } = session;
  return {
    ...rest,
    id: _id,
    session_id: _id,
    title: title ?? UNTITLED,
    // Accepted, and about to be begun: it is on its way like one that nobody has carried yet.
    status: latest?.status ?? (opening ? 'queued' : 'pending'),
    tokens_used: sum?.tokens ?? 0,
    api_calls_made: sum?.calls ?? 0,
    files_modified: [...new Set((sum?.files ?? []).flat())],
    allowed_tools: latest?.allowed_tools ?? [],
    error_message: latest?.error?.message ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    started_at: sum?.started_at?.toISOString() ?? null,
    completed_at: latest?.completed_at?.toISOString() ?? null,
  };
}

export async function summariesOf(caller: Caller, sessions: SessionRecord[]): Promise<SessionSummary[]> {
  const runs = sessions.flatMap(({ run_id }) => run_id ?? []);
  const [sumOf, latest] = await Promise.all([
    sums(
      caller,
      sessions.map(({ _id }) => _id),
    ),
    RunModel.find({ ...boundedBy(caller), _id: { $in: runs } }, { agent: 0, input: 0, output: 0 }).lean<RunRecord[]>(),
  ]);
  const byId = new Map(latest.map((run) => [run._id, run]));
  return sessions.map((session) => summary(session, byId.get(session.run_id ?? '') ?? null, sumOf.get(session._id)));
}

const SPOKEN: Fact['kind'][] = ['answered', 'message_received'];

/** What was said in a run, from its input on. */
async function messagesOf(run: RunRecord): Promise<SessionMessage[]> {
  const about = { run_id: run._id, pending_actions: [] };
  const said = (id: string, role: SessionMessage['role'], content: string, created_at: string): SessionMessage => ({
    id,
    role,
    content,
    ...about,
    created_at,
  });
  const entries = await entriesOfKinds(run._id, SPOKEN);
  const later = entries.flatMap(({ facts, at }) =>
    facts.flatMap((fact) => {
      if (fact.kind === 'message_received') return [said(fact.message_id, 'user', fact.content, at)];
      if (fact.kind !== 'answered' || fact.purpose) return [];
      return [said(`${run._id}:${fact.turn}`, 'assistant', fact.text, at)];
    }),
  );
  return [said(`${run._id}:0`, 'user', inputText(run.input), run.created_at.toISOString()), ...later];
}

/** The session with what was said in it, and never behind what an event of its latest run has told already. */
export async function viewOf(caller: Caller, session: SessionRecord): Promise<Session> {
  const roots = { ...boundedBy(caller), conversation_id: session._id, relation: null };
  const newest = await RunModel.find(roots, { agent: 0, delegates: 0, output: 0 })
    .sort({ created_at: -1, _id: -1 })
    .limit(SHOWN_RUNS)
    .lean<RunRecord[]>();
  const runs = newest.reverse();
  const isThere = runs.some(({ _id }) => _id === session.run_id);
  const latest = session.run_id && isThere ? await currentRun(caller, session.run_id) : null;
  const { pending_actions, pending_questions } = latest
    ? toRun(latest)
    : { pending_actions: [], pending_questions: [] };
  // After the latest was brought up to its log: the sums are those of the records.
  const [sumOf, said] = await Promise.all([sums(caller, [session._id]), Promise.all(runs.map(messagesOf))]);
  const messages = said.flat();
  const asking = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    ...summary(session, latest, sumOf.get(session._id)),
    // An answer without words is shown only where it asks for something.
    messages: messages
      .map((message, index) => (index === asking ? { ...message, pending_actions } : message))
      .filter(({ content, pending_actions }) => content !== '' || pending_actions.length > 0),
    pending_actions,
    pending_questions,
  };
}
