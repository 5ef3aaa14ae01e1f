import mongoose from 'mongoose';
import { type Agent, completeAgent, type StoredAgent } from '../domain/agent.ts';
import { type Caller, type Role, rolesWithin } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';
import { boundedBy } from './tenancy.ts';

export interface AgentDoc extends Omit<StoredAgent, 'id' | 'created_at' | 'updated_at' | 'max_iterations_set'> {
  _id: string;
  org_id: string;
  created_at: Date;
  /** These are not there in what earlier builds stored. */
  max_iterations_set: boolean | null;
  updated_at: Date | null;
  updated_by: string | null;
  /** Deleted ones are off as well, so that nothing that only looks at is_active starts them. */
  deleted_at: Date | null;
  /** Said of this version in the history, where the fields that changed do not say it. */
  note: string | null;
}

const mixed = mongoose.Schema.Types.Mixed;
const schema = new mongoose.Schema<AgentDoc>(
  {
    _id: String,
    org_id: String,
    workspace_id: String,
    slug: String,
    name: String,
    description: String,
    examples: mixed,
    model: String,
    system_prompt: String,
    scope: mixed,
    can_read: Boolean,
    can_write: Boolean,
    can_create: Boolean,
    can_delete: Boolean,
    can_execute_code: Boolean,
    can_access_integrations: Boolean,
    command_network: Boolean,
    max_tokens_per_request: Number,
    max_iterations: Number,
    max_iterations_set: Boolean,
    max_token_budget: Number,
    max_requests_per_hour: Number,
    max_cost_usd: Number,
    max_duration: Number,
    max_schema_retries: Number,
    agent_mode: String,
    local_model: String,
    remote_model: String,
    hybrid_max_local_attempts: Number,
    hybrid_remote_on_schema_fail: Number,
    hybrid_remote_on_context_overflow: Boolean,
    hybrid_remote_on_timeout_ms: Number,
    hybrid_fallback_forbidden: Boolean,
    delegated_agents: mixed,
    grants: mixed,
    knowledge_sources: mixed,
    tools: mixed,
    mcp_servers: mixed,
    system_tools: mixed,
    confirmation: mixed,
    visibility: String,
    access_level: String,
    roles: mixed,
    is_active: Boolean,
    is_builtin: Boolean,
    version: Number,
    created_by: String,
    created_at: Date,
    updated_by: String,
    updated_at: Date,
    deleted_at: Date,
    note: String,
  },
  { collection: 'agents', versionKey: false, minimize: false },
);
schema.index({ workspace_id: 1, slug: 1 }, { unique: true });
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
export const AgentModel = mongoose.model<AgentDoc>('Agent', schema);
export const agentCollection = () => nativeCollection<AgentDoc>('agents');

export const toAgent = ({
  _id,
  org_id: _org,
  created_at,
  updated_at,
  updated_by: _by,
  deleted_at: _deleted,
  note: _note,
  ...rest
}: AgentDoc): Agent =>
  completeAgent({
    id: _id,
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: (updated_at ?? created_at).toISOString(),
  });

type Filter = mongoose.mongo.Filter<AgentDoc>;

/** Shared ones: for admins all of them, for other members those that are on and open to their role. */
function sharedWith(caller: Caller): Filter {
  if (caller.is_owner) return { visibility: 'workspace' };
  const whereOnly = (role: Role) => ({
    $in: Object.keys(caller.roles).filter((workspaceId) => caller.roles[workspaceId] === role),
  });
  const open = (role: Role) => ({ workspace_id: whereOnly(role), roles: { $in: rolesWithin(role) } });
  return {
    visibility: 'workspace',
    $or: [
      { workspace_id: whereOnly('admin') },
      { is_active: true, $or: [{ access_level: { $ne: 'role_based' } }, open('read'), open('write')] },
    ],
  };
}

/** Also what was deleted, for those who may bring it back. */
export const withinReach = (caller: Caller, workspaceId?: string): Filter => ({
  $and: [
    boundedBy(caller, workspaceId),
    { $or: [{ is_builtin: true }, { created_by: caller.user_id }, sharedWith(caller)] },
  ],
});

/** Built-in agents are for all members of the workspace, a personal one for its maker alone. */
export const visibleTo = (caller: Caller, workspaceId?: string): Filter => ({
  $and: [{ deleted_at: null }, withinReach(caller, workspaceId)],
});
