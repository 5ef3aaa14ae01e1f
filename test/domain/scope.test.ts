import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Agent, Operation } from '../../domain/agent.ts';
import { isFailure } from '../../domain/failures.ts';
import { notebookPath, scopeVerdict } from '../../domain/scope.ts';
import { allAttempts, attempts, honest } from '../files/escape-attempts.ts';
import { agentWith } from './told.ts';

const REFUSED = ['scope_violation', { scope_violation: true }];

const refusal = (path: string): unknown => {
  try {
    return notebookPath(path);
  } catch (error) {
    return isFailure(error) ? [error.code, error.details] : error;
  }
};

describe('[2] a path of a notebook', () => {
  it.each(honest)('%j is %j', (path, shown) => expect(notebookPath(path)).toBe(shown));

  it.each(Object.entries(attempts))('that tries a trick is refused: %s', (_kind, paths) => {
    const through = paths.filter((path) => !isDeepStrictEqual(refusal(path), REFUSED));
    expect(through).toEqual([]);
  });

  it('is tried in several hundred ways', () => expect(allAttempts.length).toBeGreaterThan(600));

  it('that is refused is not repeated at length', () => {
    expect(() => notebookPath(`/..${'x'.repeat(10_000)}\0`)).toThrow(/^.{0,300}$/);
  });
});

const may = (agent: Partial<Agent>, operation: Operation, path: string | null, notebook = 'nb_1'): boolean =>
  scopeVerdict(agentWith(agent), notebook, operation, path).allowed;

