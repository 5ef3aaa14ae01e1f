/**
 * Folder rules of a scope, and the boxes of a tree that shows them. The list of rules is the only truth: the tree is
 * read from it, and what the tree cannot show (globs) is carried along untouched.
 *
 * Absent rules mean every folder. A plain rule (`/x`, `x`, `/x/`, `/x/*`) covers the path and all below it.
 */
export type FolderRules = readonly string[] | undefined;
export type Box = 'all' | 'some' | 'none';

const EVERYWHERE: ReadonlySet<string> = new Set(['*', '/', '/*']);
const GLOB = /[*?[\]{}]/;
export const MOST_RULES = 1000;

/** The folder a plain rule names, `/` for all of them; null for a rule that only text can show. */
export function plainFolder(rule: string): string | null {
  if (EVERYWHERE.has(rule)) return '/';
  const rooted = rule.startsWith('/') ? rule : `/${rule}`;
  const folder = rooted.endsWith('/*') ? rooted.slice(0, -2) : rooted.replace(/\/$/, '');
  const parts = folder.split('/').slice(1);
  const isPlain = parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain && !GLOB.test(folder) && folder === folder.normalize('NFC') ? folder : null;
}

/** Whether a path can be named by a rule at all: one with a star in its name would be taken for a pattern. */
export const canBeRule = (path: string): boolean => plainFolder(path) === path;

const isBelow = (path: string, folder: string): boolean =>
  folder === '/' ? path !== '/' : path.startsWith(`${folder}/`);
const covers = (folder: string, path: string): boolean => folder === path || isBelow(path, folder);

const foldersOf = (rules: FolderRules): string[] =>
  rules === undefined ? ['/'] : rules.flatMap((rule) => plainFolder(rule) ?? []);

/** How a path stands in the tree: chosen with all below it, only something below it, or not at all. */
export function boxOf(rules: FolderRules, path: string): Box {
  const folders = foldersOf(rules);
  if (folders.some((folder) => covers(folder, path))) return 'all';
  return folders.some((folder) => isBelow(folder, path)) ? 'some' : 'none';
}

/** The numbers (from 1) of the rules that the tree cannot show. */
export const textRules = (rules: FolderRules): number[] =>
  (rules ?? []).flatMap((rule, index) => (plainFolder(rule) === null ? [index + 1] : []));

const without = (rules: readonly string[], isGone: (folder: string) => boolean): string[] =>
  rules.filter((rule) => {
    const folder = plainFolder(rule);
    return folder === null || !isGone(folder);
  });

/** With a path and all below it. The whole notebook is no rule at all, unless other rules are to be kept. */
export function tick(rules: FolderRules, path: string): FolderRules {
  if (boxOf(rules, path) === 'all') return rules;
  const kept = without(rules ?? [], (folder) => isBelow(folder, path));
  return path === '/' && kept.length === 0 ? undefined : [...kept, path];
}

interface Unticked {
  rules: string[];
  /** What was covered by a rule above and cannot be named by one of its own: it is not covered any more. */
  lost: string[];
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** The folders that hold a path, from the outermost inside `top` down. */
function between(top: string, path: string): string[] {
  const folders: string[] = [];
  for (let at = parentOf(path); at !== top && at !== '/'; at = parentOf(at)) folders.unshift(at);
  return [top, ...folders];
}

/** Rules that cover a path from above. Of several the widest is taken apart: it covers what the others do. */
const above = (rules: FolderRules, path: string): string[] =>
  foldersOf(rules)
    .filter((folder) => folder !== path && covers(folder, path))
    .sort((a, b) => a.length - b.length);

/** The folders whose content `untick` wants to know. */
export function neededFor(rules: FolderRules, path: string): string[] {
  const [widest] = above(rules, path);
  return widest === undefined ? [] : between(widest, path);
}

/**
 * Without a path and all below it. Rules only ever allow: where a folder above is chosen, everything else in it is
 * named instead. `childrenOf` gives the paths in a folder.
 */
export function untick(rules: FolderRules, path: string, childrenOf: (folder: string) => readonly string[]): Unticked {
  const taken = above(rules, path);
  const kept = without(rules ?? ['/'], (folder) => covers(path, folder) || taken.includes(folder));
  const beside = neededFor(rules, path)
    .flatMap((folder) => [...childrenOf(folder)])
    .filter((child) => !covers(child, path));
  const named = beside.filter((child) => canBeRule(child) && boxOf(kept, child) !== 'all');
  return { rules: [...kept, ...named], lost: beside.filter((child) => !canBeRule(child)) };
}
