import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { at, codeIn, tableUnder, textOf } from './documents.ts';

const source = textOf('config.ts');
const rows = tableUnder('README.md', 'Configuration').slice(1);
const documented = new Map(rows.map(([name = '', value = '']) => [codeIn(name)[0] ?? '', value]));

it('README names every variable that config.ts reads, and no other', () => {
  const inSchema = [...source.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].flatMap(([, name]) => name ?? []);
  const beside = [...source.matchAll(/process\.env\.([A-Z_]+)/g)].flatMap(([, name]) => name ?? []);
  expect([...documented.keys()].sort()).toEqual([...new Set([...inSchema, ...beside])].sort());
});

it('README gives the default of every variable that has one', () => {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const shown = (value: unknown) => String(value).replace(cache, '~/.cache').replace(homedir(), '~');
  const { notebook_roots: _, notebooks_dir: _dir, ...defaults } = readConfig({});
  const expected = Object.entries(defaults).filter(([, value]) => value !== '');
  const given = [...documented].filter(([, value]) => value !== '–').map(([name, value]) => [name, codeIn(value)[0]]);
  expect(Object.fromEntries(given)).toEqual(Object.fromEntries(expected.map(([name, value]) => [name, shown(value)])));
});

it('README has the figures that were measured', () => {
  execFileSync(process.execPath, [at('docs/figures.mjs'), '--check'], { stdio: ['ignore', 'ignore', 'inherit'] });
});

it('README says of the demo model that it is not an LLM', () => {
  expect(textOf('README.md')).toMatch(/demo model\*{0,2} is not an LLM/);
});

it('README tries the three things that the home page offers', () => {
  const [, , tour = ''] = /## (Run it in five minutes)\n([\s\S]*?)\n## /.exec(textOf('README.md')) ?? [];
  const page = textOf('web/screens/home/ThingsToTry.tsx');
  const offered = [...page.matchAll(/^ +input: '(.+)',$/gm)].flatMap(([, input]) => input ?? []);
  expect([...tour.matchAll(/“(.+?)”/g)].flatMap(([, input]) => input ?? [])).toEqual(offered);
});
