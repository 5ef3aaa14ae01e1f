import { type Agent, type ChangeAgent, iterationsOf } from '../domain/agent.ts';
import { demandSound } from '../domain/agent-soundness.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { type AgentDoc, agentCollection, toAgent, visibleTo, withinReach } from './agent-record.ts';
import { demandReferences, writeWithTools } from './agent-references.ts';
import { keepAgentVersion, slugTaken } from './agents.ts';
import { isDuplicate } from './connection.ts';
import { demandUnscheduled, demandUnused } from './definition-uses.ts';
import { activeSchedulesOfAgent } from './schedule-uses.ts';
import { demandRole, missing } from './tenancy.ts';

/** Its own maker changes a personal agent; what all members use is changed by admins alone. */
function demandChangeable(caller: Caller, doc: AgentDoc, action: string): void {
  if (doc.is_builtin) {
    throw new Failure('forbidden', `Nobody can ${action} a built-in agent; export it and import it as your own.`);
  }
  if (doc.visibility === 'workspace') demandRole(caller, doc.workspace_id, 'admin', `${action} a shared agent`);
  else demandRole(caller, doc.workspace_id, 'write', `${action} an agent`);
}

function demandVersion({ _id, name, version }: AgentDoc, expected: number | null): void {
  if (expected === null || expected === version) return;
  throw new Failure('version_conflict', `The agent ${name} is at version ${version}, not ${expected}.`, {
    id: _id,
    version,
  });
}

async function findChangeable(caller: Caller, id: string, action: string, restores = false): Promise<AgentDoc> {
  const filter = restores ? withinReach(caller) : visibleTo(caller);
  const found = await agentCollection().findOne({ $and: [{ _id: id }, filter] });
  if (!found) throw missing('agent', id);
  demandChangeable(caller, found, action);
  return found;
}

/** Nothing has happened to it since: switching it off or deleting it is no new version, and must not be undone. */
const asRead = ({ _id, version, is_active, deleted_at }: AgentDoc) => ({
  _id,
  version,
  is_active,
  deleted_at: deleted_at ?? null,
});

/** While it is deleted it keeps its slug in a form that nobody can ask for, so that another may have it. */
const SET_ASIDE = '~';
const slugOfDeleted = ({ slug, _id }: AgentDoc): string => `${slug}${SET_ASIDE}${_id}`;
const formerSlug = (slug: string): string => slug.split(SET_ASIDE, 1)[0] ?? slug;

async function changed(caller: Caller, doc: AgentDoc, change: ChangeAgent, note: string | null): Promise<AgentDoc> {
  const { provider, max_iterations, ...named } = change;
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  const { provider: _derived, id: _id, created_at: _created, updated_at: _updated, ...before } = toAgent(doc);
  const next: AgentDoc = {
    ...doc,
    ...before,
    slug: formerSlug(doc.slug),
    ...given,
    ...(max_iterations === undefined ? {} : iterationsOf(max_iterations)),
    version: doc.version + 1,
    updated_by: caller.user_id,
    updated_at: new Date(),
    deleted_at: null,
    note,
  };
  demandSound({ ...next, provider });
  await demandReferences(caller, doc.workspace_id, next, before);
  return next;
}

/** Whoever read an older version is told so; without a version to compare with, the last one who writes a field wins. */
export async function changeAgent(
  caller: Caller,
  id: string,
  change: ChangeAgent,
  expected: number | null,
  /** Said of the new version in the history. */
  note: string | null = null,
): Promise<Agent> {
  for (;;) {
    const doc = await findChangeable(caller, id, 'change', change.is_active === true);
    demandVersion(doc, expected);
    if (change.visibility === 'workspace') demandRole(caller, doc.workspace_id, 'admin', 'share an agent with all');
    const next = await changed(caller, doc, change, note);
    await keepAgentVersion(doc);
    try {
      const { matchedCount } = await writeWithTools(caller, doc.workspace_id, next, doc, (session) =>
        agentCollection().replaceOne(asRead(doc), next, session ? { session } : {}),
      );
      if (matchedCount === 0) continue;
    } catch (error) {
      if (isDuplicate(error)) throw slugTaken(next.slug);
      throw error;
    }
    await keepAgentVersion(next);
    return toAgent(next);
  }
}

/** The definition stays as it is, and so does its version. */
export async function activateAgent(caller: Caller, id: string, is_active: boolean): Promise<Agent> {
  await findChangeable(caller, id, is_active ? 'activate' : 'deactivate');
  const set = { is_active, updated_at: new Date(), updated_by: caller.user_id };
  const after = await agentCollection().findOneAndUpdate(
    { $and: [{ _id: id }, visibleTo(caller)] },
    { $set: set },
    { returnDocument: 'after' },
  );
  if (!after) throw missing('agent', id);
  return toAgent(after);
}

/** Gone for everybody, and kept: runs go on with what they began with, and who made it can bring it back. */
export async function deleteAgent(caller: Caller, id: string, expected: number | null): Promise<void> {
  const doc = await findChangeable(caller, id, 'delete');
  demandVersion(doc, expected);
  const what = `Agent ${doc.name}`;
  demandUnscheduled(what, await activeSchedulesOfAgent(doc.org_id, id));
  await demandUnused(caller, { ...doc, kind: 'agent' }, [id, doc.slug, doc.name], what);
  const gone = { is_active: false, slug: slugOfDeleted(doc), deleted_at: new Date(), updated_by: caller.user_id };
  const { matchedCount } = await agentCollection().updateOne(asRead(doc), { $set: gone });
  if (matchedCount === 0) return deleteAgent(caller, id, expected);
}
