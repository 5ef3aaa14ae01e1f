import type { DefinitionKind, VersionedKind } from '../domain/definition.ts';
import type { DefinitionVersion, VersionDiff, VersionList } from '../domain/definition-diff.ts';
import type { EvaluatorDefinition } from '../domain/evaluator-definition.ts';
import type { Integration } from '../domain/integration.ts';
import type { ToolDefinition } from '../domain/tool-definition.ts';
import type { Credential } from './agents-api.ts';
import { everyPage } from './agents-api.ts';
import { at, call, type Page, tell } from './http.ts';

/** What the screens of definitions know of each kind; workflows have screens of their own. */
export interface Defined {
  tool: ToolDefinition;
  evaluator: EvaluatorDefinition;
  integration: Integration;
}
export type DefinedKind = keyof Defined;

interface Place {
  /** Below the API. */
  path: string;
  /** Below this page. */
  page: string;
  noun: string;
  nouns: string;
}

export const PLACES: Record<DefinitionKind, Place> = {
  tool: { path: '/agents/tools', page: '/tools', noun: 'tool', nouns: 'tools' },
  workflow: { path: '/agents/workflows', page: '/workflows', noun: 'workflow', nouns: 'workflows' },
  evaluator: { path: '/agents/evals', page: '/evaluators', noun: 'evaluator', nouns: 'evaluators' },
  integration: { path: '/integrations', page: '/integrations', noun: 'integration', nouns: 'integrations' },
};

/** Where a definition is looked at. */
export const pageOf = (kind: VersionedKind, id: string): string =>
  `${kind === 'agent' ? '/agents' : PLACES[kind].page}/${at(id)}`;

interface BulkOutcome {
  deleted: string[];
  failed: { id: string; reason: string }[];
}

const BULK_FIELD = { tool: 'tool_ids', evaluator: 'eval_ids' } as const;

const one = (kind: DefinedKind, id: string): string => `${PLACES[kind].path}/${at(id)}`;
const versions = (id: string, rest = ''): string => `/agents/definitions/${at(id)}/versions${rest}`;
const keys = (id: string, rest = ''): string => `/integrations/${at(id)}/credentials${rest}`;

export const definitionsApi = {
  all: <K extends DefinedKind>(kind: K, workspace_id: string, is_active: boolean) =>
    everyPage((cursor) =>
      call<Page<Defined[K]>>(PLACES[kind].path, { query: { workspace_id, is_active, cursor, limit: 100 } }),
    ),
  get: <K extends DefinedKind>(kind: K, id: string) => call<Defined[K]>(one(kind, id)),
  create: <K extends DefinedKind>(kind: K, workspace_id: string, body: object, idempotency_key: string) =>
    call<Defined[K]>(PLACES[kind].path, { method: 'POST', body: { workspace_id, ...body }, idempotency_key }),
  change: <K extends DefinedKind>(kind: K, id: string, body: object, if_match?: number) =>
    call<Defined[K]>(one(kind, id), { method: 'PUT', body, if_match }),
  remove: (kind: DefinedKind, id: string) => tell(one(kind, id), { method: 'DELETE' }),
  removeMany: (kind: keyof typeof BULK_FIELD, ids: string[]) =>
    call<BulkOutcome>(`${PLACES[kind].path}/bulk-delete`, { method: 'POST', body: { [BULK_FIELD[kind]]: ids } }),

  versions: (id: string, cursor: string | null) => call<VersionList>(versions(id), { query: { cursor, limit: 20 } }),
  version: (id: string, n: number) => call<DefinitionVersion>(versions(id, `/${n}`)),
  diff: (id: string, from: number, to: number) => call<VersionDiff>(versions(id, `/${from}/diff/${to}`)),
  rollback: (id: string, n: number, if_match: number) =>
    call<DefinitionVersion>(versions(id, `/${n}/rollback`), { method: 'POST', if_match }),

  credentials: (id: string) => call<Page<Credential>>(keys(id)),
  setCredential: (id: string, key: string, value: string) =>
    call<Credential>(keys(id), { method: 'POST', body: { key, value } }),
  removeCredential: (id: string, key: string) => tell(keys(id, `/${at(key)}`), { method: 'DELETE' }),
};

export const mayBulkDelete = (kind: DefinedKind): kind is keyof typeof BULK_FIELD => kind in BULK_FIELD;
