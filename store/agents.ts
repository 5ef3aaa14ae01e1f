import mongoose from 'mongoose';
import { type Agent, type CreateAgent, completeAgent, slugOf } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { isDuplicate, nativeCollection } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { boundedBy, demandRole, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

interface AgentDoc extends Omit<Agent, 'id' | 'created_at'> {
  _id: string;
  org_id: string;
  created_at: Date;
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
    model: String,
    system_prompt: String,
    scope: mixed,
    can_read: Boolean,
    can_write: Boolean,
    can_create: Boolean,
    can_delete: Boolean,
    can_execute_code: Boolean,
    can_access_integrations: Boolean,
    max_tokens_per_request: Number,
    max_iterations: Number,
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
    hybrid_timeout_ms: Number,
    hybrid_fallback_forbidden: Boolean,
    delegated_agents: mixed,
    grants: mixed,
    knowledge_sources: mixed,
    confirmation: mixed,
    visibility: String,
    is_active: Boolean,
    is_builtin: Boolean,
    version: Number,
    created_by: String,
    created_at: Date,
  },
  { collection: 'agents', versionKey: false, minimize: false },
);
schema.index({ workspace_id: 1, slug: 1 }, { unique: true });
schema.index({ org_id: 1, workspace_id: 1, created_at: 1, _id: 1 });
const AgentModel = mongoose.model<AgentDoc>('Agent', schema);
const agents = () => nativeCollection<AgentDoc>('agents');

function toAgent({ _id, org_id: _org, created_at, ...rest }: AgentDoc): Agent {
  return completeAgent({ id: _id, ...rest, created_at: created_at.toISOString() });
}

/** Built-in and shared agents are for all members of the workspace, a personal one for its maker alone. */
const visibleTo = (caller: Caller, workspaceId?: string): mongoose.mongo.Filter<AgentDoc> => ({
  $and: [
    boundedBy(caller, workspaceId),
    { $or: [{ is_builtin: true }, { visibility: 'workspace' }, { created_by: caller.user_id }] },
  ],
});

export type NewAgent = CreateAgent & { id: string };

const fresh = ({ id, ...definition }: NewAgent, orgId: string, userId: string, builtin: boolean): AgentDoc => ({
  _id: id,
  org_id: orgId,
  ...definition,
  slug: definition.slug ?? slugOf(definition.name),
  is_active: true,
  is_builtin: builtin,
  version: 1,
  created_by: userId,
  created_at: new Date(),
});

/** Set-up only. */
export async function ensureBuiltinAgent(orgId: string, systemUserId: string, agent: NewAgent): Promise<void> {
  await insertOnce(AgentModel, fresh(agent, orgId, systemUserId, true));
}

/** Who lists another agent passes its rights on: so it must be one they can see and start themselves. */
async function demandDelegates(caller: Caller, { delegated_agents, workspace_id }: NewAgent): Promise<void> {
  const ids = delegated_agents.map(({ agent_id }) => agent_id);
  if (ids.length === 0) return;
  const found = await agents()
    .find({ $and: [{ _id: { $in: ids } }, visibleTo(caller, workspace_id)] }, { projection: { _id: 1 } })
    .toArray();
  const unknown = ids.filter((id) => !found.some(({ _id }) => _id === id));
  if (unknown.length > 0) throw missing('agent', unknown[0] ?? '');
}

/** Safe to repeat with the same id: the second time meets the first. */
export async function createAgent(caller: Caller, agent: NewAgent): Promise<Agent> {
  await demandWorkspace(caller, agent.workspace_id, 'write', 'make agents');
  if (agent.visibility === 'workspace') demandRole(caller, agent.workspace_id, 'admin', 'share an agent with all');
  await demandDelegates(caller, agent);
  const doc = fresh(agent, caller.org_id, caller.user_id, false);
  const { slug } = doc;
  for (let n = 2; ; n++) {
    try {
      await AgentModel.create(doc);
      return toAgent(doc);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const own = await AgentModel.findOne({ $and: [{ _id: doc._id }, visibleTo(caller)] }).lean<AgentDoc>();
      if (own) return toAgent(own);
      if (agent.slug !== undefined || n > 100) {
        throw new Failure('conflict', `The workspace has an agent with the slug ${slug} already; choose another.`, {
          slug,
        });
      }
      // A slug made from the name gives way; one that was asked for does not.
      doc.slug = `${slug.slice(0, 60)}-${n}`;
    }
  }
}

export async function findAgent(caller: Caller, id: string): Promise<Agent> {
  const found = await agents().findOne({ $and: [{ _id: id }, visibleTo(caller)] });
  if (!found) throw missing('agent', id);
  return toAgent(found);
}

/** By slug, else by name, among all the caller sees; two of the same name must be told apart by workspace or id. */
export async function findAgentByName(caller: Caller, name: string, workspaceId?: string): Promise<Agent> {
  const named = { $or: [{ slug: name }, { name }] };
  const found = await AgentModel.find({ $and: [named, visibleTo(caller, workspaceId)] })
    .limit(20)
    .lean<AgentDoc[]>();
  const bySlug = found.filter(({ slug }) => slug === name);
  const [one, ...more] = bySlug.length > 0 ? bySlug : found;
  if (!one) throw missing('agent', name);
  if (more.length > 0) {
    throw new Failure('invalid_request', `Several agents are called ${name}; give agent_id or workspace_id.`, {
      candidates: [one, ...more].map(({ _id, workspace_id, slug }) => ({ id: _id, workspace_id, slug })),
    });
  }
  return toAgent(one);
}

export async function listAgents(
  caller: Caller,
  workspaceId: string | undefined,
  page: PageRequest,
): Promise<Page<Agent>> {
  if (workspaceId !== undefined) await findWorkspace(caller, workspaceId);
  return readPage(AgentModel, visibleTo(caller, workspaceId), page, toAgent);
}
