import type { Agent } from '../domain/agent.ts';
import type { Budget } from '../domain/budget.ts';
import { branchOf } from '../domain/checkout.ts';
import type { DelegateTarget } from '../domain/delegation.ts';
import { modelsOf } from '../domain/model-choice.ts';
import { microsOf, usdOf } from '../domain/money.ts';
import type { Bound } from '../domain/rights.ts';
import type { Run, Trigger } from '../domain/run.ts';
import type { RunDefinition } from '../domain/run-definition.ts';
import { workflowIdOf } from '../domain/run-id.ts';
import type { RunTool } from '../domain/run-tool.ts';
import type { ContextRow } from '../domain/session.ts';
import type { EditJob, FilesFrom, RunRecord } from './run-record.ts';

export interface NewRun {
  id: string;
  org_id: string;
  caller: { user_id: string; name: string };
  /** As it may act in this run: cut down to the bound. */
  agent: Agent;
  bound: Bound;
  delegates: DelegateTarget[];
  /** The tools its organization brings. */
  tools?: RunTool[];
  /** Where it is a workflow that runs: in `agent` it stands as one. */
  definition?: RunDefinition | null;
  notebook: { id: string; kind: 'folder' | 'git' } | null;
  trigger_type: Trigger;
  trigger_source: string;
  schedule_id?: string | null;
  event_delivery_id?: string | null;
  /** The session it belongs to, with what the user has pinned there. */
  session?: { id: string; context_rows: ContextRow[] } | null;
  /** Where it is a job of /api/agent. */
  edit_job?: EditJob | null;
  input: unknown;
  output_schema: Record<string, unknown> | null;
  budget: Budget;
  /** The files a fork begins with: those of another notebook, as a snapshot has them or else as they are. */
  files_from?: FilesFrom | null;
  /** On a git notebook: where its work goes, if not to a branch of its own. */
  branch?: string | null;
  /** The run it belongs to or goes on from. */
  parent: { run_id: string; relation: NonNullable<Run['relation']>; step: number | string | null } | null;
  /** From the root of its tree down to the run itself. */
  line: string[];
}

/** All that must be known of a run before it is begun; whose it is, its caller says. */
export type Draft = Omit<NewRun, 'org_id' | 'caller'>;

export function recordOf(run: NewRun): RunRecord {
  const now = new Date();
  const { agent, budget } = run;
  const root = run.line[0] ?? run.id;
  const branch = run.notebook?.kind === 'git' ? (run.branch ?? branchOf(root)) : null;
  return {
    _id: run.id,
    workflow_id: run.definition ? agent.id : workflowIdOf(run.id),
    workspace_id: agent.workspace_id,
    org_id: run.org_id,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: agent.version,
    agent,
    bound: run.bound,
    delegates: run.delegates,
    tools: run.tools ?? [],
    definition: run.definition ?? null,
    definition_id: run.definition ? agent.id : null,
    definition_name: run.definition ? agent.name : null,
    definition_version: run.definition ? agent.version : null,
    workflow_state: run.definition ? { steps: {}, state: {} } : null,
    line: run.line,
    notebook_id: run.notebook?.id ?? null,
    notebook_kind: run.notebook?.kind ?? null,
    files_from: run.files_from ?? null,
    branch,
    checkout: branch === null ? null : { state: 'waiting', branch, base_commit: null, executor: null, epoch: 0 },
    conversation_id: run.session?.id ?? null,
    context_rows: run.session?.context_rows ?? [],
    trigger_type: run.trigger_type,
    trigger_source: run.trigger_source,
    schedule_id: run.schedule_id ?? null,
    event_delivery_id: run.event_delivery_id ?? null,
    caller_user_id: run.caller.user_id,
    caller_name: run.caller.name,
    status: 'queued',
    input: run.input,
    output: null,
    output_schema: run.output_schema,
    error: null,
    llm_model: modelsOf(agent)[0],
    iterations_used: 0,
    tokens_used: 0,
    tokens: { input: 0, output: 0, cached: 0 },
    cost_usd: 0,
    unconfirmed_calls: 0,
    unconfirmed_tokens: 0,
    unconfirmed_cost_usd: 0,
    tree: { iterations: 0, tokens: 0, cost_usd: 0 },
    budget_max_iterations: budget.max_iterations,
    budget_max_tokens: budget.max_tokens,
    budget_max_cost_usd: usdOf(budget.max_micros),
    budget_max_duration: budget.max_active_ms === null ? null : Math.ceil(budget.max_active_ms / 1000),
    files_modified: [],
    allowed_tools: [],
    active_ms: 0,
    parent_run_id: run.parent?.run_id ?? null,
    relation: run.parent?.relation ?? null,
    root_run_id: root,
    resume_from_step: run.parent?.step ?? null,
    history: null,
    pending_actions: [],
    pending_questions: [],
    pending_reviews: [],
    edit_job: run.edit_job ?? null,
    duration_ms: null,
    log_n: 0,
    wake_since: null,
    checked_at: now,
    retry_at: null,
    created_at: now,
    started_at: null,
    completed_at: null,
  };
}

/** What a run may use, read back from its record. */
export const budgetOf = (run: RunRecord): Budget => ({
  max_iterations: run.budget_max_iterations,
  max_tokens: run.budget_max_tokens,
  max_micros: microsOf(run.budget_max_cost_usd),
  max_active_ms: run.budget_max_duration == null ? null : run.budget_max_duration * 1000,
});
