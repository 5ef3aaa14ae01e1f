import mongoose from 'mongoose';
import { type Agent, completeAgent } from '../domain/agent.ts';
import type { DelegateTarget } from '../domain/delegation.ts';
import type { HunkLimits } from '../domain/edits/hunks.ts';
import type { EditRules } from '../domain/edits/job-rules.ts';
import type { Caller } from '../domain/identity.ts';
import { type Bound, boundOfCaller } from '../domain/rights.ts';
import type { Run } from '../domain/run.ts';
import type { RunDefinition } from '../domain/run-definition.ts';
import { workflowIdOf } from '../domain/run-id.ts';
import type { RunTool } from '../domain/run-tool.ts';
import type { ContextRow } from '../domain/session.ts';
import { DISPATCHER_SLUG, slugIfTaken } from '../domain/usual-agent.ts';
import { nativeCollection } from './connection.ts';
import { boundedBy } from './tenancy.ts';

export interface FilesFrom {
  notebook_id: string;
  snapshot: string | null;
}

export interface EditJob extends EditRules {
  max_tool_calls: number;
  hunks: HunkLimits;
}

/** The record of a run: what lists and pages show. A projection of its log, never ahead of it. */
export interface RunRecord
  extends Omit<Run, 'id' | 'created_at' | 'started_at' | 'completed_at' | 'retry_at' | 'edit_job'> {
  _id: string;
  /** What decides whether changes wait for a person, known without opening the notebook. */
  notebook_kind: 'folder' | 'git' | null;
  /** Where a fork takes its files from, before its first step; on a git notebook, also who goes on from another run. */
  files_from: FilesFrom | null;
  /** Of a run on a git notebook: where its work goes, the same for all runs of its tree. */
  branch: string | null;
  /** What the user has pinned in its session, to be given to the agent before its first model call. */
  context_rows: ContextRow[];
  /** Set where it is a job of /api/agent: what holds for it, as it was when it began. */
  edit_job: EditJob | null;
  /** Tools nobody is asked about any more. */
  allowed_tools: string[];
  /** The definition as it was when the run began: later versions do not reach it. */
  agent: Agent;
  /** What it may not exceed, and passes down at most. */
  bound: Bound;
  /** The agents it may hand work to, as they were when it began. */
  delegates: DelegateTarget[];
  /** The tools its organization brings, as they were when it began. */
  tools: RunTool[];
  /** The workflow it runs, as it was when it began; null where an agent runs. */
  definition: RunDefinition | null;
  /** From the root of its tree down to the run itself: what it uses counts for all of them. */
  line: string[];
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
    bound: mixed,
    delegates: mixed,
    tools: mixed,
    definition: mixed,
    definition_id: String,
    definition_name: String,
    definition_version: Number,
    workflow_state: mixed,
    line: mixed,
    workflow_id: String,
    notebook_id: String,
    notebook_kind: String,
    files_from: mixed,
    branch: String,
    checkout: mixed,
    conversation_id: String,
    context_rows: mixed,
    allowed_tools: mixed,
    files_modified: mixed,
    trigger_type: String,
    trigger_source: String,
    schedule_id: String,
    event_delivery_id: String,
    caller_user_id: String,
    caller_name: String,
    status: String,
    input: mixed,
    output: mixed,
    output_schema: mixed,
    error: mixed,
    llm_model: String,
    iterations_used: Number,
    tokens_used: Number,
    tokens: mixed,
    cost_usd: Number,
    unconfirmed_calls: Number,
    unconfirmed_tokens: Number,
    unconfirmed_cost_usd: Number,
    tree: mixed,
    budget_max_iterations: Number,
    budget_max_tokens: Number,
    budget_max_cost_usd: Number,
    budget_max_duration: Number,
    active_ms: Number,
    parent_run_id: String,
    relation: String,
    root_run_id: String,
    resume_from_step: mixed,
    history: mixed,
    pending_actions: mixed,
    pending_questions: mixed,
    pending_reviews: mixed,
    edit_job: mixed,
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
schema.index({ root_run_id: 1, created_at: 1, _id: 1 });
schema.index({ org_id: 1, agent_id: 1, created_at: -1 });
schema.index(
  { conversation_id: 1, created_at: 1, _id: 1 },
  { partialFilterExpression: { conversation_id: { $type: 'string' } } },
);
schema.index(
  { org_id: 1, definition_id: 1, created_at: -1 },
  { partialFilterExpression: { definition_id: { $type: 'string' } } },
);
schema.index({ schedule_id: 1, created_at: -1 }, { partialFilterExpression: { schedule_id: { $type: 'string' } } });
schema.index({ completed_at: 1, _id: 1 });
schema.index({ parent_run_id: 1 }, { partialFilterExpression: { parent_run_id: { $type: 'string' } } });
schema.index({ wake_since: 1 }, { partialFilterExpression: { wake_since: { $type: 'date' } } });
schema.index({ status: 1, checked_at: 1 });
export const RunModel = mongoose.model<RunRecord>('Run', schema);
export const runCollection = () => nativeCollection<RunRecord>('runs');

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** What a record of an earlier build does not say. */
const EARLIER = (id: string) => ({
  workflow_id: workflowIdOf(id),
  output_schema: null,
  cost_usd: null,
  unconfirmed_tokens: 0,
  unconfirmed_cost_usd: 0,
  tree: { iterations: 0, tokens: 0, cost_usd: 0 },
  budget_max_cost_usd: null,
  budget_max_duration: null,
  active_ms: 0,
  conversation_id: null,
  schedule_id: null,
  event_delivery_id: null,
  files_modified: [],
  root_run_id: id,
  resume_from_step: null,
  definition_id: null,
  definition_name: null,
  definition_version: null,
  workflow_state: null,
  history: null,
  pending_reviews: [],
  edit_job: null,
  checkout: null,
});

/** A record as this build knows it, whichever build stored it. */
export function completeRecord(stored: RunRecord): RunRecord {
  const alone: Pick<
    RunRecord,
    'bound' | 'delegates' | 'tools' | 'definition' | 'line' | 'files_from' | 'branch' | 'context_rows' | 'allowed_tools'
  > = {
    files_from: null,
    branch: null,
    context_rows: [],
    allowed_tools: [],
    bound: boundOfCaller(true),
    delegates: [],
    tools: [],
    definition: null,
    line: [stored._id],
  };
  return {
    ...EARLIER(stored._id),
    ...alone,
    ...stored,
    bound: { ...alone.bound, ...stored.bound },
    agent: completeAgent(stored.agent),
  };
}

/** A run's own questions are stored without its name. */
const named = <T extends { run_id: string; agent_name: string }>(asked: T, { _id, agent_name }: RunRecord): T => ({
  ...asked,
  run_id: asked.run_id ?? _id,
  agent_name: asked.agent_name || agent_name,
});

export function toRun(record: RunRecord): Run {
  const {
    _id,
    agent: _agent,
    bound: _bound,
    delegates: _delegates,
    tools: _tools,
    definition: _definition,
    line: _line,
    notebook_kind: _kind,
    files_from: _files,
    branch: _branch,
    context_rows: _rows,
    allowed_tools: _allowed,
    log_n: _n,
    wake_since: _wake,
    checked_at: _checked,
    ...rest
  } = record;
  return {
    ...EARLIER(_id),
    ...rest,
    id: _id,
    pending_actions: record.pending_actions.map((asked) => ({
      ...named(asked, record),
      // One of an earlier build does not say it.
      can_allow_for_session: asked.can_allow_for_session ?? true,
    })),
    pending_questions: record.pending_questions.map((asked) => named(asked, record)),
    pending_reviews: (record.pending_reviews ?? []).map((asked) => named(asked, record)),
    edit_job: record.edit_job ? { max_tool_calls: record.edit_job.max_tool_calls } : null,
    created_at: record.created_at.toISOString(),
    started_at: iso(record.started_at),
    completed_at: iso(record.completed_at),
    retry_at: iso(record.retry_at),
  };
}

/**
 * The runs that a caller sees. The dispatcher asks its model among all that this one caller may use, their personal
 * agents and other workspaces included, and tells it what was said before: such a run is not for other members.
 */
export function runsVisibleTo(caller: Caller, workspaceId?: string) {
  const reach = boundedBy(caller, workspaceId);
  if (caller.is_owner) return reach;
  const ofOthers = {
    'agent.is_builtin': true,
    'agent.slug': { $in: [DISPATCHER_SLUG, slugIfTaken(DISPATCHER_SLUG)] },
    caller_user_id: { $ne: caller.user_id },
  };
  return { ...reach, $nor: [ofOthers] };
}
