import type { Request } from 'express';
import { z } from 'zod';
import { type DefinitionKind, ID_PREFIX } from '../domain/definition.ts';
import { DEFINITIONS } from '../domain/definition-kinds.ts';
import { changeDefinition, deleteDefinition, deleteDefinitions } from '../store/definition-changes.ts';
import { createDefinition, findDefinition, listDefinitions } from '../store/definitions.ts';
import { idOf } from './ids.ts';
import { pageQuery, pageSchema } from './paging.ts';
import { expectedVersion, versionTag } from './preconditions.ts';
import { invalid, type Route, route } from './route.ts';

interface Place {
  kind: DefinitionKind;
  tag: string;
  /** Below /api/v1. */
  path: string;
  /** The field that names those to delete at once. */
  ids?: string;
  /** Fields whose values the audit log may show. */
  shows: readonly string[];
}

type Fields = Record<string, unknown>;
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A parsed body has a default wherever nothing was said; a change is what was said, read off the request itself. */
function said(body: Fields, { body: sent }: Request): Fields {
  const names = new Set(Object.keys((sent as Fields | undefined) ?? {}));
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)));
}

function placed(inBody: unknown, inQuery: string | undefined): string {
  const workspaceId = text(inBody) ?? inQuery;
  if (workspaceId === undefined) throw invalid('body', { workspace_id: 'say which workspace it belongs to' });
  if (inQuery !== undefined && inQuery !== workspaceId) {
    throw invalid('query', { workspace_id: 'another one than in the body' });
  }
  return workspaceId;
}

const flag = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .optional();

/** Everything there is to do with the definitions of one kind; they differ in their fields alone. */
export function definitionRoutes({ kind, tag, path, ids, shows }: Place): Route[] {
  const { noun, nouns, maker, create, shown } = DEFINITIONS[kind];
  const params = z.strictObject({ id: idOf(ID_PREFIX[kind]) });
  const body = create.extend({ workspace_id: idOf('ws').optional().describe('Where the address does not name it') });
  const change = create.omit({ workspace_id: true }).extend({ is_active: z.boolean() }).partial();
  const keeper = maker === 'admin' ? 'admin' : 'its maker, or an admin';
  const one = `/${path}/:id`;
  return [
    route({
      method: 'post',
      path: `/${path}`,
      tag,
      summary: `Make a ${noun} (${maker})`.replace(/\ba (?=[aeiou])/, 'an '),
      query: z.strictObject({ workspace_id: idOf('ws').optional() }),
      body,
      shows: ['workspace_id', 'name', ...shows],
      replies: { 201: shown },
      handler: async ({ caller, newId, body: sent, query }) => {
        const { workspace_id, name, description, is_active: _on, ...content } = sent as Fields;
        const made = await createDefinition(caller, kind, {
          id: newId(ID_PREFIX[kind]),
          workspace_id: placed(workspace_id, query.workspace_id),
          name: String(name),
          description: String(description),
          content,
        });
        return { status: 201, body: made, headers: versionTag(made.version) };
      },
    }),
    route({
      method: 'get',
      path: `/${path}`,
      tag,
      summary: `The ${nouns} you can see; with is_active=false those that were deleted and that you can bring back`,
      query: z.strictObject({
        workspace_id: idOf('ws').optional(),
        name: z.string().max(200).optional(),
        created_by: z.string().max(100).optional(),
        is_builtin: flag,
        is_active: flag,
        ...pageQuery,
      }),
      replies: { 200: pageSchema(shown) },
      handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
        status: 200,
        body: await listDefinitions(caller, kind, filter, { limit, cursor }),
      }),
    }),
    ...(ids === undefined ? [] : [bulkDelete({ kind, tag, path, ids })]),
    route({
      method: 'get',
      path: one,
      tag,
      summary: `One ${noun}`,
      params,
      replies: { 200: shown },
      handler: async ({ caller, params: { id } }) => {
        const found = await findDefinition(caller, kind, id);
        return { status: 200, body: found, headers: versionTag(found.version) };
      },
    }),
    route({
      method: 'put',
      path: one,
      tag,
      summary: `Change a ${noun}, with any of its fields: a new version (${keeper}). \`is_active: true\` brings back one that was deleted`,
      params,
      body: change,
      shows: ['name', 'is_active', ...shows],
      conditional: true,
      replies: { 200: shown },
      handler: async ({ caller, params: { id }, body: sent, req }) => {
        const { name, description, is_active, ...content } = said(sent as Fields, req);
        const changes = {
          name: text(name),
          description: text(description),
          is_active: typeof is_active === 'boolean' ? is_active : undefined,
          content,
        };
        const changed = await changeDefinition(caller, kind, id, changes, expectedVersion(req));
        return { status: 200, body: changed, headers: versionTag(changed.version) };
      },
    }),
    route({
      method: 'delete',
      path: one,
      tag,
      summary: `Delete a ${noun} (${keeper}); 409 with the list while anything active uses it`,
      params,
      conditional: true,
      replies: { 204: null },
      handler: async ({ caller, params: { id }, req }) => {
        await deleteDefinition(caller, kind, id, expectedVersion(req));
        return { status: 204 };
      },
    }),
  ];
}

const MOST_AT_ONCE = 100;

const bulkDelete = ({ kind, tag, path, ids }: Pick<Place, 'kind' | 'tag' | 'path'> & { ids: string }): Route =>
  route({
    method: 'post',
    path: `/${path}/bulk-delete`,
    tag,
    summary: `Delete several ${DEFINITIONS[kind].nouns}, each on its own; what could not be is told with the reason`,
    body: z.strictObject({ [ids]: z.array(z.string().min(1).max(100)).min(1).max(MOST_AT_ONCE) }),
    shows: [ids],
    replies: {
      200: z.object({
        deleted: z.array(z.string()),
        failed: z.array(z.object({ id: z.string(), reason: z.string() })),
      }),
    },
    handler: async ({ caller, body }) => ({
      status: 200,
      body: await deleteDefinitions(caller, kind, body[ids] ?? []),
    }),
  });
