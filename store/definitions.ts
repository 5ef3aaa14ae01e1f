import type { Definition, DefinitionKind } from '../domain/definition.ts';
import { type Content, DEFINITIONS } from '../domain/definition-kinds.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { builtinTools } from './builtin-tools.ts';
import { isDuplicate } from './connection.ts';
import {
  activeFor,
  type DefinitionDoc,
  DefinitionModel,
  definitionCollection,
  inactiveFor,
  keepDefinitionVersion,
  toDefinition,
} from './definition-record.ts';
import { demandDefinitionReferences } from './definition-references.ts';
import { type Page, type PageRequest, readCursor, readPage, writeCursor } from './pages.ts';
import { boundedBy, missing } from './tenancy.ts';
import { demandWorkspace, findWorkspace } from './workspaces.ts';

export interface NewDefinition {
  id: string;
  workspace_id: string;
  name: string;
  description: string;
  content: Content;
}

export const nameTaken = (kind: DefinitionKind, name: string): Failure =>
  new Failure('conflict', `The workspace has ${article(kind)} called ${name} already; choose another name.`, { name });

const article = (kind: DefinitionKind): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

export const builtinsOf = (kind: DefinitionKind): readonly Definition[] => (kind === 'tool' ? builtinTools() : []);

/** Safe to repeat with the same id: the second time meets the first. */
export async function createDefinition(
  caller: Caller,
  kind: DefinitionKind,
  { id, workspace_id, name, description, content }: NewDefinition,
): Promise<Definition> {
  const { maker, nouns, demandSound, uses } = DEFINITIONS[kind];
  await demandWorkspace(caller, workspace_id, maker, `make ${nouns}`);
  demandSound(name, content);
  const now = new Date();
  const doc: DefinitionDoc = {
    _id: id,
    kind,
    org_id: caller.org_id,
    workspace_id,
    name,
    description,
    content,
    uses: uses(content),
    is_active: true,
    version: 1,
    note: null,
    created_by: caller.user_id,
    created_at: now,
    updated_by: caller.user_id,
    updated_at: now,
  };
  await demandDefinitionReferences(caller, doc, null);
  try {
    await definitionCollection().insertOne(doc);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const own = await definitionCollection().findOne({ $and: [{ _id: id, kind }, boundedBy(caller)] });
    if (own) return toDefinition(own);
    throw nameTaken(kind, name);
  }
  await keepDefinitionVersion(doc);
  return toDefinition(doc);
}

/** What is off is not there. */
export async function findDefinition(caller: Caller, kind: DefinitionKind, id: string): Promise<Definition> {
  const builtin = builtinsOf(kind).find((each) => each.id === id);
  if (builtin) return builtin;
  const found = await definitionCollection().findOne({ $and: [{ _id: id }, activeFor(caller, kind)] });
  if (!found) throw missing(DEFINITIONS[kind].noun, id);
  return toDefinition(found);
}

export interface DefinitionFilter {
  workspace_id?: string | undefined;
  name?: string | undefined;
  created_by?: string | undefined;
  is_builtin?: boolean | undefined;
  /** False for those that were deleted and that the caller may bring back. */
  is_active?: boolean | undefined;
}

const cursorOf = ({ id, created_at }: Definition): string => writeCursor({ _id: id, created_at: new Date(created_at) });

/** Those that come with the product go first: they are older than all others. */
function builtinPage(kind: DefinitionKind, filter: DefinitionFilter, cursor: string | undefined): Definition[] {
  const { name, created_by, is_builtin = true, is_active = true } = filter;
  if (!is_builtin || !is_active) return [];
  const after = cursor === undefined ? null : readCursor(cursor);
  return builtinsOf(kind).filter((each) => {
    if (name !== undefined && each.name !== name) return false;
    if (created_by !== undefined && each.created_by !== created_by) return false;
    const at = Date.parse(each.created_at);
    return after === null || at > after.at.getTime() || (at === after.at.getTime() && each.id > after.id);
  });
}

export async function listDefinitions(
  caller: Caller,
  kind: DefinitionKind,
  filter: DefinitionFilter,
  page: PageRequest,
): Promise<Page<Definition>> {
  const { workspace_id, name, created_by, is_builtin = false, is_active = true } = filter;
  if (workspace_id !== undefined) await findWorkspace(caller, workspace_id);
  const first = builtinPage(kind, filter, page.cursor);
  const items = first.slice(0, page.limit);
  const last = items.at(-1);
  if (first.length >= page.limit || is_builtin) {
    const more = first.length > page.limit || (!is_builtin && last !== undefined);
    return { items, next_cursor: more && last ? cursorOf(last) : null };
  }
  const seen = is_active ? activeFor(caller, kind, workspace_id) : inactiveFor(caller, kind, workspace_id);
  const named = { ...(name === undefined ? {} : { name }), ...(created_by === undefined ? {} : { created_by }) };
  const rest = { ...page, limit: page.limit - items.length };
  const stored = await readPage(DefinitionModel, { $and: [seen, named] }, rest, toDefinition);
  return { items: [...items, ...stored.items], next_cursor: stored.next_cursor };
}
