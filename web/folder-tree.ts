import type { FileEntry } from './agents-api.ts';
import type { TreeRow } from './components/CheckTree.tsx';
import { boxOf, canBeRule, type FolderRules, MOST_RULES } from './folder-rules.ts';

/** What is known of a folder: what is in it, that it is being read, or why it could not be. */
export type Level = { entries: readonly FileEntry[] } | { error: string } | 'reading';

const BLOCKED =
  'Its name has characters that mean a pattern (* ? [ ] { }), so no rule can name it: choose the folder above, or write a pattern.';

function noteOf(level: Level | undefined): string | null {
  if (level === undefined || level === 'reading') return 'Reading…';
  if ('error' in level) return level.error;
  if (level.entries.length === 0) return 'Empty.';
  return level.entries.length > MOST_RULES ? `Only the first ${MOST_RULES} are shown; write a rule for others.` : null;
}

/** The lines of the tree as far as it is open, the root first. */
export function treeRows(
  name: string,
  rules: FolderRules,
  opened: ReadonlySet<string>,
  levelOf: (folder: string) => Level | undefined,
): TreeRow[] {
  const below = (folder: string, depth: number): TreeRow[] => {
    const level = levelOf(folder);
    if (level === undefined || level === 'reading' || 'error' in level) return [];
    const shown = level.entries.slice(0, MOST_RULES);
    return shown.flatMap((entry, index) => {
      const isOpen = entry.type === 'folder' && opened.has(entry.path);
      const row: TreeRow = {
        path: entry.path,
        name: entry.name,
        level: depth,
        kind: entry.type,
        box: boxOf(rules, entry.path),
        open: entry.type === 'folder' ? isOpen : null,
        place: index + 1,
        siblings: shown.length,
        blocked: canBeRule(entry.path) ? null : BLOCKED,
        note: isOpen ? noteOf(levelOf(entry.path)) : null,
      };
      return isOpen ? [row, ...below(entry.path, depth + 1)] : [row];
    });
  };
  const isOpen = opened.has('/');
  const root: TreeRow = {
    path: '/',
    name,
    level: 1,
    kind: 'folder',
    box: boxOf(rules, '/'),
    open: isOpen,
    place: 1,
    siblings: 1,
    blocked: null,
    note: isOpen ? noteOf(levelOf('/')) : null,
  };
  return isOpen ? [root, ...below('/', 2)] : [root];
}
