import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scopeVerdict } from '../../domain/scope.ts';
import {
  boxOf,
  canBeRule,
  type FolderRules,
  neededFor,
  plainFolder,
  textRules,
  tick,
  untick,
} from '../../web/folder-rules.ts';
import { agentWith } from '../domain/told.ts';

const covered = (rules: FolderRules, path: string): boolean => {
  const scope = rules === undefined ? { notebooks: ['*'] } : { notebooks: ['*'], folders: [...rules] };
  return scopeVerdict(agentWith({ scope }), 'nb_1', 'read', path).allowed;
};

const NAMES = ['a', 'b', 'c d', 'x.md', 'ü', 'old [1]'];
/** Three levels of the same names: small enough to be looked at whole. */
const TREE = NAMES.flatMap((a) => [
  `/${a}`,
  ...NAMES.flatMap((b) => [`/${a}/${b}`, ...NAMES.map((c) => `/${a}/${b}/${c}`)]),
]);
const childrenOf = (folder: string): string[] =>
  TREE.filter((path) => path.slice(0, path.lastIndexOf('/')) === (folder === '/' ? '' : folder));
const isIn = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

const path = fc.constantFrom(...TREE);
const plainRule = fc
  .tuple(path.filter(canBeRule), fc.constantFrom('', '/', '/*'), fc.boolean())
  .map(([at, end, isRooted]) => `${isRooted ? at : at.slice(1)}${end}`);
const glob = fc.constantFrom('/a/**/*.md', '**/x.md', '/*/b', '/old ?1?/**', '{a,b}/c*', '/a//b', '//');
const everywhere = fc.constantFrom('*', '/', '/*');
const rule = fc.oneof({ weight: 6, arbitrary: plainRule }, { weight: 2, arbitrary: glob }, everywhere);
const rules: fc.Arbitrary<FolderRules> = fc.option(fc.array(rule, { maxLength: 6 }), { nil: undefined });
const globsOf = (given: FolderRules): string[] => (given ?? []).filter((each) => plainFolder(each) === null);

describe('[11] folder rules and the tree that shows them', () => {
  it('show every path as the guard judges it, but for the rules that stand beside the tree', () => {
    fc.assert(
      fc.property(rules, path, (given, at) => {
        const isShown = boxOf(given, at) === 'all' || covered(globsOf(given), at);
        expect(isShown).toBe(covered(given, at));
      }),
    );
  });

  it('mean the same after they were read into the tree and written again', () => {
    fc.assert(
      fc.property(rules, fc.array(path), (given, paths) => {
        const chosen = ['/', ...TREE.filter(canBeRule)].filter((at) => boxOf(given, at) === 'all');
        const written = chosen.reduce<FolderRules>((list, at) => tick(list, at), globsOf(given));
        for (const at of paths) expect(covered(written, at)).toBe(covered(given, at));
      }),
    );
  });

  it('cover what is ticked and all below it, and nothing else than before', () => {
    fc.assert(
      fc.property(rules, fc.oneof(path.filter(canBeRule), fc.constant('/')), path, (given, ticked, at) => {
        expect(covered(tick(given, ticked), at)).toBe(isIn(at, ticked) || covered(given, at));
      }),
    );
  });

  it('leave out what is unticked and all below it, and nothing else; what cannot be named is told', () => {
    fc.assert(
      fc.property(rules, fc.oneof(path, fc.constant('/')), path, (given, unticked, at) => {
        const { rules: left, lost } = untick(given, unticked, childrenOf);
        if (isIn(at, unticked) || lost.some((folder) => isIn(at, folder)))
          expect(covered(left, at)).toBe(covered(globsOf(given), at));
        // A folder on the way to what was left out is no longer covered itself, only what else is in it.
        else if (!isIn(unticked, at)) expect(covered(left, at)).toBe(covered(given, at));
      }),
    );
  });

  it('keep every rule the tree cannot show, whatever is ticked', () => {
    fc.assert(
      fc.property(rules, path.filter(canBeRule), (given, at) => {
        expect(globsOf(tick(given, at))).toEqual(globsOf(given));
        expect(globsOf(untick(given, at, childrenOf).rules)).toEqual(globsOf(given));
      }),
    );
  });

  it.each<[FolderRules, string, string]>([
    [undefined, '/', 'all'],
    [undefined, '/drafts', 'all'],
    [[], '/', 'none'],
    [['/drafts/*'], '/', 'some'],
    [['/drafts/*'], '/drafts', 'all'],
    [['drafts'], '/drafts/deep/a.md', 'all'],
    [['/drafts/deep'], '/drafts', 'some'],
    [['/drafts'], '/drafts-old', 'none'],
    [['/drafts/**'], '/drafts', 'none'],
  ])('%j show %s as %s', (given, at, box) => expect(boxOf(given, at)).toBe(box));

  it('are no rules at all where the whole notebook is ticked, unless others are to be kept', () => {
    expect(tick(['/a', '/b'], '/')).toBeUndefined();
    expect(tick(['/a', '**/*.md'], '/')).toEqual(['**/*.md', '/']);
  });

  it('name what else is in a folder when one thing in it is left out', () => {
    const tree: Record<string, string[]> = { '/': ['/drafts', '/notes'], '/drafts': ['/drafts/a.md', '/drafts/b.md'] };
    expect(neededFor(undefined, '/drafts/a.md')).toEqual(['/', '/drafts']);
    expect(untick(undefined, '/drafts/a.md', (folder) => tree[folder] ?? [])).toEqual({
      rules: ['/notes', '/drafts/b.md'],
      lost: [],
    });
  });

  it('say by their numbers which of them the tree cannot show', () => {
    expect(textRules(['/a', '**/*.md', '/b/*', '/c/*/d'])).toEqual([2, 4]);
  });
});
