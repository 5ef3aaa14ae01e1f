import { type DefinitionKind, referenceTo, type Use, type VersionedKind } from '../domain/definition.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { agentCollection, visibleTo } from './agent-record.ts';
import type { Session } from './connection.ts';
import { definitionCollection } from './definition-record.ts';

interface Used {
  _id: string;
  kind: VersionedKind;
  org_id: string;
  workspace_id: string;
  name: string;
}

interface Uses {
  seen: Use[];
  /** Those the caller cannot see are counted, and not named. */
  unseen: number;
}

/** As part of what is done as one, or by itself. */
type Within = { session?: Session };

const MOST = 100;

async function definitionsUsing(
  { _id, org_id, workspace_id }: Used,
  references: string[],
  within: Within,
): Promise<Uses> {
  const using = { org_id, workspace_id, is_active: true, uses: { $in: references }, _id: { $ne: _id } };
  const found = await definitionCollection().find(using, within).limit(MOST).toArray();
  return { seen: found.map(({ kind, _id: id, name }) => ({ kind, id, name })), unseen: 0 };
}

async function agentsUsing(
  caller: Caller,
  { org_id, workspace_id }: Used,
  filter: object,
  within: Within,
): Promise<Uses> {
  const using = { org_id, workspace_id, is_active: true, deleted_at: null, ...filter };
  // One after the other: what is done as one has no two things under way at once.
  const all = await agentCollection().countDocuments(using, within);
  const seen = await agentCollection()
    .find({ $and: [using, visibleTo(caller)] }, { projection: { name: 1 }, ...within })
    .limit(MOST)
    .toArray();
  return { seen: seen.map((agent) => ({ kind: 'agent', id: agent._id, name: agent.name })), unseen: all - seen.length };
}

const NOBODY: Uses = { seen: [], unseen: 0 };

/** Active agents and definitions that refer to it under one of these names. */
export async function usesOf(caller: Caller, used: Used, names: string[], within: Within = {}): Promise<Uses> {
  const references = names.map((name) => referenceTo(used.kind, name));
  const ofAgents =
    used.kind === 'tool'
      ? await agentsUsing(
          caller,
          used,
          { $or: [{ tools: { $in: names } }, { 'grants.tools': { $in: names } }] },
          within,
        )
      : used.kind === 'agent'
        ? await agentsUsing(caller, used, { 'delegated_agents.agent_id': used._id, _id: { $ne: used._id } }, within)
        : NOBODY;
  const ofDefinitions = await definitionsUsing(used, references, within);
  return { seen: [...ofAgents.seen, ...ofDefinitions.seen], unseen: ofAgents.unseen + ofDefinitions.unseen };
}

const inWords = ({ seen, unseen }: Uses): string => {
  const named = seen.slice(0, 3).map(({ kind, name }) => `the ${kind} ${name}`);
  const more = seen.length + unseen - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
};

/** Refused while anything active refers to it, with the list. */
export async function demandUnused(
  caller: Caller,
  used: Used,
  names: string[],
  what: string,
  within: Within = {},
): Promise<void> {
  const uses = await usesOf(caller, used, names, within);
  if (uses.seen.length + uses.unseen === 0) return;
  throw new Failure('in_use', `${what} is in use by ${inWords(uses)}.`, { used_by: uses.seen, unseen: uses.unseen });
}

/** Schedules would start it in another form, or not at all. */
export function demandUnscheduled(what: string, schedules: Use[]): void {
  if (schedules.length === 0) return;
  throw new Failure('has_schedules', `${what} has ${schedules.length} active schedule(s).`, {
    schedules: schedules.map(({ id, name }) => ({ id, name })),
    used_by: schedules,
    unseen: 0,
  });
}

export const namesOf = ({ _id, name }: Pick<Used, '_id' | 'name'>): string[] => [_id, name];

export const nounOf: Record<DefinitionKind, string> = {
  tool: 'Tool',
  workflow: 'Workflow',
  evaluator: 'Evaluator',
  integration: 'Integration',
};
