import type { z } from 'zod';
import type { Credential, setCredentialBody } from '../domain/credential.ts';
import type { DefinitionVersion, VersionDiff, VersionList } from '../domain/definition-diff.ts';
import type { WorkflowShown } from '../domain/definition-kinds.ts';
import type { EvaluatorDefinition } from '../domain/evaluator-definition.ts';
import type { Integration } from '../domain/integration.ts';
import type { ToolDefinition } from '../domain/tool-definition.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

export interface DefinitionQuery extends PageQuery {
  workspace_id?: string;
  name?: string;
  created_by?: string;
  is_builtin?: boolean;
  /** False for those that were deleted and that you can bring back. */
  is_active?: boolean;
}

type Body = Record<string, unknown>;
interface AtVersion {
  /** Only where nobody has changed it since. */
  version?: number;
}

const ifMatch = ({ version }: AtVersion): Record<string, string> =>
  version === undefined ? {} : { 'If-Match': `"${version}"` };

const flag = (value: boolean | undefined): string | undefined => (value === undefined ? undefined : String(value));

/** What can be done with definitions of one kind; they differ in their fields alone. */
function callsAt<T>(http: Http, path: string) {
  const one = (id: string) => `${path}/${encodeURIComponent(id)}`;
  return {
    list: ({ is_builtin, is_active, ...query }: DefinitionQuery = {}) =>
      http.get<Page<T>>(path, { query: { ...query, is_builtin: flag(is_builtin), is_active: flag(is_active) } }),
    get: (id: string) => http.get<T>(one(id)),
    create: (body: Body) => http.post<T>(path, { body }),
    change: (id: string, body: Body, at: AtVersion = {}) => http.put<T>(one(id), { body, headers: ifMatch(at) }),
    delete: (id: string, at: AtVersion = {}) => http.delete(one(id), { headers: ifMatch(at) }),
  };
}

interface BulkOutcome {
  deleted: string[];
  failed: { id: string; reason: string }[];
}

export function definitionCalls(http: Http) {
  const versions = (id: string, rest = '') => `/agents/definitions/${encodeURIComponent(id)}/versions${rest}`;
  const many = (path: string, field: string) => (ids: string[]) =>
    http.post<BulkOutcome>(`${path}/bulk-delete`, { body: { [field]: ids } });
  const credentials = (id: string, rest = '') => `/integrations/${encodeURIComponent(id)}/credentials${rest}`;
  return {
    tools: {
      ...callsAt<ToolDefinition>(http, '/agents/tools'),
      deleteMany: many('/agents/tools', 'tool_ids'),
    },
    workflows: {
      ...callsAt<WorkflowShown>(http, '/agents/workflows'),
      deleteMany: many('/agents/workflows', 'workflow_ids'),
    },
    evaluators: {
      ...callsAt<EvaluatorDefinition>(http, '/agents/evals'),
      deleteMany: many('/agents/evals', 'eval_ids'),
    },
    integrations: {
      ...callsAt<Integration>(http, '/integrations'),
      credentials: (id: string) => http.get<Page<Credential>>(credentials(id)),
      /** Its value is never shown again. */
      setCredential: (id: string, body: z.input<typeof setCredentialBody>) =>
        http.post<Credential>(credentials(id), { body }),
      removeCredential: (id: string, key: string) => http.delete(credentials(id, `/${encodeURIComponent(key)}`)),
    },
    /** Of agents, tools, workflows, evaluators and integrations. */
    versions: {
      /** Newest first. */
      list: (id: string, query: PageQuery = {}) => http.get<VersionList>(versions(id), { query: { ...query } }),
      get: (id: string, n: number) => http.get<DefinitionVersion>(versions(id, `/${n}`)),
      diff: (id: string, from: number, to: number) => http.get<VersionDiff>(versions(id, `/${from}/diff/${to}`)),
      /** A new version that is like an old one. */
      rollback: (id: string, n: number, at: AtVersion = {}) =>
        http.post<DefinitionVersion>(versions(id, `/${n}/rollback`), { headers: ifMatch(at) }),
    },
  };
}
