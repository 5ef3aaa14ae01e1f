import { type Agent, completeAgent } from './agent.ts';
import { type Budget, narrower, UNBOUNDED } from './budget.ts';
import { Failure } from './failures.ts';
import type { FlowState } from './flow-state.ts';
import { microsOf } from './money.ts';
import { argumentCheck } from './output-schema.ts';
import type { BudgetBody } from './run-requests.ts';
import type { CallState } from './run-state.ts';
import { allSteps } from './step-lists.ts';
import type { FlowStep, WorkflowDefinition, WorkflowPlan } from './workflow-definition.ts';

/** What a step refers to, as it was found when the run began. */
export type FlowTarget =
  | { kind: 'agent'; id: string; name: string }
  | { kind: 'tool'; name: string }
  | { kind: 'workflow'; id: string; version: number; name: string };

/** What a run keeps of the workflow it runs: later versions do not reach it. */
export interface RunDefinition {
  plan: WorkflowPlan;
  /** By the id of the step. */
  targets: Record<string, FlowTarget>;
  /**
   * An agent's model chose what goes into it, so that changes wait for a person; otherwise who made the workflow has
   * said where one is asked.
   */
  asks_first: boolean;
}

export const targetOf = ({ targets }: RunDefinition, step: FlowStep): FlowTarget | undefined => targets[step.id];

/** What does a step, as its call is named. */
export const callNameOf =
  (definition: RunDefinition) =>
  (step: FlowStep): string =>
    targetOf(definition, step)?.name ?? step.type;

const asBudget = (body: BudgetBody): Budget => ({
  max_iterations: body.max_iterations ?? UNBOUNDED.max_iterations,
  max_tokens: body.max_token_budget ?? UNBOUNDED.max_tokens,
  max_micros: microsOf(body.max_cost_usd ?? null),
  max_active_ms: body.max_duration === undefined ? null : body.max_duration * 1000,
});

/** What the definition allows a run and all below it; a caller may want less, never more. */
export const budgetOfPlan = ({ budget }: WorkflowPlan, wanted: BudgetBody = {}): Budget =>
  narrower(asBudget(budget), asBudget(wanted));

export function demandFitting(workflow: string, schema: WorkflowDefinition['input_schema'], input: unknown): void {
  const errors = argumentCheck(schema)(input);
  if (errors.length === 0) return;
  throw new Failure('invalid_request', `The input does not fit the workflow ${workflow}.`, {
    in: 'body',
    field: 'input',
    errors,
  });
}

/** In its own run a workflow stands where an agent stands in others: it may do what its caller may. */
export function agentOfDefinition(
  { id, workspace_id, name, description, version, created_by }: WorkflowDefinition,
  at: Date,
): Agent {
  return completeAgent({
    id,
    workspace_id,
    slug: id,
    name,
    description,
    examples: [],
    model: '',
    system_prompt: '',
    scope: { notebooks: ['*'] },
    can_read: true,
    can_write: true,
    can_create: true,
    can_delete: true,
    can_execute_code: true,
    can_access_integrations: true,
    command_network: false,
    max_tokens_per_request: 1,
    max_iterations: UNBOUNDED.max_iterations,
    max_token_budget: UNBOUNDED.max_tokens,
    max_requests_per_hour: null,
    max_cost_usd: null,
    max_duration: null,
    max_schema_retries: 0,
    agent_mode: 'remote',
    local_model: null,
    remote_model: null,
    hybrid_max_local_attempts: 1,
    hybrid_remote_on_schema_fail: 1,
    hybrid_remote_on_context_overflow: false,
    hybrid_remote_on_timeout_ms: 60_000,
    hybrid_fallback_forbidden: false,
    delegated_agents: [],
    grants: null,
    knowledge_sources: ['*'],
    tools: [],
    mcp_servers: [],
    system_tools: null,
    confirmation: {},
    visibility: 'workspace',
    access_level: 'everyone',
    roles: [],
    is_active: true,
    is_builtin: false,
    version,
    created_by,
    created_at: at.toISOString(),
  });
}

/** What a step wants of the run that does it. */
export function wishOfStep({ plan, targets }: RunDefinition, flow: FlowState, { call, decision }: CallState) {
  const state = [...flow.steps.values()].find(({ call_id }) => call_id === call.tool_call_id);
  const step = allSteps(plan.steps).find(({ id }) => id === state?.id);
  const target = step && targets[step.id];
  if (!state || !step) return null;
  return {
    // As it was allowed: a person may have changed it.
    input: decision?.arguments ?? state.input,
    output_schema: step.type === 'agent' ? (step.output_schema ?? null) : null,
    ...(target?.kind === 'workflow' ? { version: target.version } : {}),
  };
}