describe('[2] the scope of an agent denies by default', () => {
  it.each<[string, Partial<Agent>, Operation, string | null, boolean]>([
    ['no notebooks named: none', { scope: {} }, 'read', '/a.md', false],
    ['an empty list: none', { scope: { notebooks: [] } }, 'read', '/a.md', false],
    ['another notebook', { scope: { notebooks: ['nb_2'] } }, 'read', '/a.md', false],
    ['this notebook', { scope: { notebooks: ['nb_2', 'nb_1'] } }, 'read', '/a.md', true],
    ['all notebooks', { scope: { notebooks: ['*'] } }, 'read', '/a.md', true],
    ['the flag is off', { can_read: false }, 'read', '/a.md', false],
    [
      'the flag is off, though the operation is listed',
      { scope: { notebooks: ['*'], operations: ['write'] } },
      'write',
      '/a.md',
      false,
    ],
    [
      'the flag is on, the operation is not listed',
      { can_write: true, scope: { notebooks: ['*'], operations: ['read'] } },
      'write',
      '/a.md',
      false,
    ],
    ['both', { can_write: true, scope: { notebooks: ['*'], operations: ['write'] } }, 'write', '/a.md', true],
    ['no operations at all', { scope: { notebooks: ['*'], operations: [] } }, 'read', '/a.md', false],
    ['create is not write', { can_write: true }, 'create', '/a.md', false],
    ['delete is not write', { can_write: true, can_create: true }, 'delete', '/a.md', false],
    ['execute has its own flag', { can_execute_code: true }, 'execute', null, true],
  ])('%s', (_what, agent, operation, path, allowed) => expect(may(agent, operation, path)).toBe(allowed));

  const folders = (...list: string[]): Partial<Agent> => ({ scope: { notebooks: ['*'], folders: list } });
  it.each<[string[], string, boolean]>([
    [['/docs'], '/docs/a.md', true],
    [['/docs'], '/docs/deep/er/a.md', true],
    [['/docs/*'], '/docs/deep/er/a.md', true],
    [['/docs/'], '/docs/a.md', true],
    [['docs'], '/docs/a.md', true],
    [['/docs'], '/docs', true],
    [['/docs'], '/docs-secret/a.md', false],
    [['/docs'], '/Docs/a.md', false],
    [['/docs'], '/other/docs/a.md', false],
    [['/docs/*'], '/docs2/a.md', false],
    [['/docs/**/*.md'], '/docs/a/b.md', true],
    [['/docs/**/*.md'], '/docs/a/b.txt', false],
    [['/docs/**'], '/docs/.hidden/a.md', true],
    [['/**/*.md'], '/a.md', true],
    [['**/*.md'], '/deep/down/a.md', true],
    [['/*/public'], '/a/public', true],
    [['/*/public'], '/a/b/public', false],
    [['*'], '/anything', true],
    [['/'], '/anything/at/all', true],
    [['/*'], '/anything/at/all', true],
    [[], '/a.md', false],
    [['/a', '/b'], '/b/c', true],
    [['/DOCS'], '/docs/a.md', false],
    [['//docs//'], '/docs/a.md', true],
    [['/../docs'], '/docs/a.md', false],
    [['!/secret/**'], '/docs/a.md', false],
    [['/!(secret)/**'], '/docs/a.md', false],
    [['/u\u0308ber'], '/über/a.md', true],
    [['/wow!'], '/wow!/a.md', true],
  ])('folders %j cover %j: %s', (list, path, allowed) => expect(may(folders(...list), 'read', path)).toBe(allowed));

  const types = (...list: string[]): Partial<Agent> => ({ scope: { notebooks: ['*'], file_types: list } });
  it.each<[string[], string, boolean]>([
    [['*.md'], '/a.md', true],
    [['*.md'], '/deep/down/a.md', true],
    [['*.md'], '/a.md.exe', false],
    [['*.md'], '/a.MD', false],
    [['*.md'], '/dir.md/secret.txt', false],
    [['*.{md,txt}'], '/a.txt', true],
    [['*.env'], '/.env', true],
    [['md'], '/a.md', true],
    [['.md'], '/a.md', true],
    [['md'], '/amd', false],
    [['Makefile'], '/src/Makefile', true],
    [[], '/a.md', false],
  ])('file types %j cover %j: %s', (list, path, allowed) => expect(may(types(...list), 'read', path)).toBe(allowed));

  it('folder and type must both allow', () => {
    const scope = { notebooks: ['*'], folders: ['/docs'], file_types: ['*.md'] };
    expect(['/docs/a.md', '/docs/a.txt', '/a.md'].map((path) => may({ scope }, 'read', path))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each<[string, Partial<Agent>, Operation, string]>([
    ['/a.md', { can_read: false }, 'read', 'no: can_read is off'],
    ['/a.md', { scope: {} }, 'read', 'no: the notebook is not in its scope'],
    [
      '/a.md',
      { scope: { notebooks: ['*'], operations: ['write'] } },
      'read',
      'no: its scope does not list the operation read',
    ],
    ['/a.md', {}, 'read', 'yes: its scope has no folder or file type rules'],
    ['/drafts/a.md', folders('/docs', '/drafts/*'), 'read', 'yes: folder rule 2 (/drafts/*)'],
    [
      '/docs/a.md',
      { scope: { notebooks: ['*'], folders: ['/docs'], file_types: ['txt', 'md'] } },
      'read',
      'yes: folder rule 1 (/docs) and file type rule 2 (md)',
    ],
    [
      '/src/a.md',
      folders('/docs', '/drafts/*'),
      'read',
      'no: no folder rule covers /src/a.md: there is 1 (/docs), 2 (/drafts/*)',
    ],
    ['/src/a.md', folders(), 'read', 'no: no folder rule covers /src/a.md: there is none'],
    [
      '/x',
      folders(...'abcdefg'),
      'read',
      'no: no folder rule covers /x: there is 1 (a), 2 (b), 3 (c), 4 (d), 5 (e) and 2 more',
    ],
    ['/a.ts', types('md'), 'read', 'no: no file type rule covers /a.ts: there is 1 (md)'],
    ['/../a', {}, 'read', 'no: the path leaves the notebook'],
    ['a.md', {}, 'read', 'no: the path does not begin at the root of the notebook'],
    ['/', folders('/docs'), 'read', 'yes: can_read is on'],
    ['/', { ...folders('/docs'), can_write: true }, 'write', 'no: no folder rule covers /: there is 1 (/docs)'],
    ['/.git/hooks/x', { can_write: true }, 'write', 'no: the files of git itself are left to git'],
    ['/sub/.GIT/config', { can_delete: true }, 'delete', 'no: the files of git itself are left to git'],
  ])('says by which rule: %s', (path, agent, operation, expected) => {
    const { allowed, rule } = scopeVerdict(agentWith(agent), 'nb_1', operation, path);
    expect(`${allowed ? 'yes' : 'no'}: ${rule}`).toBe(expected);
  });
});
