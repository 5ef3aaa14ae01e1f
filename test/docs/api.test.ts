import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runStatusSchema } from '../../domain/run.ts';
import { at, codeIn, DOCUMENTS, shellOf, tableUnder, textOf } from './documents.ts';

const ENDS = ['completed', 'failed', 'cancelled', 'budget_exceeded'];

describe('docs/api.md', () => {
  it('has every type of event that a run can tell', () => {
    const source = ['trace', 'trace-calls', 'trace-asks'].map((name) => textOf(`domain/${name}.ts`)).join('\n');
    const types = [...source.matchAll(/(?:one\(|type: )'([a-z]+\.[a-z_.]+)'/g)].flatMap(([, type]) => type ?? []);
    const told = tableUnder('docs/api.md', 'Events')
      .slice(1)
      .flatMap(([type = '']) => codeIn(type));
    expect(told.sort()).toEqual([...new Set([...types, ...ENDS.map((end) => `run.${end}`)])].sort());
  });

  it('has every status of a run', () => {
    const told = tableUnder('docs/api.md', 'A run')
      .slice(1)
      .flatMap(([status = '']) => codeIn(status));
    expect(told.sort()).toEqual([...runStatusSchema.options].sort());
  });

  it('has the messages of the live protocol', () => {
    const source = textOf('api/live.ts');
    const [, fromClient = ''] = /interface FromClient \{([\s\S]*?)\n\}/.exec(source) ?? [];
    const messages = [...fromClient.matchAll(/^ {2}(\w+):/gm)].flatMap(([, name]) => name ?? []);
    const rows = [...textOf('docs/api.md').matchAll(/^\| `(\w+) \{/gm)].flatMap(([, name]) => name ?? []);
    expect(rows.sort()).toEqual(messages.sort());
  });
});

it('every path that a document calls is a route', () => {
  const sources = readdirSync(at('api/routes')).map((name) => textOf(`api/routes/${name}`));
  const routes = new Set(sources.flatMap((text) => [...text.matchAll(/path: '([^']+)'/g)].map(([, path]) => path)));
  const called = DOCUMENTS.flatMap(shellOf).flatMap((block) => [...block.matchAll(/\$API(\/[\w/$-]+)/g)]);
  const named = DOCUMENTS.flatMap((path) => [...textOf(path).matchAll(/`(?:GET|POST|PUT|DELETE) (\/[\w/:-]+)/g)]);
  const paths = [...called, ...named].map(([, path = '']) => path.replace('/api/v1', '').replace(/\$\w+/g, ':id'));
  expect(called.length).toBeGreaterThan(5);
  for (const path of paths) expect(routes).toContain(path);
});
