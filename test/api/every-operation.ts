import type { JsonSchema, OpenApiDocument } from '../../api/openapi.ts';

/** An operation of the document, with paths and bodies in which everything named is really there. */
export interface Operation {
  name: string;
  method: string;
  /** With the ids of what there is. */
  path: string;
  /** Of the query: what has to be given. */
  needed: string;
  namesSomething: boolean;
  query: string[];
  body: Record<string, unknown> | undefined;
  /** Fields of the body, whether or not they have to be given. */
  fields: string[];
}

type Components = OpenApiDocument['components']['schemas'];

/** What stands in a field of this name, where a value of the right shape alone would be refused. */
const BY_NAME: Record<string, unknown> = {
  model: 'gpt-test',
  input: 'Do it.',
  path: '/notes.md',
  file_path: '/notes.md',
  expected_hash: `sha256:${'0'.repeat(64)}`,
  from: '/notes.md',
  to: '/moved.md',
  entrypoint: 'builtin:search_knowledge',
  yaml: 'name: Imported\nmodel: gpt-test\n',
  base_url: 'https://desk.example.org',
  url: 'https://desk.example.org',
  cron_expression: '0 9 * * 1',
  email: 'new@example.org',
  steps: [{ id: 'a', type: 'wait', duration: 1 }],
  schema: { input: { type: 'object' } },
  target_type: 'agent',
};

/** The least that a schema lets through. */
function leastOf(schema: JsonSchema, components: Components, ids: Record<string, string>, name = ''): unknown {
  const least = (inner: JsonSchema, of = name): unknown => leastOf(inner, components, ids, of);
  if (schema.$ref) return least(components[schema.$ref.replace(/^.*\//, '')] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object' || schema.properties) {
    const properties = Object.entries(schema.properties ?? {}).filter(([key]) => schema.required?.includes(key));
    return Object.fromEntries(properties.map(([key, inner]) => [key, least(inner as JsonSchema, key)]));
  }
  if (name in BY_NAME) return BY_NAME[name];
  const id = idFor(schema, name, ids);
  if (id !== undefined) return id;
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return least(first);
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
      return 'x'.repeat(Math.max(schema.minLength ?? 0, 1));
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [least(schema.items as JsonSchema, name.replace(/s$/, ''))] : [];
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x';
  }
}

const NOUNS: Record<string, string> = {
  workspace_id: 'ws',
  agent_id: 'agt',
  notebook_id: 'nb',
  session_id: 'ses',
  run_id: 'run',
  job_id: 'run',
  source_id: 'src',
  workflow_id: 'wf',
  tool_id: 'tool',
  eval_id: 'evl',
  user_id: 'usr',
  source: 'src',
};
const idFor = ({ pattern = '' }: JsonSchema, name: string, ids: Record<string, string>): string | undefined => {
  const [, prefix = NOUNS[name] ?? ''] = /^\^(\w+)_/.exec(pattern) ?? [];
  return ids[prefix];
};

/** Where the same noun is something else: a session of edits is no conversation, a job no run of just any agent. */
const within = (path: string, ids: Record<string, string>): Record<string, string> => ({
  ...ids,
  ...(path.startsWith('/api/agent/') && { ses: ids.edit_ses ?? '', run: ids.job ?? '' }),
  ...(path === '/runs/{id}/workflow' && { run: ids.workflow_run ?? '' }),
});

const OTHER_PARAMETERS: Record<string, string> = { n: '1', m: '1', key: 'api_key' };

function fieldsOf(schema: JsonSchema, components: Components): string[] {
  if (schema.$ref) return fieldsOf(components[schema.$ref.replace(/^.*\//, '')] ?? {}, components);
  const branches = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  const inner = branches.flatMap((branch) => fieldsOf(branch, components));
  return [...new Set([...Object.keys(schema.properties ?? {}), ...inner])];
}

/** Where a body needs more than its schema says. */
const MORE: Record<string, (ids: Record<string, string>) => object> = {
  'post /knowledge': () => ({ content: 'x' }),
  'post /notebooks': () => ({ path: '/nowhere' }),
  'post /agents': ({ ws }) => ({ workspace_id: ws }),
  'post /agents/tools': ({ ws }) => ({ workspace_id: ws }),
  'post /agents/workflows': ({ ws }) => ({ workspace_id: ws }),
  'post /agents/evals': ({ ws }) => ({ workspace_id: ws, config: { criteria: 'Good', pass_threshold: 0.5 } }),
  'post /integrations': ({ ws }) => ({ workspace_id: ws }),
  'post /agents/{id}/credentials': () => ({ key: 'api_key' }),
  'post /agents/probe': ({ agt }) => ({ agent_id: agt }),
  'post /runs': ({ agt }) => ({ agent_id: agt }),
  'post /runs/{id}/fork': () => ({ step: 1 }),
  'post /runs/quote': ({ agt }) => ({ agent_id: agt }),
  'post /runs/schedule': ({ agt }) => ({ agent_id: agt, is_active: false }),
  'post /runs/schedule/{schedule_id}/backfill': () => ({
    start_at: '2026-01-05T08:30:00Z',
    end_at: '2026-01-05T09:30:00Z',
  }),
  'put /notebooks/{id}': () => ({ name: 'Renamed' }),
  'put /notebooks/{id}/files/content': () => ({ expected_hash: null }),
  'post /notebooks/{id}/files/move': () => ({ expected_hash: `sha256:${'0'.repeat(64)}` }),
  'post /notebooks/{id}/files/folder': () => ({ path: '/folder' }),
  'post /events/subscriptions': ({ agt }) => ({ agent_id: agt }),
  'put /integrations/github': () => ({ token: 'ghp_0123456789' }),
  'post /api/agent/jobs/{id}/clarify': () => ({ answer: 'x' }),
  'post /api/agent/jobs/{id}/review': () => ({ hunk_id: 'h_1', decision: 'accept' }),
  'post /api/agent/jobs/{id}/changes': () => ({ file_path: '/notes.md', content: 'x' }),
};

export function operationsOf(document: OpenApiDocument, all: Record<string, string>): Operation[] {
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    const ids = within(path, all);
    return Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
        const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
        if (path.startsWith('/agents/definitions/') && name === 'id') return ids.wf ?? '';
        const [option] = parameter?.schema.enum ?? [];
        if (typeof option === 'string') return option;
        const value = idFor(parameter?.schema ?? {}, name, ids) ?? OTHER_PARAMETERS[name];
        return value ?? parameter?.schema.pattern?.replace(/^\^(\w+_).*$/, `$1${'0'.repeat(26)}`) ?? 'x';
      });
      const schema = requestBody?.content['application/json']?.schema;
      return {
        name: `${method} ${path}`,
        method: method.toUpperCase(),
        path: filled,
        needed: new URLSearchParams(
          parameters
            .filter((each) => each.in === 'query' && each.required)
            .map((each): [string, string] => [each.name, String(leastOf(each.schema, schemas, ids, each.name))]),
        ).toString(),
        namesSomething: filled !== path,
        query: parameters.filter((each) => each.in === 'query').map((each) => each.name),
        body: schema && { ...(leastOf(schema, schemas, ids) as object), ...MORE[`${method} ${path}`]?.(ids) },
        fields: schema ? fieldsOf(schema, schemas) : [],
      };
    });
  });
}
