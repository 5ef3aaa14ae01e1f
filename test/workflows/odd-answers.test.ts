import { afterAll, beforeAll, expect, it } from 'vitest';
import { type System, startSystem } from '../running-system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());

const nested = (depth: number): Record<string, unknown> =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as Record<string, unknown>;

/** Sound JSON that the store cannot hold as it is. */
const ODD: [string, Record<string, unknown>][] = [
  ['a name with U+0000 in it', { 'a\0b': 1 }],
  ['a nesting of 300 levels', nested(300)],
];

it.each(ODD)('arguments with %s are told to the model as wrong, and the run goes on', async (what, odd) => {
  const name = `args-${what.length}`;
  system.model.script(name, [
    { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md', ...odd } }] },
    { tool_calls: [{ name: 'write_file', arguments: { path: '/notes.md', content: 'x', properties: odd } }] },
    { text: 'Done.' },
  ]);
  const run = await system.ended(await system.start(name));
  expect([run.status, run.output, run.error]).toEqual(['completed', 'Done.', null]);
  system.model.assertDone(name);
});

it.each(ODD)('an output with %s is told to the model as wrong, which answers again', async (what, odd) => {
  const name = `output-${what.length}`;
  system.model.script(name, [{ text: JSON.stringify(odd) }, { text: '{"a": 1}' }]);
  const run = await system.ended(await system.start(name, { output_schema: { type: 'object' } }));
  expect([run.status, run.output]).toEqual(['completed', { a: 1 }]);
  system.model.assertDone(name);
});
