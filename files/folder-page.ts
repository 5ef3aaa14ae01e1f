import { Failure } from '../domain/failures.ts';
import type { FileEntry } from '../domain/file.ts';

export type Named = Pick<FileEntry, 'name' | 'type'>;

export interface FolderPage<T> {
  items: T[];
  next_cursor: string | null;
}

export interface FolderPageRequest {
  limit: number;
  cursor?: string | undefined;
}

/** As people sort: without regard to case, and 9 before 10. Fixed to one language, or pages would not join. */
const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const inOrder = (a: Named, b: Named): number => {
  if (a.type !== b.type) return a.type === 'folder' ? -1 : 1;
  return compare(a.name, b.name) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
};

const writeCursor = ({ type, name }: Named): string => Buffer.from(`${type}|${name}`).toString('base64url');

function readCursor(cursor: string): Named {
  const [, type, name] = /^(folder|file)\|(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (name !== undefined && (type === 'folder' || type === 'file')) return { type, name };
  throw new Failure('invalid_request', 'The cursor is not one this list has given.', { fields: { cursor } });
}

/** One page of a folder, folders first. The last name is the cursor, so that what comes or goes in between moves nothing. */
export function folderPage<T extends Named>(all: T[], { limit, cursor }: FolderPageRequest): FolderPage<T> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const rest = all.filter((item) => after === null || inOrder(item, after) > 0).sort(inOrder);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? writeCursor(last) : null };
}

export const childPath = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;
