import type { Dirent, Stats } from 'node:fs';
import { link, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import {
  type FileContent,
  type FileEntry,
  type FileHit,
  type FileHits,
  isHidden,
  MAX_FILE_BYTES,
  type WrittenFile,
} from '../domain/file.ts';
import { notebookPath } from '../domain/scope.ts';
import { childPath, type FolderPage, type FolderPageRequest, folderPage } from './folder-page.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { searchedFiles, searchText } from './search.ts';
import { inTurn } from './turns.ts';

export interface FileSearch {
  query: string;
  glob?: string | undefined;
  limit: number;
  signal: AbortSignal;
}

/** What people see of a notebook, wherever its files lie. */
export interface BrowsedFiles {
  list(folder: string, page: FolderPageRequest): Promise<FolderPage<FileEntry>>;
  read(path: string): Promise<FileContent>;
  search(search: FileSearch): Promise<FileHits>;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

export const noFile = (path: string): Failure => new Failure('no_such_file', `There is no file ${path}.`, { path });
export const noFolder = (path: string): Failure => new Failure('no_such_file', `There is no folder ${path}.`, { path });
const changed = (path: string, hash: string | null): Failure => {
  const what = hash === null ? `There is no file ${path} any more.` : `${path} is another one than was expected.`;
  return new Failure('file_changed', what, { path, hash });
};

/** The path as the notebook knows it; what is not listed cannot be reached by its name either. */
export function shownPath(path: string): string {
  const shown = notebookPath(path);
  if (!isHidden(shown)) return shown;
  throw new Failure('scope_violation', `The path ${JSON.stringify(path)} is hidden: a name in it begins with a dot.`);
}

export const demandSize = (path: string, bytes: number): void => {
  if (bytes > MAX_FILE_BYTES) {
    throw new Failure('too_large', `${path} is over 10 MB.`, { path, bytes, most: MAX_FILE_BYTES });
  }
};

const nameHit = (path: string): FileHit => ({ path, line: null, start_line: null, snippet: '' });

/** Names before content: who types a name looks for the file. */
export const nameHits = (paths: readonly string[], { query, limit }: FileSearch): FileHit[] => {
  const wanted = query.toLowerCase();
  const found = paths.filter((path) => path.toLowerCase().includes(wanted));
  return found.slice(0, Math.ceil(limit / 2)).map(nameHit);
};

/** The files of a folder notebook as people read and change them. */
export class FolderFiles implements BrowsedFiles {
  constructor(private readonly files: NotebookFiles) {}

  private async place(path: string): Promise<string> {
    return join(this.files.root, await this.files.actual(path));
  }

  async list(folder: string, page: FolderPageRequest): Promise<FolderPage<FileEntry>> {
    const shown = shownPath(folder);
    const at = await this.place(shown);
    const found = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
      throw isMissing(error) ? noFolder(shown) : error;
    });
    const { items, next_cursor } = folderPage(found.flatMap(named), page);
    const described = await Promise.all(
      items.map(async ({ name, type }) => entry(childPath(shown, name), type, await statsOf(join(at, name)))),
    );
    return { items: described, next_cursor };
  }

  async read(path: string): Promise<FileContent> {
    const shown = shownPath(path);
    const stats = await statsOf(await this.place(shown));
    if (!stats) throw noFile(shown);
    demandSize(shown, stats.size);
    const { text, hash } = await this.files.read(shown);
    return { path: shown, text, hash, size: stats.size, modified_at: stats.mtime.toISOString() };
  }

  async search(search: FileSearch): Promise<FileHits> {
    const { query, glob, limit, signal } = search;
    const paths = await searchedFiles(this.files, { glob, sees: (path) => !isHidden(path) });
    const results = nameHits(paths, search);
    try {
      for await (const { path, line, start_line, snippet } of searchText(this.files, paths, { query, signal })) {
        if (results.length >= limit) return { results, limited: true };
        results.push({ path, line, start_line, snippet });
      }
    } catch (error) {
      // Out of time: what was found so far is better than nothing.
      if (!signal.aborted) throw error;
      return { results, limited: true };
    }
    return { results, limited: false };
  }

  /** Whole or not at all, and only over what the writer has seen. `key` belongs to this write alone. */
  async write(path: string, content: string, expected: string | null, key: string): Promise<WrittenFile> {
    const shown = shownPath(path);
    demandSize(shown, Buffer.byteLength(content));
    const target = await this.place(shown);
    return inTurn(target, async () => {
      await this.demandHash(shown, expected);
      const { staged, after_hash } = await this.files.stage(shown, content, key);
      try {
        // As close to the change as can be: staging may have taken its time, and others write here too.
        await this.demandHash(shown, expected);
        if (expected === null) await this.linked(join(this.files.root, staged), target, shown);
        else await this.files.land(staged, shown);
      } finally {
        await unlink(join(this.files.root, staged)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }
      return { path: shown, hash: after_hash };
    });
  }

  async remove(path: string, expected: string): Promise<void> {
    const shown = shownPath(path);
    const target = await this.place(shown);
    await inTurn(target, async () => {
      await this.demandHash(shown, expected);
      await unlinked(target);
    });
  }

  /** To where nothing is yet. A crash in between leaves the file under both names, and never under none. */
  async move(from: string, to: string, expected: string): Promise<WrittenFile> {
    const [source, target] = [shownPath(from), shownPath(to)];
    const [at, goal] = [await this.place(source), await this.place(target)];
    return inTurn(at, async () => {
      await this.demandHash(source, expected);
      await mkdir(dirname(goal), { recursive: true });
      await this.linked(at, goal, target);
      await unlinked(at);
      return { path: target, hash: expected };
    });
  }

  async makeFolder(path: string): Promise<string> {
    const shown = shownPath(path);
    await mkdir(await this.place(shown), { recursive: true });
    return shown;
  }

  private async demandHash(path: string, expected: string | null): Promise<void> {
    const hash = await this.files.hash(path);
    if (hash !== expected) throw changed(path, hash);
  }

  /** Unlike a rename, a link never takes the place of what is there. */
  private async linked(at: string, goal: string, shown: string): Promise<void> {
    await link(at, goal).catch(async (error: unknown) => {
      throw codeOf(error) === 'EEXIST' ? changed(shown, await this.files.hash(shown)) : error;
    });
  }
}

async function unlinked(at: string): Promise<void> {
  await unlink(at);
  const folder = await open(dirname(at), 'r');
  await folder.sync().finally(() => folder.close());
}

/** Links are left out, as everywhere: what they lead to is reached by its own name. */
function named(item: Dirent): { name: string; type: FileEntry['type'] }[] {
  if (item.name.startsWith('.')) return [];
  if (item.isDirectory()) return [{ name: item.name, type: 'folder' }];
  return item.isFile() ? [{ name: item.name, type: 'file' }] : [];
}

const statsOf = (at: string): Promise<Stats | null> =>
  lstat(at).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

const entry = (path: string, type: FileEntry['type'], stats: Stats | null): FileEntry => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  type,
  size: type === 'file' ? (stats?.size ?? 0) : null,
  modified_at: stats?.mtime.toISOString() ?? null,
});
