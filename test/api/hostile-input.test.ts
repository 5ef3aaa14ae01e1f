import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, startApi } from './running-api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const ZERO = '0'.repeat(26);
const PREFIXES: Record<string, string> = {
  'api-keys': 'key',
  workspaces: 'ws',
  members: 'usr',
  notebooks: 'nb',
  agents: 'agt',
  runs: 'run',
  knowledge: 'kn',
  'mcp-servers': 'mcp',
  tools: 'tool',
  workflows: 'wf',
  evals: 'evl',
  integrations: 'int',
};

const VALUES: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\0',
  '\ud800',
  '$where',
  '../../etc/passwd',
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { $gt: '' },
];

const QUERIES = [
  '',
  '?limit=NaN',
  '?limit=1e99',
  '?cursor=%00',
  '?cursor[$gt]=',
  '?workspace_id=%F0%9F',
  '?limit=&limit=',
  '?wait=-1',
];

/** Bodies in the shape that is asked for, with something hostile in each field in turn. */
function bodiesFor(fields: string[]): unknown[] {
  const good: Record<string, unknown> = {
    name: 'Name',
    email: 'a@example.org',
    role: 'read',
    kind: 'folder',
    model: 'gpt-4o',
    workspace_id: `ws_${ZERO}`,
    agent_id: `agt_${ZERO}`,
    input: 'x',
    password: 'long enough',
    token: 'x'.repeat(30),
    action_id: 'x',
    confirmed: true,
    question_id: 'x',
    answer: 'x',
    content: 'x',
    path: '/nowhere',
    notebook_id: `nb_${ZERO}`,
    operation: 'read',
    yaml: 'name: A',
  };
  const whole = Object.fromEntries(fields.filter((name) => name in good).map((name) => [name, good[name]]));
  return [...VALUES, whole, ...fields.flatMap((name) => VALUES.map((value) => ({ ...whole, [name]: value })))];
}

interface Operation {
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
}

interface Described {
  properties?: object;
  oneOf?: Described[];
  anyOf?: Described[];
}
const fieldsOf = ({ properties = {}, oneOf = [], anyOf = [] }: Described): string[] => [
  ...new Set([...Object.keys(properties), ...[...oneOf, ...anyOf].flatMap(fieldsOf)]),
];

it('no input makes a fault of ours, whatever is sent to whichever operation', async () => {
  const { body: document } = await api.call('GET', '/openapi.json');
  const faults: unknown[] = [];
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
    const filled = path.replace(/([\w-]+)\/\{\w+\}/g, (_match, noun: string) => `${noun}/${PREFIXES[noun]}_${ZERO}`);
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json'].schema.$ref.replace(/^.*\//, '');
      const fields = schema ? fieldsOf(document.components.schemas[schema]) : [];
      const attempts: { query: string; body?: string }[] =
        method === 'get'
          ? QUERIES.map((query) => ({ query }))
          : bodiesFor(fields).map((body) => ({ query: '', body: JSON.stringify(body) }));
      const answers = await Promise.all(
        attempts.map(async (attempt) => ({
          attempt,
          answer: await api.call(method.toUpperCase(), filled + attempt.query, { body: attempt.body }),
        })),
      );
      for (const { attempt, answer } of answers) {
        const isSound = answer.status < 500 && (answer.status < 400 || typeof answer.body.request_id === 'string');
        if (!isSound) faults.push([method, path, attempt, answer.status, answer.body]);
      }
    }
  }
  expect(faults).toEqual([]);
}, 120_000);
