import { z } from 'zod';
import { AGENT_DEFAULTS } from './agent-defaults.ts';
import { GLOB_RULE, isTameGlob } from './glob.ts';
import { roleSchema } from './identity.ts';
import { providerOf } from './model.ts';
import { ALL, OPERATIONS } from './word-lists.ts';

export const operationSchema = z.enum(OPERATIONS);
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

export const examplesSchema = z.array(z.string().trim().min(1).max(300)).max(20);

const slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/, 'lower-case letters, digits, - and _, at most 64 characters');

/** JSON Schema, looked at when it is used: what is no schema is refused before anything starts. */
const jsonSchema = z.record(z.string(), z.unknown());

const delegateSchema = z.strictObject({
  agent_id: z.string().min(1).max(100),
  /** What the tool takes and gives; without them a task in words and an answer in words. */
  input_schema: jsonSchema.optional(),
  output_schema: jsonSchema.optional(),
});

const toolName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}$/, 'a name like read_file is expected');

const sources = z.array(z.string().min(1).max(100)).max(1000);

const tools = z.array(toolName).max(200);
const mcpServers = z.array(z.string().min(1).max(100)).max(100);

/** What the tree below an agent may use, whether or not the agent itself may; without it, what the agent may. */
const grantsSchema = z.strictObject({
  can_read: z.boolean().default(false),
  can_write: z.boolean().default(false),
  can_create: z.boolean().default(false),
  can_delete: z.boolean().default(false),
  can_execute_code: z.boolean().default(false),
  can_access_integrations: z.boolean().default(false),
  command_network: z.boolean().default(false),
  scope: scopeSchema.default({}),
  knowledge_sources: sources.default([]),
  /** "*" in a list is all of the workspace. */
  tools: z
    .array(z.union([z.literal(ALL), toolName]))
    .max(200)
    .default([]),
  mcp_servers: mcpServers.default([]),
});

const definition = {
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2000),
  /** Requests it is made for, in the words of those who ask: the dispatcher searches them. */
  examples: examplesSchema,
  model: z.string().min(1).max(200),
  system_prompt: z.string().max(100_000),
  scope: scopeSchema,
  can_read: z.boolean(),
  can_write: z.boolean(),
  can_create: z.boolean(),
  can_delete: z.boolean(),
  can_execute_code: z.boolean(),
  can_access_integrations: z.boolean(),
  /** Its commands may reach the public network; without it they reach nothing. */
  command_network: z.boolean(),
  max_tokens_per_request: z.int().min(1).max(1_000_000),
  max_iterations: z.int().min(1).max(100_000),
  max_token_budget: z.int().min(1).max(1_000_000_000),
  /** Model calls an hour, over all its runs: beyond them a run waits for its turn. Null for no limit. */
  max_requests_per_hour: z.int().min(1).max(1_000_000_000).nullable(),
  max_cost_usd: z.number().positive().max(1_000_000).nullable(),
  /** Seconds at work; waiting for people does not count. */
  max_duration: z.int().min(1).max(31_536_000).nullable(),
  max_schema_retries: z.int().min(0).max(20),
  agent_mode: z.enum(['local', 'remote', 'hybrid_auto']),
  local_model: z.string().min(1).max(200).nullable(),
  remote_model: z.string().min(1).max(200).nullable(),
  hybrid_max_local_attempts: z.int().min(1).max(1000),
  hybrid_remote_on_schema_fail: z.int().min(1).max(20),
  hybrid_remote_on_context_overflow: z.boolean(),
  hybrid_remote_on_timeout_ms: z.int().min(100).max(3_600_000),
  hybrid_fallback_forbidden: z.boolean(),
  delegated_agents: z.array(delegateSchema).max(50),
  grants: grantsSchema.nullable(),
  knowledge_sources: sources,
  tools,
  mcp_servers: mcpServers,
  /** Of the tools every agent has, those it is offered; null for all. */
  system_tools: z.array(toolName).max(100).nullable(),
  confirmation: confirmationSchema,
  visibility: z.enum(['personal', 'workspace']),
  /** With role_based, a shared agent is for its maker, for admins, and for members who hold one of the roles. */
  access_level: z.enum(['everyone', 'role_based']),
  roles: z.array(roleSchema).max(3),
};

/** Null, like nothing at all, for what all agents have: on git notebooks that is less than elsewhere. */
const unsettable = definition.max_iterations.nullable().optional().meta({ default: AGENT_DEFAULTS.max_iterations });

/** Follows from the model; where it is given it must be the one that the model names, where that names one. */
const provider = z.string().min(1).max(50);

