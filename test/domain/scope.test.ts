import { describe, expect, it } from 'vitest';
import type { Agent, Operation } from '../../domain/agent.ts';
import { isFailure } from '../../domain/failures.ts';
import { notebookPath, scopeVerdict } from '../../domain/scope.ts';
import { agentWith } from './told.ts';

describe('[2] a path of a notebook', () => {
  it.each([
    ['notes.md', '/notes.md'],
    ['/notes.md', '/notes.md'],
    ['//notes.md', '/notes.md'],
    ['/a//b/./c/', '/a/b/c'],
    ['', '/'],
    ['.', '/'],
    ['/...', '/...'],
    ['/..a/b..', '/..a/b..'],
    ['/a b/ü.md', '/a b/ü.md'],
    ['/100%25.md', '/100%25.md'],
    ['/~/x', '/~/x'],
    ['/$HOME', '/$HOME'],
  ])('%j is %j', (path, shown) => expect(notebookPath(path)).toBe(shown));

  it.each([
    '..',
    '../etc/passwd',
    '/../etc/passwd',
    '/a/../../etc/passwd',
    '/a/..',
    '/a/../b',
    './../x',
    '/a/..//b',
    '..\\x',
    '\\..\\x',
    'C:\\Windows',
    '/a\\..\\b',
    '/a\0.md',
    '/a.md\0/../b',
    '%2e%2e/etc/passwd',
    '/%2E%2e/x',
    '/..%2fetc',
    '/a%2Fb',
    '/a%5cb',
    '/a%00b',
    '/u\u0308.md',
    '/\u212b.md',
  ])('%j is refused', (path) => {
    try {
      notebookPath(path);
    } catch (error) {
      expect(isFailure(error) && [error.code, error.details]).toEqual(['scope_violation', { scope_violation: true }]);
      return;
    }
    throw new Error('it was let through');
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

  it('says which rule refused', () => {
    expect(scopeVerdict(agentWith({ can_read: false }), 'nb_1', 'read', '/a')).toEqual({
      allowed: false,
      rule: 'can_read is off',
    });
  });
});
