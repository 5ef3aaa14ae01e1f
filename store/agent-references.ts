import type { Agent, Scope } from '../domain/agent.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { isSystemTool } from '../domain/system-tools.ts';
import { ALL } from '../domain/word-lists.ts';
import { agentCollection, visibleTo } from './agent-record.ts';
import { asOne, nativeCollection, type Session } from './connection.ts';
import { activeFor, definitionCollection } from './definition-record.ts';
import { sourceCollection } from './knowledge.ts';
import { boundedBy } from './tenancy.ts';

export interface Named {
  id: string;
  name: string;
}

/** What agents refer to. Agents go by slug where others go by name. */
export type ReferenceKind = 'notebooks' | 'knowledge_sources' | 'delegated_agents';
export type Wanted = Record<ReferenceKind, string[]>;
export type Found = Record<ReferenceKind, Named[]>;

interface NotebookRow {
  _id: string;
  org_id: string;
  workspace_id: string;
  name: string;
}

const MOST = 5_000;

/** Those of the workspace that the caller can see and use; agents only where they can be started. */
export async function findReferences(
  caller: Caller,
  workspaceId: string,
  wanted: Wanted,
  by: 'id' | 'name',
): Promise<Found> {
  const within = boundedBy(caller, workspaceId);
  const called = (ids: string[]) => (by === 'id' ? { _id: { $in: ids } } : { name: { $in: ids } });
  const { notebooks, knowledge_sources, delegated_agents } = wanted;
  const rows = nativeCollection<NotebookRow>('notebooks');
  const slugged = by === 'id' ? { _id: { $in: delegated_agents } } : { slug: { $in: delegated_agents } };
  const startable = { $and: [slugged, { is_active: true }, visibleTo(caller, workspaceId)] };
  const [found, sources, agents] = await Promise.all([
    notebooks.length === 0
      ? []
      : rows
          .find({ ...called(notebooks), ...within })
          .limit(MOST)
          .toArray(),
    knowledge_sources.length === 0
      ? []
      : sourceCollection()
          .find({ ...called(knowledge_sources), ...within, is_whole: true })
          .limit(MOST)
          .toArray(),
    delegated_agents.length === 0 ? [] : agentCollection().find(startable).limit(MOST).toArray(),
  ]);
  const named = ({ _id, name }: { _id: string; name: string }): Named => ({ id: _id, name });
  return {
    notebooks: found.map(named),
    knowledge_sources: sources.map(named),
    delegated_agents: agents.map(({ _id, slug }) => ({ id: _id, name: slug })),
  };
}

interface Reference {
  kind: ReferenceKind;
  field: string;
  id: string;
}

type Tooled = Partial<Pick<Agent, 'tools' | 'grants'>>;
type Referring = Pick<Agent, 'scope' | 'grants' | 'knowledge_sources' | 'delegated_agents'>;

const inSources = (field: string, sources: string[]): Reference[] =>
  sources.map((id, n) => ({ kind: 'knowledge_sources', field: `${field}.${n}`, id }));

const inScope = (field: string, { notebooks = [] }: Scope): Reference[] =>
  notebooks.map((id, n) => ({ kind: 'notebooks', field: `${field}.notebooks.${n}`, id }));

function referencesIn({ scope, grants, knowledge_sources, delegated_agents }: Referring): Reference[] {
  const all: Reference[] = [
    ...inScope('scope', scope),
    ...inSources('knowledge_sources', knowledge_sources),
    ...(grants ? inScope('grants.scope', grants.scope) : []),
    ...(grants ? inSources('grants.knowledge_sources', grants.knowledge_sources) : []),
    ...delegated_agents.map(
      ({ agent_id }, n): Reference => ({
        kind: 'delegated_agents',
        field: `delegated_agents.${n}.agent_id`,
        id: agent_id,
      }),
    ),
  ];
  return all.filter(({ kind, id }) => kind === 'delegated_agents' || id !== ALL);
}

/** By kind, each id once. */
export function wantedBy(definition: Referring): Wanted {
  const references = referencesIn(definition);
  const ids = (wanted: ReferenceKind) => [
    ...new Set(references.flatMap(({ kind, id }) => (kind === wanted ? id : []))),
  ];
  return {
    notebooks: ids('notebooks'),
    knowledge_sources: ids('knowledge_sources'),
    delegated_agents: ids('delegated_agents'),
  };
}

const SAID: Record<ReferenceKind, string> = {
  notebooks: 'the workspace has no notebook',
  knowledge_sources: 'the workspace has no knowledge source',
  // Who lists another agent passes its rights on: so it must be one they can see and start themselves.
  delegated_agents: 'you can see and start no agent of the workspace called',
};

/** Tools go by name: those of the workspace, and those that come with the product. */
const toolsIn = ({ tools = [], grants }: Tooled): { field: string; name: string }[] => [
  ...tools.map((name, n) => ({ field: `tools.${n}`, name })),
  ...(grants?.tools ?? []).map((name, n) => ({ field: `grants.tools.${n}`, name })),
];

/** Those that it did not refer to before: what it did may stay. */
function addedTools(definition: Tooled, before: Tooled | undefined): { field: string; name: string }[] {
  const known = new Set([ALL, ...(before ? toolsIn(before).map(({ name }) => name) : [])]);
  return toolsIn(definition).filter(({ name }) => !known.has(name) && !isSystemTool(name));
}

const toolsNamed = (caller: Caller, workspaceId: string, names: string[]) => ({
  $and: [{ name: { $in: names } }, activeFor(caller, 'tool', workspaceId)],
});

/**
 * Writes an agent while the tools it newly refers to are held: whoever deletes one of them at that moment comes first, and
 * it is refused, or second, and finds it in use. Two writes of one document exclude each other; a look and a write do not.
 */
export async function writeWithTools<T>(
  caller: Caller,
  workspaceId: string,
  definition: Tooled,
  before: Tooled | undefined,
  write: (session: Session | null) => Promise<T>,
): Promise<T> {
  const wanted = addedTools(definition, before);
  if (wanted.length === 0) return write(null);
  const held = toolsNamed(
    caller,
    workspaceId,
    wanted.map(({ name }) => name),
  );
  return asOne(async (session) => {
    await definitionCollection().updateMany(held, { $inc: { referred: 1 } }, { session });
    const found = await definitionCollection().find(held, { session }).project<{ name: string }>({ name: 1 }).toArray();
    const unknown = wanted.find(({ name }) => !found.some((tool) => tool.name === name));
    if (!unknown) return write(session);
    const said = `the workspace has no tool ${unknown.name}.`;
    throw new Failure('invalid_request', `${unknown.field}: ${said}`, {
      in: 'body',
      fields: { [unknown.field]: said },
    });
  });
}

/**
 * Whatever a definition newly refers to is there, and the caller may use it; its tools are looked for where they are held.
 * What it referred to before may stay.
 */
export async function demandReferences(
  caller: Caller,
  workspaceId: string,
  definition: Referring,
  before?: Referring,
): Promise<void> {
  const known = before && wantedBy(before);
  const added = referencesIn(definition).filter(({ kind, id }) => !known?.[kind].includes(id));
  if (added.length === 0) return;
  const found = await findReferences(caller, workspaceId, wantedBy(definition), 'id');
  const unknown = added.find(({ kind, id }) => !found[kind].some((each) => each.id === id));
  if (!unknown) return;
  const said = `${SAID[unknown.kind]} ${unknown.id}.`;
  throw new Failure('invalid_request', `${unknown.field}: ${said}`, { in: 'body', fields: { [unknown.field]: said } });
}
