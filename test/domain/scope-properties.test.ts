import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Agent, type Operation, operationSchema, type Scope } from '../../domain/agent.ts';
import { isFailure } from '../../domain/failures.ts';
import { trickIn } from '../../domain/path-tricks.ts';
import { CAPABILITY, mayAnywhere, mayHold, notebookPath, scopeVerdict } from '../../domain/scope.ts';
import { agentWith } from './told.ts';

const NAMES = ['a', 'b', 'docs', 'Docs', 'docs2', 'secret', 'über', '.hidden', 'a b', 'x.md', 'y.txt', 'Makefile'];
const anyName = fc.constantFrom(...NAMES);
const anyPath = fc.array(anyName, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
const anyPlainRule = fc.tuple(anyPath, fc.constantFrom('', '/', '/*')).map(([folder, end]) => folder + end);
const anyRule = fc.oneof(anyPlainRule, fc.constantFrom('/**/*.md', '/*/docs', '**', '/docs/**', '/[ab]/*', '*.txt'));
const anyType = fc.constantFrom('md', '.md', '*.md', '*.{md,txt}', 'txt', 'Makefile', '*');
const anyOperation = fc.constantFrom(...operationSchema.options);
const maybe = <T>(list: fc.Arbitrary<T[]>) => fc.option(list, { nil: undefined, freq: 2 });

const defined = (scope: Record<string, unknown>): Scope =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
const anyScope = fc
  .record({
    notebooks: maybe(fc.subarray(['*', 'nb_1', 'nb_2'])),
    folders: maybe(fc.array(anyRule, { maxLength: 3 })),
    file_types: maybe(fc.array(anyType, { maxLength: 2 })),
    operations: maybe(fc.subarray([...operationSchema.options])),
  })
  .map(defined);
const anyAgent = fc
  .record({
    scope: anyScope,
    can_read: fc.boolean(),
    can_write: fc.boolean(),
    can_create: fc.boolean(),
    can_delete: fc.boolean(),
    can_execute_code: fc.boolean(),
  })
  .map(agentWith);
const anyAct = fc.record({ notebook: fc.constantFrom('nb_1', 'nb_2'), operation: anyOperation, path: anyPath });

const may = (agent: Agent, notebook: string, operation: Operation, path: string) =>
  scopeVerdict(agent, notebook, operation, path).allowed;
/** An agent that may do everything everywhere, but for one rule. */
const free = (scope: Scope): Agent =>
  agentWith({
    can_write: true,
    can_create: true,
    can_delete: true,
    can_execute_code: true,
    scope: { notebooks: ['*'], ...scope },
  });

describe('[2] whatever the scope and the path', () => {
  it('what is allowed, each single rule allows; what each of them allows is allowed', () => {
    let allowed = 0;
    fc.assert(
      fc.property(anyAgent, anyAct, (agent, { notebook, operation, path }) => {
        const { notebooks, folders, file_types, operations } = agent.scope;
        const each = [
          notebooks !== undefined && may(free({ notebooks }), notebook, operation, path),
          agent[CAPABILITY[operation]],
          !operations || may(free({ operations }), notebook, operation, path),
          !folders || may(free({ folders }), notebook, operation, path),
          !file_types || may(free({ file_types }), notebook, operation, path),
        ];
        const verdict = may(agent, notebook, operation, path);
        expect(verdict).toBe(each.every(Boolean));
        allowed += verdict ? 1 : 0;
      }),
      { numRuns: 3_000 },
    );
    expect(allowed).toBeGreaterThan(20);
  });

  it('another rule in a list never takes anything away', () =>
    fc.assert(
      fc.property(anyAgent, anyAct, anyRule, anyType, (agent, { notebook, operation, path }, folder, type) => {
        if (!may(agent, notebook, operation, path)) return;
        const { scope } = agent;
        const wider: Scope[] = [
          { ...scope, notebooks: [...(scope.notebooks ?? []), 'nb_3'] },
          ...(scope.folders ? [{ ...scope, folders: [folder, ...scope.folders] }] : []),
          ...(scope.file_types ? [{ ...scope, file_types: [...scope.file_types, type] }] : []),
        ];
        for (const one of wider) expect(may({ ...agent, scope: one }, notebook, operation, path)).toBe(true);
      }),
      { numRuns: 2_000 },
    ));

  it('a folder rule covers exactly what is below it', () =>
    fc.assert(
      fc.property(anyPath, fc.constantFrom('', '/', '/*'), anyPath, (folder, end, path) => {
        const agent = free({ folders: [folder + end] });
        expect(may(agent, 'nb_1', 'read', path)).toBe(path === folder || path.startsWith(`${folder}/`));
        expect(may(agent, 'nb_1', 'read', folder + path)).toBe(true);
        expect(may(agent, 'nb_1', 'read', `${folder}x`)).toBe(false);
      }),
      { numRuns: 1_000 },
    ));

  it('what is allowed names the rule that covers the path, and that rule alone covers it, too', () =>
    fc.assert(
      fc.property(fc.array(anyRule, { minLength: 1, maxLength: 4 }), anyPath, (folders, path) => {
        const verdict = scopeVerdict(free({ folders }), 'nb_1', 'read', path);
        if (!verdict.allowed) return;
        const [, number, rule] = /^folder rule (\d+) \((.*)\)$/.exec(verdict.rule) ?? [];
        expect(rule).toBe(folders[Number(number) - 1]);
        expect(may(free({ folders: [rule ?? ''] }), 'nb_1', 'read', path)).toBe(true);
      }),
    ));

  it('what may be read is in folders that may be listed, all the way up', () =>
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 3 }), anyPath, (folders, path) => {
        if (!may(free({ folders }), 'nb_1', 'read', path)) return;
        const parts = path.split('/');
        const above = parts.map((_, n) => parts.slice(0, n).join('/') || '/');
        for (const folder of above) expect(mayHold({ folders }, folder)).toBe(true);
      }),
      { numRuns: 1_000 },
    ));

  it('what may be done nowhere may be done to no path', () =>
    fc.assert(
      fc.property(anyAgent, anyAct, (agent, { notebook, operation, path }) => {
        if (!mayAnywhere(agent, operation)) expect(may(agent, notebook, operation, path)).toBe(false);
      }),
    ));
});

