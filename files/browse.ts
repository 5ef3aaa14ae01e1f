import { Failure, isFailure } from '../domain/failures.ts';
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
import { type FolderPage, type FolderPageRequest, folderPage } from './folder-page.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { filesWithText, searchedFiles, searchText } from './search.ts';
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

/** The files of a folder notebook as people read and change them. Links are followed by nobody. */
export class FolderFiles implements BrowsedFiles {
  constructor(private readonly files: NotebookFiles) {}

  async list(folder: string, page: FolderPageRequest): Promise<FolderPage<FileEntry>> {
    const { items, next_cursor } = folderPage(await this.files.entries(shownPath(folder)), page);
    return { items: items.map((item) => (item.type === 'folder' ? { ...item, size: null } : item)), next_cursor };
  }

  async read(path: string): Promise<FileContent> {
    const shown = shownPath(path);
    const { size, modified_at } = await this.files.entry(shown);
    demandSize(shown, size);
    const { text, hash } = await this.files.read(shown);
    return { path: shown, text, hash, size, modified_at };
  }

  async search(search: FileSearch): Promise<FileHits> {
    const { query, glob, limit, signal } = search;
    const results: FileHit[] = [];
    try {
      const sees = (path: string): boolean => path.toLowerCase().includes(query.toLowerCase());
      const [named, paths] = await Promise.all([
        searchedFiles(this.files, { glob, sees, signal }),
        filesWithText(this.files, { query, glob, sees: () => true, signal }),
      ]);
      results.push(...(await this.present(nameHits(named, search))));
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

  /** Only files that are in the notebook now, and no links. */
  private async present(hits: readonly FileHit[]): Promise<FileHit[]> {
    const there = await Promise.all(
      hits.map(({ path }) =>
        this.files.entry(path).then(
          ({ type }) => type === 'file',
          () => false,
        ),
      ),
    );
    return hits.filter((_, n) => there[n]);
  }

  /** Whole or not at all, and only over what the writer has seen. `key` belongs to this write alone. */
  async write(path: string, content: string, expected: string | null, key: string): Promise<WrittenFile> {
    const shown = shownPath(path);
    demandSize(shown, Buffer.byteLength(content));
    return this.inTurn(shown, async () => {
      await this.demandHash(shown, expected);
      const { staged, after_hash } = await this.files.stage(shown, content, key);
      try {
        // As close to the change as can be: staging may have taken its time, and others write here too.
        await this.demandHash(shown, expected);
        if (expected === null) await this.free(shown, this.files.create(staged, shown));
        else await this.files.land(staged, shown);
      } finally {
        await this.files.discard(staged, shown);
      }
      return { path: shown, hash: after_hash };
    });
  }

  async remove(path: string, expected: string, key: string): Promise<void> {
    const shown = shownPath(path);
    await this.inTurn(shown, async () => {
      await this.demandHash(shown, expected);
      const staged = await this.files.stageRemoval(shown, key);
      await this.files.remove({ ...staged, before_hash: expected });
    });
  }

  async move(from: string, to: string, expected: string): Promise<WrittenFile> {
    const [source, target] = [shownPath(from), shownPath(to)];
    return this.inTurn(source, async () => {
      await this.demandHash(source, expected);
      await this.free(target, this.files.move(source, target));
      return { path: target, hash: expected };
    });
  }

  async makeFolder(path: string): Promise<string> {
    const shown = shownPath(path);
    await this.files.makeFolder(shown);
    return shown;
  }

  private async demandHash(path: string, expected: string | null): Promise<void> {
    const hash = await this.files.hash(path);
    if (hash !== expected) throw changed(path, hash);
  }

  /** For a name that must be free: who finds it taken is told by what. */
  private async free<T>(path: string, act: Promise<T>): Promise<T> {
    return act.catch(async (error: unknown) => {
      throw isFailure(error) && error.code === 'file_exists' ? changed(path, await this.files.hash(path)) : error;
    });
  }

  private inTurn<T>(path: string, act: () => Promise<T>): Promise<T> {
    return inTurn(`${this.files.root}:${path}`, act);
  }
}
