import type { FileContent, FileEntry, FileHits, WrittenFile } from '../domain/file.ts';
import { at, call, type Page, tell } from './http.ts';

const files = (notebookId: string, rest = ''): string => `/notebooks/${at(notebookId)}/files${rest}`;

/** More in one folder nobody scrolls through; the search finds the rest. */
const MOST_PAGES = 2;

export const filesApi = {
  async folder(notebookId: string, path: string, signal?: AbortSignal): Promise<FileEntry[]> {
    const items: FileEntry[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query: Record<string, string | number | null> = { path, cursor, limit: 5000 };
      const page: Page<FileEntry> = await call(files(notebookId), { query, signal });
      items.push(...page.items);
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    return items;
  },
  content: (notebookId: string, path: string, signal?: AbortSignal) =>
    call<FileContent>(files(notebookId, '/content'), { query: { path }, signal }),
  /** `expected_hash` is of the text that was changed; null makes a file that must not be there yet. */
  write: (notebookId: string, body: { path: string; content: string; expected_hash: string | null }) =>
    call<WrittenFile>(files(notebookId, '/content'), { method: 'PUT', body }),
  remove: (notebookId: string, path: string, expected_hash: string) =>
    tell(files(notebookId, '/content'), { method: 'DELETE', query: { path, expected_hash } }),
  move: (notebookId: string, body: { from: string; to: string; expected_hash: string }) =>
    call<WrittenFile>(files(notebookId, '/move'), { method: 'POST', body }),
  makeFolder: (notebookId: string, path: string) =>
    call<{ path: string }>(files(notebookId, '/folder'), { method: 'POST', body: { path } }),
  search: (notebookId: string, q: string, signal?: AbortSignal) =>
    call<FileHits>(files(notebookId, '/search'), { query: { q, limit: 50 }, signal }),
};
