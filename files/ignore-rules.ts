import { isFailure } from '../domain/failures.ts';
import { globMatcher } from '../domain/glob.ts';
import type { NotebookFiles } from './notebook-files.ts';

/** Later ones take precedence, in a folder and from the root down. */
const RULE_FILES = ['.gitignore', '.ignore'];

interface Rule {
  isExcluding: boolean;
  foldersOnly: boolean;
  matches: (relative: string) => boolean;
}

function ruleOf(line: string): Rule | null {
  const text = line.replace(/\r$/, '').replace(/(?<!\\)\s+$/, '');
  if (text === '' || text.startsWith('#')) return null;
  const isExcluding = !text.startsWith('!');
  const bare = (isExcluding ? text : text.slice(1)).replace(/^\\(?=[#!])/, '');
  const foldersOnly = bare.endsWith('/');
  // `a/**` is what is in the folder, and not the folder.
  const pattern = (foldersOnly ? bare.slice(0, -1) : bare).replace(/\/\*\*$/, '/**/*');
  // One with a slash counts from its own folder, any other at every depth.
  const matches = globMatcher(pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`);
  return { isExcluding, foldersOnly, matches };
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/**
 * Which paths the `.gitignore` and `.ignore` files of a notebook leave out, for systems without the search program that
 * knows them by itself.
 */
export async function ignoredPaths(files: NotebookFiles, paths: readonly string[]): Promise<(path: string) => boolean> {
  const rules = new Map<string, Rule[]>();
  const rulesIn = async (folder: string): Promise<Rule[]> => {
    const found: Rule[] = [];
    for (const name of RULE_FILES) {
      const text = await files.read(`${folder}/${name}`).catch((error: unknown) => {
        if (isFailure(error)) return null;
        throw error;
      });
      for (const line of text?.text.split('\n') ?? []) found.push(...[ruleOf(line) ?? []].flat());
    }
    return found;
  };
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = parentOf(path); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  }
  for (const folder of folders) rules.set(folder, await rulesIn(folder));

  const decided = new Map<string, boolean>([['', false]]);
  const isIgnored = (path: string, isFolder: boolean): boolean => {
    const known = decided.get(path);
    if (known !== undefined) return known;
    let verdict = isIgnored(parentOf(path), true);
    // What is in a folder that is left out cannot be taken back in.
    for (let at = parentOf(path), isOpen = !verdict; isOpen; at = parentOf(at)) {
      const rule = rules.get(at)?.findLast(({ foldersOnly, matches }) => {
        return (isFolder || !foldersOnly) && matches(path.slice(at.length + 1));
      });
      if (rule) verdict = rule.isExcluding;
      isOpen = rule === undefined && at !== '';
    }
    decided.set(path, verdict);
    return verdict;
  };
  return (path) => isIgnored(path, false);
}
