import { type Agent, type CreateAgent, iterationsOf, slugOf } from '../domain/agent.ts';
import { demandSound } from '../domain/agent-soundness.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { type AgentDoc, AgentModel, agentCollection, toAgent, visibleTo } from './agent-record.ts';
import { demandReferences, writeWithTools } from './agent-references.ts';
import { isDuplicate } from './connection.ts';
import { keepVersion } from './definition-versions.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { demandRole, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

/** `slug_wish` is taken where nobody has it; a slug that is asked for is given or refused. */
export type NewAgent = CreateAgent & { id: string; slug_wish?: string | undefined };

function fresh(
  { id, provider: _, slug_wish, max_iterations, ...definition }: NewAgent,
  orgId: string,
  userId: string,
  builtin: boolean,
): AgentDoc {
  const now = new Date();
  return {
    _id: id,
    org_id: orgId,
    ...definition,
    ...iterationsOf(max_iterations),
    slug: definition.slug ?? slug_wish ?? slugOf(definition.name),
    is_active: true,
    is_builtin: builtin,
    version: 1,
    created_by: userId,
    created_at: now,
    updated_by: userId,
    updated_at: now,
    deleted_at: null,
    note: null,
  };
}

/** Set-up only. */
export async function ensureBuiltinAgent(orgId: string, systemUserId: string, agent: NewAgent): Promise<void> {
  await insertOnce(AgentModel, fresh(agent, orgId, systemUserId, true));
}

/** Before it is changed again and after each change: whoever dies in between, none is missing once there is a newer one. */
export async function keepAgentVersion(doc: AgentDoc): Promise<void> {
  const { id, created_at: _at, updated_at, is_active: _active, ...definition } = toAgent(doc);
  await keepVersion({
    kind: 'agent',
    definition_id: id,
    version: doc.version,
    org_id: doc.org_id,
    workspace_id: doc.workspace_id,
    definition,
    note: doc.note ?? null,
    updated_by: doc.updated_by ?? doc.created_by,
    updated_at: new Date(updated_at),
  });
}

export const slugTaken = (slug: string): Failure =>
  new Failure('conflict', `The workspace has an agent with the slug ${slug} already; choose another.`, { slug });

/** Safe to repeat with the same id: the second time meets the first. */
export async function createAgent(caller: Caller, agent: NewAgent): Promise<Agent> {
  await demandWorkspace(caller, agent.workspace_id, 'write', 'make agents');
  if (agent.visibility === 'workspace') demandRole(caller, agent.workspace_id, 'admin', 'share an agent with all');
  demandSound(agent);
  await demandReferences(caller, agent.workspace_id, agent);
  const doc = fresh(agent, caller.org_id, caller.user_id, false);
  const { slug } = doc;
  for (let n = 2; ; n++) {
    try {
      await writeWithTools(caller, doc.workspace_id, doc, undefined, (session) =>
        AgentModel.create([doc], { session }),
      );
      await keepAgentVersion(doc);
      return toAgent(doc);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const own = await agentCollection().findOne({ $and: [{ _id: doc._id }, visibleTo(caller)] });
      if (own) return toAgent(own);
      if (agent.slug !== undefined || n > 100) throw slugTaken(slug);
      // A slug made from the name or only wished for gives way; one that was asked for does not.
      doc.slug = `${slug.slice(0, 60)}-${n}`;
    }
  }
}

export async function findAgent(caller: Caller, id: string): Promise<Agent> {
  const found = await agentCollection().findOne({ $and: [{ _id: id }, visibleTo(caller)] });
  if (!found) throw missing('agent', id);
  return toAgent(found);
}

/** By slug, else by name, among all the caller sees; two of the same name must be told apart by workspace or id. */
export async function findAgentByName(caller: Caller, name: string, workspaceId?: string): Promise<Agent> {
  const named = { $or: [{ slug: name }, { name }] };
  const found = await agentCollection()
    .find({ $and: [named, visibleTo(caller, workspaceId)] })
    .limit(20)
    .toArray();
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
