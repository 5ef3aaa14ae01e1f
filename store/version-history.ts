import { changeAgentBody, setsIterations } from '../domain/agent.ts';
import { ID_PREFIX, kindOfId, type VersionedKind } from '../domain/definition.ts';
import {
  changesBetween,
  changesInWords,
  type DefinitionVersion,
  restorable,
  type VersionDiff,
  type VersionLine,
  type VersionList,
} from '../domain/definition-diff.ts';
import { DEFINITIONS } from '../domain/definition-kinds.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { changeAgent } from './agent-changes.ts';
import { agentCollection, visibleTo } from './agent-record.ts';
import { keepAgentVersion } from './agents.ts';
import { changeDefinition } from './definition-changes.ts';
import { activeFor, definitionCollection, keepDefinitionVersion } from './definition-record.ts';
import { type KeptVersion, versionsBelow } from './definition-versions.ts';
import { builtinsOf } from './definitions.ts';
import { missing } from './tenancy.ts';
import { usersById } from './users.ts';

interface Place {
  kind: VersionedKind;
  id: string;
  org_id: string;
}

/**
 * A definition whose history the caller may see, whatever it is. Its newest version is kept here as well: who made it
 * may have died before that, and what comes with the product has no other.
 */
async function placeOf(caller: Caller, id: string): Promise<Place> {
  const kind = kindOfId(id);
  if (kind === null) throw missing('definition', id);
  if (kind === 'agent') {
    const found = await agentCollection().findOne({ $and: [{ _id: id }, visibleTo(caller)] });
    if (!found) throw missing('agent', id);
    await keepAgentVersion(found);
    return { kind, id, org_id: found.org_id };
  }
  const found = await definitionCollection().findOne({ $and: [{ _id: id }, activeFor(caller, kind)] });
  if (!found) throw missing(DEFINITIONS[kind].noun, id);
  await keepDefinitionVersion(found);
  return { kind, id, org_id: found.org_id };
}

const builtin = (id: string) => {
  const kind = kindOfId(id);
  return kind === null || kind === 'agent' ? undefined : builtinsOf(kind).find((each) => each.id === id);
};

async function lines(caller: Caller, versions: KeptVersion[], earlier: KeptVersion[]): Promise<VersionLine[]> {
  const people = await usersById(caller, [...new Set(versions.map(({ updated_by }) => updated_by))]);
  return versions.map(({ version, definition, note, updated_by, updated_at }) => {
    const before = earlier.find((other) => other.version === version - 1);
    return {
      version,
      changes: note ?? (version > 1 && !before ? 'Changed' : changesInWords(before?.definition ?? null, definition)),
      updated_by,
      updated_by_name: people.get(updated_by)?.name ?? null,
      updated_at: updated_at.toISOString(),
    };
  });
}

const NEWEST = Number.MAX_SAFE_INTEGER;

/** Newest first. */
export async function listVersions(
  caller: Caller,
  id: string,
  { limit, below = NEWEST }: { limit: number; below?: number | undefined },
): Promise<VersionList> {
  const given = builtin(id);
  if (given) {
    const line = { version: 1, changes: 'Comes with the product', updated_by: given.created_by, updated_by_name: null };
    const versions = [{ ...line, updated_at: given.updated_at }];
    return { definition_id: id, kind: 'tool', versions, next_cursor: null };
  }
  const place = await placeOf(caller, id);
  const found = await versionsBelow(place, below, limit + 1);
  const shown = found.slice(0, limit);
  return {
    definition_id: id,
    kind: place.kind,
    ...(place.kind === 'agent' ? { agent_id: id } : {}),
    versions: await lines(caller, shown, found),
    next_cursor: found.length > limit ? String(shown.at(-1)?.version) : null,
  };
}

async function versionOf(place: Place, version: number): Promise<{ found: KeptVersion; before: KeptVersion[] }> {
  const [found, ...before] = await versionsBelow(place, version + 1, 2);
  if (found?.version !== version) throw missing('version', `${version} of ${place.id}`);
  return { found, before };
}

export async function findVersion(caller: Caller, id: string, version: number): Promise<DefinitionVersion> {
  const given = builtin(id);
  if (given && version === 1) {
    const [line] = (await listVersions(caller, id, { limit: 1 })).versions;
    if (line) return { definition_id: id, kind: 'tool', ...line, definition: given };
  }
  const place = await placeOf(caller, id);
  const { found, before } = await versionOf(place, version);
  const [line] = await lines(caller, [found], before);
  if (!line) throw missing('version', `${version} of ${id}`);
  return { definition_id: id, kind: place.kind, ...line, definition: found.definition };
}

export async function diffVersions(caller: Caller, id: string, from: number, to: number): Promise<VersionDiff> {
  const [before, after] = [await findVersion(caller, id, from), await findVersion(caller, id, to)];
  const changes = changesBetween(before.definition, after.definition);
  return { definition_id: id, kind: after.kind, from, to, changes };
}

const AGENT_FIELDS = Object.keys(changeAgentBody.shape).filter(
  (field) => field !== 'is_active' && field !== 'provider',
);

/** A new version that is like an old one. Every rule of a change holds for it as well. */
export async function rollBack(
  caller: Caller,
  id: string,
  version: number,
  expected: number | null,
): Promise<DefinitionVersion> {
  if (builtin(id)) throw new Failure('forbidden', 'What comes with the product cannot be changed.', { id });
  const { kind, definition } = await findVersion(caller, id, version);
  const note = `Rolled back to version ${version}`;
  if (kind === 'agent') {
    const named = restorable(definition, AGENT_FIELDS);
    const change = changeAgentBody.parse(setsIterations(definition) ? named : { ...named, max_iterations: null });
    const agent = await changeAgent(caller, id, change, expected, note);
    return findVersion(caller, id, agent.version);
  }
  const { create } = DEFINITIONS[kind];
  const {
    name,
    description,
    workspace_id: _ws,
    is_active: _on,
    ...content
  } = create.parse(restorable(definition, Object.keys(create.shape))) as Record<string, unknown>;
  const named = { name: String(name), description: String(description) };
  const next = await changeDefinition(caller, kind, id, { ...named, content, note }, expected);
  return findVersion(caller, id, next.version);
}

export const VERSIONED_PREFIXES = Object.values(ID_PREFIX);
