import type mongoose from 'mongoose';
import type { Agent } from '../domain/agent.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { RunStatus, Trigger } from '../domain/run.ts';
import { isDuplicate } from './connection.ts';
import { entriesAfter, RunLog } from './event-log.ts';
import { readCursor, writeCursor } from './pages.ts';
import { projectRun } from './run-projection.ts';
import { RunModel, type RunRecord, runCollection } from './run-record.ts';
import { boundedBy, visibleWorkspaces } from './tenancy.ts';

export interface NewRun {
  id: string;
  agent: Agent;
  notebook: { id: string; kind: 'folder' | 'git' } | null;
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
    notebook_id: run.notebook?.id ?? null,
    notebook_kind: run.notebook?.kind ?? null,
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
    next_cursor: last ? writeCursor(last) : null,
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
