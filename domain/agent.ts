import { z } from 'zod';
import { GLOB_RULE, isTameGlob } from './glob.ts';

export const operationSchema = z.enum(['read', 'write', 'create', 'delete', 'execute']);
export type Operation = z.infer<typeof operationSchema>;

const pattern = (longest: number) => z.string().min(1).max(longest).refine(isTameGlob, GLOB_RULE);

const scopeSchema = z.strictObject({
  notebooks: z.array(z.string().min(1).max(200)).max(1000).optional(),
  folders: z.array(pattern(1000)).max(1000).optional(),
  file_types: z.array(pattern(200)).max(200).optional(),
  operations: z.array(operationSchema).max(10).optional(),
});

export const confirmationSchema = z.record(z.string().max(100), z.enum(['always', 'never', 'first_time']));
export type ConfirmationPolicy = z.infer<typeof confirmationSchema>;

const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/, 'lower-case letters, digits, - and _, at most 64 characters');

const definition = {
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2000),
  model: z.string().min(1).max(200),
  system_prompt: z.string().max(100_000),
  scope: scopeSchema,
  can_read: z.boolean(),
  can_write: z.boolean(),
  can_create: z.boolean(),
  can_delete: z.boolean(),
  can_execute_code: z.boolean(),
  can_access_integrations: z.boolean(),
  max_tokens_per_request: z.int().min(1).max(1_000_000),
  max_iterations: z.int().min(1).max(100_000),
  max_token_budget: z.int().min(1).max(1_000_000_000),
  confirmation: confirmationSchema,
  visibility: z.enum(['personal', 'workspace']),
};

export const createAgentBody = z.strictObject({
  workspace_id: z.string(),
  slug: slug.optional(),
  name: definition.name,
  model: definition.model,
  description: definition.description.default(''),
  system_prompt: definition.system_prompt.default(''),
  scope: definition.scope.default({}),
  can_read: definition.can_read.default(true),
  can_write: definition.can_write.default(false),
  can_create: definition.can_create.default(false),
  can_delete: definition.can_delete.default(false),
  can_execute_code: definition.can_execute_code.default(false),
  can_access_integrations: definition.can_access_integrations.default(false),
  max_tokens_per_request: definition.max_tokens_per_request.default(4000),
  max_iterations: definition.max_iterations.default(50),
  max_token_budget: definition.max_token_budget.default(100_000),
  confirmation: definition.confirmation.default({}),
  visibility: definition.visibility.default('personal'),
});
export type CreateAgent = z.infer<typeof createAgentBody>;

export const agentSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  slug: z.string(),
  ...definition,
  is_active: z.boolean(),
  is_builtin: z.boolean(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
});
export type Agent = z.infer<typeof agentSchema>;

export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'agent';