describe('[2] whatever characters a path is made of', () => {
  const PIECES = [
    '..',
    '.',
    '/',
    '\\',
    '%2e',
    '%',
    '25',
    '2f',
    '\u200b',
    '\uff0e',
    '\u2215',
    '\0',
    ' ',
    'a',
    'ü',
    'u\u0308',
  ];
  const anyText = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  it('it is refused, or means one place below the root, of honest names', () =>
    fc.assert(
      fc.property(anyText, (text) => {
        let path: string;
        try {
          path = notebookPath(text);
        } catch (error) {
          expect(isFailure(error) && error.code).toBe('scope_violation');
          return;
        }
        expect(path.startsWith('/')).toBe(true);
        expect([notebookPath(path), trickIn(path)]).toEqual([path, null]);
        if (path === '/') return;
        for (const part of path.slice(1).split('/')) {
          expect(['', '.', '..']).not.toContain(part);
          expect(part).toBe(part.normalize('NFC'));
          expect(part).not.toMatch(/[\p{Cc}\\]|[.\s]$/u);
          expect(part.normalize('NFKC').split('.').length - 3).toBeLessThanOrEqual(part.split('.').length);
        }
      }),
      { numRuns: 5_000 },
    ));

  it('the scope refuses what the path refuses, even where everything is allowed', () =>
    fc.assert(
      fc.property(anyText, (text) => {
        if (trickIn(text) !== null) expect(may(free({}), 'nb_1', 'read', text)).toBe(false);
      }),
      { numRuns: 2_000 },
    ));
});
