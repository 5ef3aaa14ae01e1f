import type { Definition, DefinitionKind } from '../domain/definition.ts';
import { type Content, DEFINITIONS } from '../domain/definition-kinds.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { asOne, isDuplicate, type Session } from './connection.ts';
import { type DefinitionDoc, definitionCollection, keepDefinitionVersion, toDefinition } from './definition-record.ts';
import { demandDefinitionReferences } from './definition-references.ts';
import { demandUnscheduled, demandUnused, namesOf, nounOf } from './definition-uses.ts';
import { builtinsOf, nameTaken } from './definitions.ts';
import { demandSameServer } from './owned-credentials.ts';
import { activeSchedulesOf } from './schedule-uses.ts';
import { boundedBy, demandRole, missing } from './tenancy.ts';

/** Any part of it; what is not named stays as it is. */
export interface DefinitionChanges {
  name?: string | undefined;
  description?: string | undefined;
  is_active?: boolean | undefined;
  content: Content;
  /** Said of the new version in the history. */
  note?: string;
}

const isKeeper = (caller: Caller, { kind, created_by, workspace_id }: DefinitionDoc): boolean =>
  holds(caller, workspace_id, 'admin') ||
  (created_by === caller.user_id && holds(caller, workspace_id, DEFINITIONS[kind].maker));

function demandKeeper(caller: Caller, doc: DefinitionDoc, action: string): void {
  const { noun, maker } = DEFINITIONS[doc.kind];
  demandRole(caller, doc.workspace_id, maker, `${action} ${DEFINITIONS[doc.kind].nouns}`);
  if (isKeeper(caller, doc)) return;
  throw new Failure('forbidden', `Only who made the ${noun} ${doc.name} and admins can ${action} it.`, { id: doc._id });
}

async function findChangeable(
  caller: Caller,
  kind: DefinitionKind,
  id: string,
  action: string,
  restores: boolean,
): Promise<DefinitionDoc> {
  const { noun } = DEFINITIONS[kind];
  const builtin = builtinsOf(kind).find((each) => each.id === id);
  if (builtin) throw new Failure('forbidden', `Nobody can ${action} the built-in ${noun} ${builtin.name}.`, { id });
  const doc = await definitionCollection().findOne({ $and: [{ _id: id, kind }, boundedBy(caller)] });
  if (!doc || (!doc.is_active && !(restores && isKeeper(caller, doc)))) throw missing(noun, id);
  demandKeeper(caller, doc, action);
  return doc;
}

function demandVersion({ _id, kind, name, version }: DefinitionDoc, expected: number | null): void {
  if (expected === null || expected === version) return;
  const what = `The ${DEFINITIONS[kind].noun} ${name} is at version ${version}, not ${expected}.`;
  throw new Failure('version_conflict', what, { id: _id, version });
}

/** Nothing has happened to it since: switching it off is no new version, and must not be undone. */
const asRead = ({ _id, version, is_active }: DefinitionDoc) => ({ _id, version, is_active });

const whatIs = ({ kind, name }: DefinitionDoc): string => `${nounOf[kind]} ${name}`;

/** The names that others refer to it by, and that it loses. */
function namesLost(doc: DefinitionDoc, next: Pick<DefinitionDoc, 'is_active' | 'name'>): string[] {
  if (!next.is_active) return namesOf(doc);
  return doc.is_active && next.name !== doc.name ? [doc.name] : [];
}

/**
 * Written first, and only then is it asked who refers to it: whoever came to do so before is found, and who does so from
 * now on has to wait, and finds it gone. False where it is no longer as it was read.
 */
async function replace(caller: Caller, doc: DefinitionDoc, next: DefinitionDoc): Promise<boolean> {
  const lost = namesLost(doc, next);
  const write = async (session: Session | null) =>
    (await definitionCollection().replaceOne(asRead(doc), next, session ? { session } : {})).matchedCount > 0;
  if (lost.length === 0) return write(null);
  return asOne(async (session) => {
    const isWritten = await write(session);
    if (isWritten) await demandUnused(caller, doc, lost, whatIs(doc), { session });
    return isWritten;
  });
}

async function demandChange(caller: Caller, doc: DefinitionDoc, next: DefinitionDoc): Promise<void> {
  if (doc.kind === 'workflow') demandUnscheduled(whatIs(doc), await activeSchedulesOf(doc.org_id, doc._id));
  DEFINITIONS[doc.kind].demandSound(next.name, next.content);
  await demandDefinitionReferences(caller, next, doc);
  if (doc.kind === 'integration') {
    await demandSameServer(caller, doc._id, String(doc.content.base_url), String(next.content.base_url));
  }
}

/** Whoever read an older version is told so; without a version to compare with, the last one who writes a field wins. */
export async function changeDefinition(
  caller: Caller,
  kind: DefinitionKind,
  id: string,
  { name, description, is_active, content, note }: DefinitionChanges,
  expected: number | null,
): Promise<Definition> {
  for (;;) {
    const doc = await findChangeable(caller, kind, id, 'change', is_active === true);
    demandVersion(doc, expected);
    const merged = { ...doc.content, ...content };
    const next: DefinitionDoc = {
      ...doc,
      name: name ?? doc.name,
      description: description ?? doc.description,
      is_active: is_active ?? doc.is_active,
      content: merged,
      uses: DEFINITIONS[kind].uses(merged),
      version: doc.version + 1,
      note: note ?? null,
      updated_by: caller.user_id,
      updated_at: new Date(),
    };
    await demandChange(caller, doc, next);
    await keepDefinitionVersion(doc);
    try {
      if (!(await replace(caller, doc, next))) continue;
    } catch (error) {
      if (isDuplicate(error)) throw nameTaken(kind, next.name);
      throw error;
    }
    await keepDefinitionVersion(next);
    return toDefinition(next);
  }
}

/** Gone for everybody, and kept: runs go on with what they began with, and who made it can bring it back. */
export async function deleteDefinition(
  caller: Caller,
  kind: DefinitionKind,
  id: string,
  expected: number | null,
): Promise<void> {
  const doc = await findChangeable(caller, kind, id, 'delete', false);
  demandVersion(doc, expected);
  if (doc.kind === 'workflow') demandUnscheduled(whatIs(doc), await activeSchedulesOf(doc.org_id, doc._id));
  const off = { is_active: false, updated_by: caller.user_id, updated_at: new Date() };
  if (!(await replace(caller, doc, { ...doc, ...off }))) return deleteDefinition(caller, kind, id, expected);
}

export interface BulkOutcome {
  deleted: string[];
  failed: { id: string; reason: string }[];
}

/** Each on its own: what cannot be deleted keeps nothing else from being so. */
export async function deleteDefinitions(caller: Caller, kind: DefinitionKind, ids: string[]): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { deleted: [], failed: [] };
  for (const id of new Set(ids)) {
    try {
      await deleteDefinition(caller, kind, id, null);
      outcome.deleted.push(id);
    } catch (error) {
      if (!isFailure(error)) throw error;
      outcome.failed.push({ id, reason: error.message });
    }
  }
  return outcome;
}
