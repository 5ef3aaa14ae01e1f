import mongoose from 'mongoose';
import type { Agent } from '../domain/agent.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { Run, RunStatus, Trigger } from '../domain/run.ts';
import {
  iterationsUsed,
  openActions,
  openQuestions,
  type RunState,
  statusOf,
  unconfirmedCalls,
} from '../domain/run-state.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { entriesAfter, RunLog } from './event-log.ts';
import { boundedBy, visibleWorkspaces } from './tenancy.ts';

/** The record of a run: what lists and pages show. A projection of its log, never ahead of it. */
export interface RunRecord extends Omit<Run, 'id' | 'created_at' | 'started_at' | 'completed_at' | 'retry_at'> {
  _id: string;
  /** The definition as it was when the run began: later versions do not reach it. */
  agent: Agent;
  /** Slot of the log this record tells of; an older projection never overwrites a newer one. */
  log_n: number;
  /** Set while the workflow may not have been told of the newest answer; the reconciler tells it. */
  wake_since: Date | null;
  checked_at: Date;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  retry_at: Date | null;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<RunRecord>(
  {
    _id: String,
    workspace_id: String,
    org_id: String,
    agent_id: String,
    agent_name: String,
    agent_version: Number,
    agent: mixed,
    notebook_id: String,
    trigger_type: String,
    trigger_source: String,
    caller_user_id: String,
    caller_name: String,
    status: String,
    input: mixed,
    output: mixed,
    error: mixed,
    llm_model: String,
    iterations_used: Number,
    tokens_used: Number,
    tokens: mixed,
    unconfirmed_calls: Number,
    budget_max_iterations: Number,
    budget_max_tokens: Number,
    parent_run_id: String,
    relation: String,
    pending_actions: mixed,
    pending_questions: mixed,
    duration_ms: Number,
    log_n: Number,
    wake_since: Date,
    checked_at: Date,
    retry_at: Date,
    created_at: Date,
    started_at: Date,
    completed_at: Date,
  },
  { collection: 'runs', versionKey: false, minimize: false },
);
schema.index({ org_id: 1, workspace_id: 1, created_at: -1, _id: -1 });
schema.index({ org_id: 1, status: 1, created_at: -1 });
schema.index({ wake_since: 1 }, { partialFilterExpression: { wake_since: { $type: 'date' } } });
schema.index({ status: 1, checked_at: 1 });
const RunModel = mongoose.model<RunRecord>('Run', schema);
export const runCollection = () => nativeCollection<RunRecord>('runs');

export interface NewRun {
  id: string;
  agent: Agent;
  notebook_id: string | null;
  trigger_type: Trigger;
  trigger_source: string;
  input: unknown;
  budget: { max_iterations: number; max_tokens: number };
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function insertRun(caller: Caller, run: NewRun): Promise<RunRecord> {
  const now = new Date();
  const record: RunRecord = {
    _id: run.id,
    workspace_id: run.agent.workspace_id,
    org_id: caller.org_id,
    agent_id: run.agent.id,
    agent_name: run.agent.name,
    agent_version: run.agent.version,
    agent: run.agent,
    notebook_id: run.notebook_id,
    trigger_type: run.trigger_type,
    trigger_source: run.trigger_source,
    caller_user_id: caller.user_id,
    caller_name: caller.name,
    status: 'queued',
    input: run.input,
    output: null,
    error: null,
    llm_model: run.agent.model,
    iterations_used: 0,
    tokens_used: 0,
    tokens: { input: 0, output: 0, cached: 0 },
    unconfirmed_calls: 0,
    budget_max_iterations: run.budget.max_iterations,
    budget_max_tokens: run.budget.max_tokens,
    parent_run_id: null,
    relation: null,
    pending_actions: [],
    pending_questions: [],
    duration_ms: null,
    log_n: 0,
    wake_since: null,
    checked_at: now,
    retry_at: null,
    created_at: now,
    started_at: null,
    completed_at: null,
  };
  try {
    await runCollection().insertOne(record);
    return record;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return findRun(caller, run.id);
  }
}

export async function findRun(caller: Caller, id: string): Promise<RunRecord> {
  const found = await RunModel.findOne({ _id: id, ...boundedBy(caller) }).lean<RunRecord>();
  if (!found) throw new Failure('not_found', `There is no run ${id}.`, { id });
  return found;
}

/** Facts after which a record that has not heard of them would tell something untrue. */
const TELLING: ReadonlySet<Fact['kind']> = new Set([
  'started',
  'action_pending',
  'action_decided',
  'question_asked',
  'question_answered',
  'ended',
]);

/** The record, and never behind what an event of the run has told already. */
export async function currentRun(caller: Caller, id: string): Promise<RunRecord> {
  const run = await findRun(caller, id);
  const unheard = await entriesAfter(id, run.log_n);
  if (!unheard.some((entry) => entry.facts.some((fact) => TELLING.has(fact.kind)))) return run;
  await projectRun(await RunLog.open({ run_id: id, workspace_id: run.workspace_id }));
  return findRun(caller, id);
}

export interface RunFilter {
  workspace_id?: string;
  agent_id?: string;
  trigger_type?: Trigger;
  caller_user_id?: string;
  status?: RunStatus[];
  from?: Date;
  to?: Date;
}

export interface RunPage {
  items: RunRecord[];
  next_cursor: string | null;
}

const readCursor = (cursor: string): { at: Date; id: string } => {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split('|');
  const date = new Date(Number(at));
  if (!id || Number.isNaN(date.getTime()))
    throw new Failure('invalid_request', 'The cursor is not one of ours.', { cursor });
  return { at: date, id };
};

export async function listRuns(
  caller: Caller,
  filter: RunFilter,
  page: { limit: number; cursor?: string; sort: 'newest' | 'oldest' },
): Promise<RunPage> {
  const order = page.sort === 'newest' ? -1 : 1;
  const beyond = order === -1 ? '$lt' : '$gt';
  const bound = boundedBy(caller, filter.workspace_id);
  const where: mongoose.QueryFilter<RunRecord> = {
    ...bound,
    ...(filter.agent_id ? { agent_id: filter.agent_id } : {}),
    ...(filter.trigger_type ? { trigger_type: filter.trigger_type } : {}),
    ...(filter.caller_user_id ? { caller_user_id: filter.caller_user_id } : {}),
    ...(filter.status ? { status: { $in: filter.status } } : {}),
    ...(filter.from || filter.to
      ? { created_at: { ...(filter.from ? { $gte: filter.from } : {}), ...(filter.to ? { $lt: filter.to } : {}) } }
      : {}),
  };
  if (page.cursor) {
    const { at, id } = readCursor(page.cursor);
    where.$or = [{ created_at: { [beyond]: at } }, { created_at: at, _id: { [beyond]: id } }];
  }
  const items = await RunModel.find(where, { agent: 0 })
    .sort({ created_at: order, _id: order })
    .limit(page.limit + 1)
    .lean<RunRecord[]>();
  const last = items.length > page.limit ? items[page.limit - 1] : undefined;
  return {
    items: items.slice(0, page.limit),
    next_cursor: last ? Buffer.from(`${last.created_at.getTime()}|${last._id}`).toString('base64url') : null,
  };
}

/** Runs of the caller's workspaces that wait for a person. */
export const waitingRuns = (caller: Caller): Promise<RunRecord[]> =>
  RunModel.find(
    { ...visibleWorkspaces(caller), status: { $in: ['awaiting_confirmation', 'waiting_for_user'] } },
    { agent: 0 },
  )
    .sort({ created_at: 1 })
    .limit(500)
    .lean<RunRecord[]>();

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export function toRun(record: RunRecord): Run {
  const { _id, agent: _agent, log_n: _n, wake_since: _wake, checked_at: _checked, ...rest } = record;
  return {
    ...rest,
    id: _id,
    created_at: record.created_at.toISOString(),
    started_at: iso(record.started_at),
    completed_at: iso(record.completed_at),
    retry_at: iso(record.retry_at),
  };
}

function projection(state: RunState): Partial<RunRecord> {
  const startedAt = state.started_at ? new Date(state.started_at) : null;
  const endedAt = state.ended ? new Date(state.ended.at) : null;
  return {
    status: statusOf(state),
    output: state.ended?.output ?? null,
    error: state.ended?.error ?? null,
    iterations_used: iterationsUsed(state),
    tokens_used: state.usage.input + state.usage.output,
    tokens: state.usage,
    unconfirmed_calls: unconfirmedCalls(state),
    pending_actions: openActions(state).flatMap(({ action, asked_at }) =>
      action
        ? [
            {
              id: action.action_id,
              type: action.tool,
              path: action.path,
              arguments: action.arguments,
              requires_confirmation: true as const,
              preview: action.preview,
              digest: action.digest,
              created_at: asked_at ?? '',
            },
          ]
        : [],
    ),
    pending_questions: openQuestions(state).flatMap(({ question, asked_at }) =>
      question ? [{ id: question.question_id, question: question.question, created_at: asked_at ?? '' }] : [],
    ),
    started_at: startedAt,
    completed_at: endedAt,
    duration_ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
  };
}

/** Brings the record up to what the log tells; whoever is behind changes nothing. */
export async function projectRun(log: RunLog, retryAt: Date | null = null): Promise<void> {
  // What is staged is in the state and not in the log: a record must not be ahead.
  if (log.hasStaged) return;
  const set = { ...projection(log.state), log_n: log.state.n, retry_at: retryAt, checked_at: new Date() };
  await runCollection().updateOne({ _id: log.owner.run_id, log_n: { $lte: log.state.n } }, { $set: set });
}
