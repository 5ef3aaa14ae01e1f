import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Served, startServed } from '../served-system.ts';
import { type Operation, operationsOf } from './every-operation.ts';
import { makeOneOfEach } from './one-of-each.ts';

let system: Served;
let operations: Operation[];
beforeAll(async () => {
  system = await startServed();
  const ids = await makeOneOfEach(system);
  operations = operationsOf((await system.call('GET', '/openapi.json')).body, ids);
});
afterAll(() => system.stop());

const VALUES: unknown[] = [
  null,
  -1,
  1e308,
  '\0\ud800',
  '../../etc/passwd',
  'x'.repeat(5_000),
  [[null]],
  { $gt: '', $ref: '#/nowhere' },
];

const TEXTS = ['1e99', '-1', '%F0%9F', '', 'a&limit=1'];

/**
 * Each in turn, over all operations: with all of them everywhere it would take minutes. A field that many operations
 * share meets all of them.
 */
function turns<T>(list: readonly T[]): () => T {
  let turn = 0;
  return () => list[turn++ % list.length] as T;
}
const nextValue = turns(VALUES);
const nextText = turns(TEXTS);

/** In the shape that is asked for, with something hostile in each field in turn. */
const bodiesFor = ({ body, fields }: Operation): unknown[] =>
  body === undefined
    ? []
    : [
        ...VALUES,
        ...fields.flatMap((name) => [
          { ...body, [name]: { 'a\0b': 1 } },
          { ...body, [name]: nextValue() },
          { ...body, [name]: nextValue() },
          { ...body, [name]: nextValue() },
        ]),
      ];

const queriesFor = ({ query, needed }: Operation): string[] => [
  needed,
  'unknown=1',
  ...query.flatMap((name) => [`${needed}&${name}=%00`, `${needed}&${name}=${nextText()}`]),
  ...query.slice(0, 1).map((name) => `${needed}&${name}[$gt]=`),
];

/** What there is none of: a folder that may be a notebook, what waits for a person, a command that was run, secrets. */
const NOT_THERE = new Set([
  'post /notebooks',
  'post /sessions/{id}/confirm',
  'post /sessions/{id}/answer',
  'post /api/agent/jobs/{id}/clarify',
  'get /runs/{id}/evidence/{evidence_id}',
  'delete /integrations/{id}/credentials/{key}',
  'delete /mcp-servers/{id}/credentials/{key}',
]);

const isSound = ({ status, body }: Answer): boolean =>
  status < 500 && (status < 400 || typeof body.request_id === 'string');

/** Some at once, as clients do; all at once would be a test of how long one waits for its turn. */
const AT_ONCE = 8;

it('no input makes a fault of ours, whatever is sent to whichever operation', async () => {
  const faults: unknown[] = [];
  const unreached: string[] = [];
  // What takes something away comes last: the others are to find it there.
  const takesAway = ({ method, path }: Operation) =>
    /bulk-delete/.test(path) ? 3 : method === 'DELETE' ? 3 - path.split('/').length / 10 : Number(/cancel/.test(path));
  for (const operation of operations.toSorted((a, b) => takesAway(a) - takesAway(b))) {
    const { method, path, name, needed } = operation;
    const asked = await system.call(method, `${path}?${needed}`, operation.body ? { body: operation.body } : {});
    if ([400, 404].includes(asked.status) && !NOT_THERE.has(name)) unreached.push(`${name}: ${asked.body.message}`);
    const attempts = [
      ...queriesFor(operation).map((query) => ({ query, body: operation.body })),
      ...bodiesFor(operation).map((body) => ({ query: needed, body })),
    ].values();
    const send = async () => {
      for (const { query, body } of attempts) {
        const call = body === undefined ? {} : { body: JSON.stringify(body) };
        const answer = await system.call(method, `${path}?${query}`, call);
        if (!isSound(answer)) faults.push([name, query, call.body?.slice(0, 200), answer.status, answer.body]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
  }
  expect(faults).toEqual([]);
  expect(unreached).toEqual([]);
}, 180_000);
