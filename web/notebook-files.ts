import { at, call, type Page } from './http.ts';

interface FileEntry {
  name: string;
  path: string;
  type: 'folder' | 'file';
}

/** A picker has no use for more, and a notebook may have a million. */
const MOST_FILES = 2_000;
const MOST_FOLDERS = 100;

const level = (notebookId: string, path: string, cursor: string | null, signal: AbortSignal) =>
  call<Page<FileEntry>>(`/notebooks/${at(notebookId)}/files`, { query: { path, cursor, limit: 1000 }, signal });

/** The files under a folder, nearest first; `isWhole` says whether there are more than these. */
export async function filesUnder(
  notebookId: string,
  folder: string,
  signal: AbortSignal,
): Promise<{ paths: string[]; isWhole: boolean }> {
  const paths: string[] = [];
  const folders = [folder];
  for (let read = 0; read < folders.length; read += 1) {
    if (read >= MOST_FOLDERS) return { paths, isWhole: false };
    let cursor: string | null = null;
    do {
      const page: Page<FileEntry> = await level(notebookId, folders[read] ?? '/', cursor, signal);
      for (const entry of page.items) {
        if (entry.type === 'folder') folders.push(entry.path);
        else paths.push(entry.path);
      }
      if (paths.length >= MOST_FILES) return { paths, isWhole: false };
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return { paths, isWhole: true };
}
