import type { FileEntry } from '../domain/file.ts';
import { foldersAbove } from './file-paths.ts';

export interface Listing {
  items: readonly FileEntry[] | undefined;
  failed: boolean;
}

export type TreeRow =
  | { type: 'entry'; path: string; entry: FileEntry; depth: number; open: boolean | null }
  | { type: 'note'; path: string; depth: number; note: 'loading' | 'failed' | 'empty' };

/** Open folders that can be seen: those inside a closed one wait for it. */
export const seenFolders = (open: ReadonlySet<string>): string[] =>
  ['/', ...open].filter((folder) => folder === '/' || foldersAbove(folder).every((up) => up === '/' || open.has(up)));

/** The tree as lines, as deep as it is open. */
export function treeRows(
  listingOf: (folder: string) => Listing | undefined,
  open: ReadonlySet<string>,
  folder = '/',
  depth = 0,
): TreeRow[] {
  const note = (what: 'loading' | 'failed' | 'empty'): TreeRow[] => [
    { type: 'note', path: `${folder}//${what}`, depth, note: what },
  ];
  const listing = listingOf(folder);
  if (!listing?.items) return note(listing?.failed ? 'failed' : 'loading');
  if (listing.items.length === 0) return note('empty');
  return listing.items.flatMap((entry): TreeRow[] => {
    const isOpen = entry.type === 'folder' ? open.has(entry.path) : null;
    const row: TreeRow = { type: 'entry', path: entry.path, entry, depth, open: isOpen };
    return isOpen ? [row, ...treeRows(listingOf, open, entry.path, depth + 1)] : [row];
  });
}
