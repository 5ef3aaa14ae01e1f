import type { Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { trickIn } from '../domain/path-tricks.ts';
import { notebookPath } from '../domain/scope.ts';
import { bytesIn, contentHash, textOf } from './file-bytes.ts';
import { Elsewhere, hasCode, isMissing, OpenFolder } from './open-folder.ts';

export interface FileText {
  path: string;
  text: string;
  hash: string;
}

export interface FileEntry {
  name: string;
  path: string;
  type: 'folder' | 'file';
  size: number;
  modified_at: string;
}

export const outside = (path: string): Failure =>
  new Failure('scope_violation', `The path ${path} leads out of the notebook.`, { scope_violation: true });

export const noFile = (path: string): Failure => new Failure('no_such_file', `There is no file ${path}.`);

const isHidden = (name: string): boolean => name.startsWith('.') || trickIn(name) !== null;
export const below = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;
export const split = (path: string): [folder: string, name: string] => {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at) || '/', path.slice(at + 1)];
};

const entryOf = (path: string, info: Stats): FileEntry => ({
  name: split(path)[1],
  path,
  type: info.isDirectory() ? 'folder' : 'file',
  size: info.isDirectory() ? 0 : info.size,
  modified_at: info.mtime.toISOString(),
});

/**
 * What can be seen of the files below one notebook root. `actual` tells where a path leads, and what may be done there
 * is decided about that place; everything else takes paths as they are and follows no link, so that it is that place or
 * nothing.
 */
export class NotebookTree {
  protected constructor(
    readonly root: string,
    private readonly byDescriptor: boolean,
  ) {}

  /** The notebook path behind all links: what an agent may do is decided about this one. */
  async actual(path: string): Promise<string> {
    const wanted = join(this.root, notebookPath(path));
    // Of what is missing itself, the nearest folder that exists must be inside.
    for (let known = wanted; ; known = dirname(known)) {
      try {
        const real = await realpath(known);
        if (real !== this.root && !real.startsWith(this.root + sep)) throw outside(path);
        return `/${join(real, wanted.slice(known.length)).slice(this.root.length + 1)}`;
      } catch (error) {
        if (hasCode(error, 'ELOOP')) throw outside(path);
        if (!isMissing(error) || known === this.root) throw error;
      }
    }
  }

  /** Goes down folder by folder, each from the descriptor of the one before. */
  protected async inFolder<T>(path: string, work: (at: OpenFolder) => Promise<T>, make = false): Promise<T> {
    let at = await OpenFolder.at(this.root, this.byDescriptor);
    try {
      for (const name of path.split('/').filter((part) => part !== '')) {
        const next = await at.folder(name, make);
        await at.close();
        at = next;
      }
      return await work(at);
    } catch (error) {
      if (error instanceof Elsewhere) throw outside(path);
      throw error;
    } finally {
      await at.close();
    }
  }

  async read(path: string): Promise<FileText> {
    const place = notebookPath(path);
    const bytes = await this.bytes(place);
    if (bytes === null) throw noFile(place);
    return { path: place, text: textOf(bytes, place), hash: contentHash(bytes) };
  }

  private async bytes(path: string): Promise<Buffer | null> {
    const [folder, name] = split(path);
    if (name === '') throw new Failure('not_a_text_file', `${path} is not a file.`);
    try {
      return await this.inFolder(folder, (at) => bytesIn(at, name));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The hash of a file, null where there is none. */
  async hash(path: string): Promise<string | null> {
    const bytes = await this.bytes(notebookPath(path));
    return bytes === null ? null : contentHash(bytes);
  }

  /** What is known of a file or folder without reading it. */
  async entry(path: string): Promise<FileEntry> {
    const place = notebookPath(path);
    const [folder, name] = split(place);
    const info = await this.inFolder(folder, (at) => at.look(name || '.')).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (info?.isSymbolicLink()) throw outside(place);
    if (!info?.isFile() && !info?.isDirectory()) throw noFile(place);
    return entryOf(place, info);
  }

  /** Its permissions, where it is a file. */
  async mode(path: string): Promise<number | null> {
    const [folder, name] = split(notebookPath(path));
    const info = await this.inFolder(folder, (at) => at.look(name || '.')).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    return info?.isFile() ? info.mode & 0o777 : null;
  }

  private async inListed<T>(folder: string, work: (at: OpenFolder, path: string) => Promise<T>): Promise<T> {
    const place = notebookPath(folder);
    try {
      return await this.inFolder(place, (at) => work(at, place));
    } catch (error) {
      if (isMissing(error)) throw new Failure('no_such_file', `There is no folder ${place}.`);
      throw error;
    }
  }

  /** One level: folders first, without links, hidden names and names that no path can hold. */
  entries(folder: string): Promise<FileEntry[]> {
    return this.inListed(folder, async (at, path) => {
      const shown = (await at.items()).filter((item) => !isHidden(item.name) && (item.isFile() || item.isDirectory()));
      const found = await Promise.all(
        shown.map(async ({ name }) => {
          const info = await at.look(name);
          return info?.isFile() || info?.isDirectory() ? [entryOf(below(path, name), info)] : [];
        }),
      );
      return found.flat().sort((a, b) => Number(b.type === 'folder') - Number(a.type === 'folder'));
    });
  }

  /** Files below a folder in a stable order, without hidden ones. */
  list(folder: string, limit: number): Promise<string[]> {
    const files: string[] = [];
    const walk = async (at: OpenFolder, path: string): Promise<void> => {
      for (const item of await at.items()) {
        if (files.length >= limit) return;
        if (isHidden(item.name)) continue;
        if (item.isFile()) files.push(below(path, item.name));
        if (!item.isDirectory()) continue;
        const next = await at.folder(item.name).catch((error: unknown) => {
          // Gone or replaced since it was listed: there is nothing to show.
          if (isMissing(error) || error instanceof Elsewhere) return null;
          throw error;
        });
        await (next && walk(next, below(path, item.name)).finally(() => next.close()));
      }
    };
    return this.inListed(folder, async (at, path) => {
      await walk(at, path);
      return files;
    });
  }
}
