import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Served, startServed } from '../served-system.ts';
import { makeOneOfEach, type Operation, operationsOf } from './every-operation.ts';

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

/** Each in turn: with all of them everywhere it would take minutes and find the same. */
const inTurn = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** In the shape that is asked for, with something hostile in each field in turn. */
const bodiesFor = ({ body, fields }: Operation): unknown[] =>
  body === undefined
    ? []
    : [
        ...VALUES,
        ...fields.flatMap((name, n) => [
          { ...body, [name]: { 'a\0b': 1 } },
          { ...body, [name]: inTurn(VALUES, n) },
          { ...body, [name]: inTurn(VALUES, n + 4) },
        ]),
      ];

const queriesFor = ({ query, needed }: Operation): string[] => [
  needed,
  'unknown=1',
  ...query.flatMap((name, n) => [`${needed}&${name}=%00`, `${needed}&${name}=${inTurn(TEXTS, n)}`]),
  ...query.slice(0, 1).map((name) => `${needed}&${name}[$gt]=`),
];

const isSound = ({ status, body }: Answer): boolean =>
  status < 500 && (status < 400 || typeof body.request_id === 'string');

/** Some at once, as clients do; all at once would be a test of how long one waits for its turn. */
const AT_ONCE = 8;

it('no input makes a fault of ours, whatever is sent to whichever operation', async () => {
  const faults: unknown[] = [];
  // What takes something away comes last: the others are to find it there.
  const takesAway = ({ method, path }: Operation) => Number(method === 'DELETE' || /bulk-delete|cancel/.test(path));
  for (const operation of operations.toSorted((a, b) => takesAway(a) - takesAway(b))) {
    const { method, path, name, needed } = operation;
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
}, 180_000);
