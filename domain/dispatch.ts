import { z } from 'zod';
import { isRecord } from './json-value.ts';

/** Tools by name, agents by id; without a list all of them are on, with an empty one none. */
const toolNames = z.array(z.string().min(1).max(100)).max(2_000);
const agentIds = z.array(z.string().min(1).max(100)).max(2_000);

const narrowing = {
  enabled_tools: toolNames.nullable().optional(),
  enabled_agents: agentIds.nullable().optional(),
};

/** What a user lets the dispatcher use; as a whole, so that what is not named is on. */
export const settingsBody = z.strictObject(narrowing);
export const settingsSchema = z.object({
  enabled_tools: toolNames.nullable(),
  enabled_agents: agentIds.nullable(),
});
export type UserSettings = z.infer<typeof settingsSchema>;

const attachmentSchema = z.strictObject({
  name: z.string().min(1).max(500),
  type: z.string().max(200).default(''),
  url: z.string().max(4_000).optional(),
});
export type SentAttachment = z.infer<typeof attachmentSchema>;

const json = z.unknown();

const planStepSchema = z.object({
  step: z.int(),
  type: z.enum(['tool', 'agent']),
  /** The name of the tool, or the id of the agent. */
  name: z.string(),
  /** As people call it. */
  title: z.string(),
  /** Arguments by name for a tool, words for an agent. */
  input: json,
  /** The steps that come before it; those without one run at once. */
  depends_on: z.array(z.int()),
  /** Arguments that are filled with what an earlier step came to: name → step. */
  takes: z.record(z.string(), z.int()),
  /** Arguments the tool needs and that the query does not give. */
  missing: z.array(z.string()),
});
export type PlanStep = z.infer<typeof planStepSchema>;

/** An argument by a name that a mapping can write. */
const isPlainName = (name: string): boolean => /^[\w-]+$/.test(name);

/** A plan as it was answered, perhaps with its arguments changed: what it comes back with is looked at as if it were new. */
const sentPlan = z
  .array(planStepSchema.partial({ title: true, depends_on: true, takes: true, missing: true }).strict())
  .min(1)
  .max(20)
  .superRefine((steps, { addIssue }) => {
    const refuse = (n: number, field: string, message: string) =>
      addIssue({ code: 'custom', path: [n, field], message });
    for (const [n, { step, type, input, depends_on = [], takes = {} }] of steps.entries()) {
      if (step !== n + 1) refuse(n, 'step', 'steps are counted from 1');
      if (type === 'agent' && typeof input !== 'string') refuse(n, 'input', 'an agent is given words');
      if (type === 'tool' && !isRecord(input)) refuse(n, 'input', 'a tool is given arguments by name');
      if (depends_on.length > 1) refuse(n, 'depends_on', 'a step comes after one other at most');
      if (depends_on.some((before) => before < 1 || before > n)) refuse(n, 'depends_on', 'an earlier step is expected');
      const handed = Object.entries(takes);
      if (handed.some(([, from]) => from < 1 || from > n)) refuse(n, 'takes', 'earlier steps are expected');
      const names = [...handed.map(([name]) => name), ...Object.keys(isRecord(input) ? input : {})];
      if (handed.length > 0 && !names.every(isPlainName)) refuse(n, 'takes', 'plain names of arguments are expected');
    }
  });
export type SentPlan = z.infer<typeof sentPlan>;

export const dispatchBody = z.strictObject({
  query: z.string().trim().min(1).max(20_000),
  available_tools: toolNames.optional(),
  available_agents: agentIds.optional(),
  attachments: z.array(attachmentSchema).max(50).default([]),
  user_settings: z.strictObject(narrowing).optional(),
  /** What was said there counts, and its workspace and notebook are meant where no others are named. */
  session_id: z.string().max(100).optional(),
  workspace_id: z.string().max(100).optional(),
  notebook_id: z.string().max(100).optional(),
  /** What a person has chosen, from the alternatives or otherwise: nothing is decided any more. */
  chosen: z
    .strictObject({ tools: toolNames.max(20).default([]), agents: agentIds.max(20).default([]) })
    .refine(({ tools, agents }) => tools.length + agents.length > 0, 'choose a tool or an agent')
    .optional(),
  /** A plan that was answered before: it is run as it was shown, and nothing is decided any more. */
  execution_plan: sentPlan.optional(),
  execute: z.boolean().default(false),
});
export type DispatchBody = z.infer<typeof dispatchBody>;

const consideredSchema = z.object({
  type: z.enum(['tool', 'agent']),
  /** As it stands in the lists of the decision. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
  workspace_id: z.string().nullable(),
  selected: z.boolean(),
  /** Why it may be what is wanted. */
  reason: z.string(),
  /** How likely that is; those that are offered share what the decision leaves. */
  confidence: z.number(),
});
export type Considered = z.infer<typeof consideredSchema>;

export const dispatchSchema = z.object({
  routing_decision: z.object({
    selected_tools: z.array(z.string()),
    selected_agents: z.array(z.string()),
    confidence: z.number().min(0).max(1),
    reasoning: z.string(),
    alternatives: z.array(z.string()),
    requires_disambiguation: z.boolean(),
  }),
  execution_plan: z.array(planStepSchema),
  decided_by: z.enum(['model', 'shortlist', 'caller']),
  /** Why the shortlist alone decided. */
  fallback_reason: z.string().nullable(),
  /** What the model named although it may not be used here. */
  dropped: z.array(z.string()),
  /** What was selected and offered, with what people need to choose. */
  candidates: z.array(consideredSchema),
  /** The run in which the model decided. */
  decision_run_id: z.string().nullable(),
  /** The run of the plan, where it was to be executed and could be. */
  run_id: z.string().nullable(),
  not_executed: z.string().nullable(),
  duration_ms: z.int(),
});
export type Dispatched = z.infer<typeof dispatchSchema>;
