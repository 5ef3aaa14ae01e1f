import { z } from 'zod';
import { isMet, mapped } from './mapping.ts';
import { runStatusSchema } from './run-status.ts';
import { conditionProblem, mappingProblem, type Problem, refusalSchema, type Target, targetFields } from './trigger.ts';

/** Where webhooks come from: an address of its own, and a secret that signs what is sent to it. */
const sourceFields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2000),
  is_active: z.boolean(),
};
export const createSourceBody = z.strictObject({
  ...sourceFields,
  workspace_id: z.string().min(1).max(100),
  description: sourceFields.description.default(''),
  is_active: sourceFields.is_active.default(true),
});
export type CreateSource = z.infer<typeof createSourceBody>;
export const changeSourceBody = z.strictObject(sourceFields).partial();
export type ChangeSource = z.infer<typeof changeSourceBody>;

export const eventSourceSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  /** Where to send to. */
  url: z.string(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type EventSource = z.infer<typeof eventSourceSchema>;
/** The one time the secret is told. */
export const newSourceSchema = eventSourceSchema.extend({ secret: z.string() });

const subscriptionFields = {
  ...targetFields,
  name: z.string().trim().max(200),
  target_type: z.enum(['agent', 'workflow']),
  input_mapping: z.unknown(),
  filter: z.string().trim().min(1).max(2000).nullable(),
  is_active: z.boolean(),
};
export const createSubscriptionBody = z.strictObject({
  ...subscriptionFields,
  source_id: z.string().min(1).max(100),
  name: subscriptionFields.name.default(''),
  agent_id: subscriptionFields.agent_id.default(null),
  workflow_id: subscriptionFields.workflow_id.default(null),
  notebook_id: subscriptionFields.notebook_id.default(null),
  input_mapping: subscriptionFields.input_mapping.optional(),
  filter: subscriptionFields.filter.default(null),
  tier: subscriptionFields.tier.default('standard'),
  scopes: subscriptionFields.scopes.default([]),
  is_active: subscriptionFields.is_active.default(true),
});
export type CreateSubscription = z.infer<typeof createSubscriptionBody>;
export const changeSubscriptionBody = z.strictObject(subscriptionFields).partial();
export type ChangeSubscription = z.infer<typeof changeSubscriptionBody>;

export const eventSubscriptionSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  source_id: z.string(),
  name: z.string(),
  target_type: z.enum(['agent', 'workflow']),
  agent_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  target_name: z.string().nullable(),
  notebook_id: z.string().nullable(),
  input_mapping: z.unknown(),
  filter: z.string().nullable(),
  tier: targetFields.tier,
  scopes: z.array(z.string()),
  is_active: z.boolean(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type EventSubscription = z.infer<typeof eventSubscriptionSchema>;

/** Recorded and not started yet; started; refused; nobody wants it. */
export const deliveryStatusSchema = z.enum(['pending', 'started', 'refused', 'unmatched']);
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;

const deliveredRunSchema = z.object({
  subscription_id: z.string(),
  subscription_name: z.string(),
  /** 1 is the first; every redelivery counts one up. */
  attempt: z.int(),
  /** Null until it is started. */
  run_id: z.string().nullable(),
  run_status: runStatusSchema.nullable(),
  output: z.unknown(),
  error: refusalSchema.nullable(),
});
export type DeliveredRun = z.infer<typeof deliveredRunSchema>;

export const deliverySchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  source_id: z.string(),
  source_name: z.string(),
  /** As the sender calls it. */
  delivery_id: z.string(),
  status: deliveryStatusSchema,
  attempts: z.int(),
  payload: z.unknown(),
  headers: z.record(z.string(), z.string()),
  /** Of the newest run, where there are several. */
  run_id: z.string().nullable(),
  output: z.unknown(),
  runs: z.array(deliveredRunSchema),
  received_at: z.iso.datetime(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** What paths in a mapping or a filter begin with. */
const NAMES = ['payload', 'headers', 'source', 'delivery'] as const;
export interface EventNames {
  payload: unknown;
  headers: Record<string, string>;
  source: { id: string; name: string };
  delivery: { id: string; received_at: string };
  [name: string]: unknown;
}

interface Subscribing extends Target {
  target_type: 'agent' | 'workflow';
  input_mapping: unknown;
  filter: string | null;
}

export function subscriptionProblem(wanted: Subscribing): Problem | null {
  const { target_type, agent_id, workflow_id, input_mapping, filter } = wanted;
  const [mine, other] = target_type === 'agent' ? [agent_id, workflow_id] : [workflow_id, agent_id];
  if (mine === null) return [`${target_type}_id`, `a target_type of ${target_type} needs it`];
  if (other !== null) return ['target_type', 'give the id of one kind of target only'];
  const mapping = mappingProblem(input_mapping, NAMES);
  if (mapping !== null) return ['input_mapping', mapping];
  const condition = filter === null ? null : conditionProblem(filter, NAMES);
  return condition === null ? null : ['filter', condition];
}

export const isWanted = ({ filter }: { filter: string | null }, names: EventNames): boolean =>
  filter === null || isMet(filter, names);

/** What a run is begun with: as the mapping says, else the payload as it came. */
export const eventInput = ({ input_mapping }: { input_mapping: unknown }, names: EventNames): unknown =>
  input_mapping === null ? names.payload : mapped(input_mapping, names);

/** Of a webhook: how its signature is made, and which headers carry it. */
export const HOOK_HEADERS = {
  timestamp: 'x-longhaul-timestamp',
  signature: 'x-longhaul-signature',
  delivery: 'x-longhaul-delivery',
} as const;
export const SIGNATURE_VERSION = 'v1';
/** Seconds that a request may be old, or ahead of our clock. */
export const REPLAY_WINDOW_S = 300;
