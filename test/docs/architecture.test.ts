import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { at, codeIn, tableUnder, textOf } from './documents.ts';

const AREAS = [...textOf('docs/failures.md').matchAll(/^## (.+)$/gm)].map(([, area = '']) => area);
const FAILURES = [
  ...tableUnder('ARCHITECTURE.md', 'What fails, and what happens').slice(1),
  ...AREAS.flatMap((area) => tableUnder('docs/failures.md', area).slice(1)),
];

describe('every promise of the failure table is held by a test', () => {
  it.each(FAILURES)('%s → %s', (_what, _happens, heldBy) => {
    const [file = ''] = codeIn(heldBy ?? '');
    const [, title = ''] = /“(.+)”/.exec(heldBy ?? '') ?? [];
    expect(existsSync(at(file)), `${file} exists`).toBe(true);
    const titles = [...textOf(file).matchAll(/(['"`])((?:(?!\1).)+)\1/g)].map(([, , text]) => text);
    expect(titles, `a title in ${file}`).toContain(title);
  });
});

const rule = z.object({
  name: z.string(),
  from: z.object({ path: z.string().optional() }).loose(),
  to: z.object({ pathNot: z.array(z.string()).optional() }).loose(),
});
const rulesSchema = z.object({ forbidden: z.array(rule.loose()) }).loose();

/** `^workflows/(messages|start)\.ts$` is what people call workflows/messages, workflows/start. */
function namesOf(pattern: string): string[] {
  const path = pattern.replace(/^\^|\$$/g, '').replace(/\/$|\\\.ts$/g, '');
  const [, folder, files] = /^(\w+)\/\(([\w|]+)\)$/.exec(path) ?? [];
  return folder && files ? files.split('|').map((file) => `${folder}/${file}`) : [path];
}

it('the import rule is the one that dependency-cruiser holds', () => {
  const { forbidden } = rulesSchema.parse(createRequire(import.meta.url)('../../.dependency-cruiser.cjs'));
  const held = forbidden
    .filter(({ name }) => name.endsWith('-imports'))
    .map(({ name, to }): [string, string[]] => {
      const folder = name.replace(/-imports$/, '');
      return [folder, (to.pathNot ?? []).flatMap(namesOf).filter((path) => path !== folder)];
    });
  const told = tableUnder('ARCHITECTURE.md', 'The import rule')
    .slice(1)
    .map(([folder = '', allowed = '']): [string, string[]] => {
      const ours = allowed.replace(/nothing of ours.*| as types/g, '').split(/[,;]/);
      return [folder, ours.map((name) => name.trim()).filter(Boolean)];
    });
  const sorted = (rules: [string, string[]][]) =>
    Object.fromEntries(rules.map(([folder, allowed]) => [folder, [...allowed].sort()]));
  expect(sorted(told)).toEqual(sorted(held));
});
