import { z } from 'zod';

/**
 * What a workflow definition is made of. Steps of one list run in order; `depends_on` takes the place of that order
 * where it is given. Ids are unique over the whole definition, so that `steps.<id>` always means one of them.
 */
const json = z.unknown();

const stepIdSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'a name of letters, digits, _ and - that begins with a letter or _');

const template = z.string().min(1).max(100_000);
const reference = z.string().min(1).max(200);

/** Tried again after `delay` seconds, each time `backoff` times as long, never longer than `max_delay`. */
const retrySchema = z.strictObject({
  max_attempts: z.int().min(1).max(50).default(3),
  delay: z.number().min(0).max(86_400).default(1),
  backoff: z.number().min(1).max(10).default(2),
  max_delay: z.number().min(0).max(86_400).default(300),
});

const YEAR_S = 31_536_000;

const named = {
  id: stepIdSchema,
  /** Shown instead of the id. */
  name: z.string().max(100).optional(),
  /** The steps of the same list that come before; the one written before it where it is not given. */
  depends_on: z.array(stepIdSchema).max(100).optional(),
  /**
   * What the step gives, made from `{{ output }}`, which is what it came to. Names that begin with `state.` are kept in
   * the state of the run instead.
   */
  output_mapping: z.record(z.string().min(1).max(100), json).optional(),
};

/** A step that does something, and may fail at it. */
const working = {
  ...named,
  /** What it is given; without one, an agent or a workflow gets the input of the run, and a tool nothing. */
  input_mapping: json.optional(),
  retry: retrySchema.optional(),
  /** Seconds until a try is given up. */
  timeout: z.number().positive().max(YEAR_S).optional(),
  /** `continue`: the steps after it run all the same; its output is null and its error can be asked for. */
  on_error: z.enum(['fail', 'continue']).default('fail'),
};

const agentStep = z.strictObject({
  type: z.literal('agent'),
  ...working,
  /** By id, or by slug or name in the workspace. */
  agent_id: reference.optional(),
  agent: reference.optional(),
  output_schema: z.record(z.string(), json).optional(),
});

const toolStep = z.strictObject({
  type: z.literal('tool'),
  ...working,
  tool_id: reference.optional(),
  tool: reference.optional(),
  /** A person is asked before it is called. */
  confirm: z.boolean().default(false),
});

const workflowStep = z.strictObject({
  type: z.literal('workflow'),
  ...working,
  workflow_id: reference.optional(),
  workflow: reference.optional(),
});

const approvalStep = z.strictObject({
  type: z.literal('approval'),
  ...named,
  /** What the person reads. */
  message: template,
  /** What is shown beside it, and can be changed by who approves. */
  input_mapping: z.record(z.string(), json).optional(),
  /** `continue`: a refusal is an answer like another, found as `output.approved`. */
  on_denied: z.enum(['fail', 'continue']).default('fail'),
  timeout: z.number().positive().max(YEAR_S).optional(),
});

const waitStep = z.strictObject({
  type: z.literal('wait'),
  ...named,
  /** Seconds, or an expression that gives them. */
  duration: z.union([z.number().min(0).max(YEAR_S), template]).optional(),
  /** A time (ISO 8601), or an expression that gives one. */
  until: template.optional(),
});

const MOST_STEPS = 200;

/** Written out, because a type cannot be read from a schema that holds itself. */
type Named = z.infer<z.ZodObject<typeof named>>;
export interface Branch {
  id: string;
  steps: FlowStep[];
}
interface ConditionStep extends Named {
  type: 'condition';
  if: string;
  steps: FlowStep[];
  else?: FlowStep[] | undefined;
}
interface ParallelStep extends Named {
  type: 'parallel';
  branches: Branch[];
  max_concurrency?: number | undefined;
}
interface MapStep extends Named {
  type: 'map';
  over: string;
  as: string;
  steps: FlowStep[];
  max_concurrency: number;
  on_error: 'fail' | 'continue';
}
export type FlowStep =
  | z.infer<typeof agentStep>
  | z.infer<typeof toolStep>
  | z.infer<typeof workflowStep>
  | z.infer<typeof approvalStep>
  | z.infer<typeof waitStep>
  | ConditionStep
  | ParallelStep
  | MapStep;

const innerSteps: z.ZodType<FlowStep[]> = z.lazy(() => z.array(stepSchema).max(MOST_STEPS));

const conditionStep = z.strictObject({
  type: z.literal('condition'),
  ...named,
  if: template,
  /** What is done where it holds; what else where it does not. */
  steps: innerSteps,
  else: innerSteps.optional(),
});

const concurrency = z.int().min(1).max(100);

const parallelStep = z.strictObject({
  type: z.literal('parallel'),
  ...named,
  branches: z
    .array(z.strictObject({ id: stepIdSchema, steps: innerSteps }))
    .min(1)
    .max(50),
  /** How many branches are at work at once. */
  max_concurrency: concurrency.optional(),
});

const mapStep = z.strictObject({
  type: z.literal('map'),
  ...named,
  /** A list; its steps run once for each, and see it as `item` (or as it is called) and `index`. */
  over: template,
  as: stepIdSchema.default('item'),
  steps: innerSteps,
  max_concurrency: concurrency.default(5),
  /** `continue`: what failed is null in the list it gives. */
  on_error: z.enum(['fail', 'continue']).default('fail'),
});

export const stepSchema: z.ZodType<FlowStep> = z.discriminatedUnion('type', [
  agentStep,
  toolStep,
  workflowStep,
  approvalStep,
  conditionStep,
  parallelStep,
  mapStep,
  waitStep,
]);
export type StepOf<T extends FlowStep['type']> = Extract<FlowStep, { type: T }>;
export type RetryRule = z.infer<typeof retrySchema>;

export const STEP_TYPES = ['agent', 'tool', 'workflow', 'approval', 'condition', 'parallel', 'map', 'wait'] as const;

/** What a run of it and all below it may use at most. */
const budgetSchema = z.strictObject({
  max_iterations: z.int().min(1).max(100_000).optional(),
  max_token_budget: z.int().min(1).max(1_000_000_000).optional(),
  max_cost_usd: z.number().positive().max(1_000_000).optional(),
  max_duration: z.int().min(1).max(YEAR_S).optional(),
});

/** The fields of a workflow beside those every definition has. */
export const workflowFields = {
  steps: z.array(stepSchema).min(1).max(MOST_STEPS),
  /** JSON Schema of its input; anything will do without. */
  input_schema: z.record(z.string(), json).nullable().default(null),
  /** What a run of it gives; without one, the output of its last step. */
  output_mapping: json.optional(),
  budget: budgetSchema.default({}),
};

export const workflowPlanSchema = z.strictObject(workflowFields);
/** What is needed to run one: kept on the record of each run, as it was when the run began. */
export type WorkflowPlan = z.infer<typeof workflowPlanSchema>;

/** A stored workflow as a run needs it. */
export interface WorkflowDefinition extends WorkflowPlan {
  id: string;
  workspace_id: string;
  name: string;
  description: string;
  version: number;
  is_active: boolean;
  created_by: string;
}
