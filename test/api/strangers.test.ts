import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, startServed } from '../served-system.ts';
import { type Operation, operationsOf } from './every-operation.ts';
import { makeOneOfEach } from './one-of-each.ts';

let system: Served;
let ids: Record<string, string>;
let operations: Operation[];
beforeAll(async () => {
  system = await startServed();
  ids = await makeOneOfEach(system);
  operations = operationsOf((await system.call('GET', '/openapi.json')).body, ids);
});
afterAll(() => system.stop());

/** Said to everybody alike, or about the caller alone; and webhooks, which have a signature and no token. */
const OPEN = /^(post \/auth\/|get \/(me|models|templates)|put \/me|\w+ \/hooks\/)/;

const asked = async (operation: Operation, token: string | null) => {
  const { method, path, needed, body } = operation;
  return system.call(method, `${path}?${needed}`, { token, ...(body === undefined ? {} : { body }) });
};

describe('[1] somebody from another organization', () => {
  it('is told 404 by every operation that names something of ours, whatever it does', async () => {
    const token = await system.foreigner();
    const answers = [];
    for (const operation of operations.filter(({ name, namesSomething }) => namesSomething && !OPEN.test(name))) {
      answers.push([operation.name, (await asked(operation, token)).status]);
    }
    expect(answers.filter(([, status]) => status !== 404)).toEqual([]);
    expect(answers.length).toBeGreaterThan(90);
  });

  it('finds nothing of ours in any list or search, and makes nothing here', async () => {
    const token = await system.foreigner();
    const rest = operations.filter(({ name, namesSomething }) => !namesSomething && !OPEN.test(name));
    for (const operation of rest.filter(({ method }) => method === 'GET')) {
      const { body } = await asked(operation, token);
      const shown = JSON.stringify({ ...body, details: null, message: null });
      expect([operation.name, Object.values(ids).filter((id) => shown.includes(id))]).toEqual([operation.name, []]);
    }
    for (const operation of rest.filter(({ method }) => method !== 'GET')) {
      const named = JSON.stringify(operation.body ?? {});
      if (!Object.values(ids).some((id) => named.includes(id))) continue;
      const { status, body } = await asked(operation, token);
      // Of several at once, each is refused on its own.
      expect([operation.name, status, body.deleted ?? []]).toEqual([operation.name, body.deleted ? 200 : 404, []]);
    }
  });
});

it('[1] nobody without a token is told anything', async () => {
  const answers = [];
  for (const operation of operations.filter(({ name }) => !/^(post \/auth\/|\w+ \/hooks\/)/.test(name))) {
    answers.push([operation.name, (await asked(operation, null)).status]);
  }
  expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
});