export const createAgentBody = z.strictObject({
  workspace_id: z.string(),
  slug: slug.optional(),
  name: definition.name,
  provider: provider.optional(),
  model: definition.model,
  description: definition.description.default(AGENT_DEFAULTS.description),
  examples: definition.examples.default([]),
  system_prompt: definition.system_prompt.default(AGENT_DEFAULTS.system_prompt),
  scope: definition.scope.default({}),
  can_read: definition.can_read.default(AGENT_DEFAULTS.can_read),
  can_write: definition.can_write.default(AGENT_DEFAULTS.can_write),
  can_create: definition.can_create.default(AGENT_DEFAULTS.can_create),
  can_delete: definition.can_delete.default(AGENT_DEFAULTS.can_delete),
  can_execute_code: definition.can_execute_code.default(AGENT_DEFAULTS.can_execute_code),
  can_access_integrations: definition.can_access_integrations.default(AGENT_DEFAULTS.can_access_integrations),
  command_network: definition.command_network.default(AGENT_DEFAULTS.command_network),
  max_tokens_per_request: definition.max_tokens_per_request.default(AGENT_DEFAULTS.max_tokens_per_request),
  max_iterations: unsettable,
  max_token_budget: definition.max_token_budget.default(AGENT_DEFAULTS.max_token_budget),
  max_requests_per_hour: definition.max_requests_per_hour.default(AGENT_DEFAULTS.max_requests_per_hour),
  max_cost_usd: definition.max_cost_usd.default(AGENT_DEFAULTS.max_cost_usd),
  max_duration: definition.max_duration.default(AGENT_DEFAULTS.max_duration),
  max_schema_retries: definition.max_schema_retries.default(AGENT_DEFAULTS.max_schema_retries),
  agent_mode: definition.agent_mode.default(AGENT_DEFAULTS.agent_mode),
  local_model: definition.local_model.default(AGENT_DEFAULTS.local_model),
  remote_model: definition.remote_model.default(AGENT_DEFAULTS.remote_model),
  hybrid_max_local_attempts: definition.hybrid_max_local_attempts.default(AGENT_DEFAULTS.hybrid_max_local_attempts),
  hybrid_remote_on_schema_fail: definition.hybrid_remote_on_schema_fail.default(
    AGENT_DEFAULTS.hybrid_remote_on_schema_fail,
  ),
  hybrid_remote_on_context_overflow: definition.hybrid_remote_on_context_overflow.default(
    AGENT_DEFAULTS.hybrid_remote_on_context_overflow,
  ),
  hybrid_remote_on_timeout_ms: definition.hybrid_remote_on_timeout_ms.default(
    AGENT_DEFAULTS.hybrid_remote_on_timeout_ms,
  ),
  hybrid_fallback_forbidden: definition.hybrid_fallback_forbidden.default(AGENT_DEFAULTS.hybrid_fallback_forbidden),
  delegated_agents: definition.delegated_agents.default([]),
  grants: definition.grants.default(AGENT_DEFAULTS.grants),
  knowledge_sources: definition.knowledge_sources.default([]),
  tools: definition.tools.default([]),
  mcp_servers: definition.mcp_servers.default([]),
  system_tools: definition.system_tools.default(AGENT_DEFAULTS.system_tools),
  confirmation: definition.confirmation.default({}),
  visibility: definition.visibility.default(AGENT_DEFAULTS.visibility),
  access_level: definition.access_level.default(AGENT_DEFAULTS.access_level),
  roles: definition.roles.default([]),
});
export type CreateAgent = z.infer<typeof createAgentBody>;

/** Any part of a definition; what is not named stays as it is. */
export const changeAgentBody = z
  .strictObject({
    slug,
    provider,
    ...definition,
    max_iterations: definition.max_iterations.nullable(),
    is_active: z.boolean(),
  })
  .partial();
export type ChangeAgent = z.infer<typeof changeAgentBody>;

export const agentSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  slug: z.string(),
  provider: z.string(),
  ...definition,
  /** False where max_iterations is the default because its maker has set none. */
  max_iterations_set: z.boolean(),
  is_active: z.boolean(),
  is_builtin: z.boolean(),
  version: z.int(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Agent = z.infer<typeof agentSchema>;
export type Scope = Agent['scope'];
export type Delegate = Agent['delegated_agents'][number];

type Lists = 'examples' | 'delegated_agents' | 'knowledge_sources' | 'tools' | 'mcp_servers' | 'roles';
const NO_LISTS: Pick<Agent, Lists> = {
  examples: [],
  delegated_agents: [],
  knowledge_sources: [],
  tools: [],
  mcp_servers: [],
  roles: [],
};

/** What is not said to be passed on is not. */
const NO_GRANTS = grantsSchema.parse({});

/** What earlier builds did not store. */
interface Later {
  updated_at?: string;
  max_iterations_set?: boolean | null;
}
export type StoredAgent = Omit<Agent, 'provider' | keyof Later> & Later;

type Iterations = Pick<Agent, 'max_iterations' | 'max_iterations_set'>;

export const iterationsOf = (given: number | null | undefined): Iterations => ({
  max_iterations: given ?? AGENT_DEFAULTS.max_iterations,
  max_iterations_set: typeof given === 'number',
});

/** Earlier builds could not tell the default from a limit of the same height. */
export const setsIterations = (stored: { max_iterations?: unknown; max_iterations_set?: unknown }): boolean =>
  typeof stored.max_iterations_set === 'boolean'
    ? stored.max_iterations_set
    : stored.max_iterations !== AGENT_DEFAULTS.max_iterations;

/** A definition as this build knows it, whichever build stored it. */
export const completeAgent = (stored: StoredAgent): Agent => ({
  ...AGENT_DEFAULTS,
  ...NO_LISTS,
  ...stored,
  grants: stored.grants && { ...NO_GRANTS, ...stored.grants },
  max_iterations_set: setsIterations(stored),
  provider: providerOf(stored.model),
  updated_at: stored.updated_at ?? stored.created_at,
});

export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'agent';
