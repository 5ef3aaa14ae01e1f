import type { Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Intent } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import { STAGED_PREFIX, trickIn } from '../domain/path-tricks.ts';
import { notebookPath } from '../domain/scope.ts';
import { bytesIn, contentHash, refuseTooLarge, textOf } from './file-bytes.ts';
import { Elsewhere, HAS_DESCRIPTORS, hasCode, isMissing, OpenFolder } from './open-folder.ts';
import { createIn, removeIn, replaceIn, stageIn, stageRemovalIn } from './staging.ts';

export { contentHash } from './file-bytes.ts';

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

type IntentTo<E extends Intent['effect']> = Extract<Intent, { effect: E }>;
type Staged = Omit<IntentTo<'rename'>, 'effect'>;

const outside = (path: string): Failure =>
  new Failure('scope_violation', `The path ${path} leads out of the notebook.`, { scope_violation: true });

const noFile = (path: string): Failure => new Failure('no_such_file', `There is no file ${path}.`);

const isHidden = (name: string): boolean => name.startsWith('.') || trickIn(name) !== null;
const below = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;
const split = (path: string): [folder: string, name: string] => {
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
 * The files below one notebook root. `actual` tells where a path leads, and what may be done there is decided about
 * that place; everything else takes paths as they are and follows no link, so that it is that place or nothing.
 */
export class NotebookFiles {
  private constructor(
    readonly root: string,
    private readonly byDescriptor: boolean,
  ) {}

  static async at(root: string, byDescriptor = HAS_DESCRIPTORS): Promise<NotebookFiles> {
    return new NotebookFiles(await realpath(root), byDescriptor);
  }

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
  private async inFolder<T>(path: string, work: (at: OpenFolder) => Promise<T>, make = false): Promise<T> {
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

  /** Writes the new content beside its target. Nothing has happened yet: `land` or `create` gives it its name, once. */
  async stage(path: string, content: string, key: string): Promise<Staged> {
    refuseTooLarge(content);
    const target = notebookPath(path);
    const [folder, name] = split(target);
    const staged = `${STAGED_PREFIX}${key}`;
    const write = async (at: OpenFolder) => {
      const before = await at.look(name || '.');
      if (before?.isDirectory()) throw new Failure('not_a_text_file', `${target} is a folder.`);
      await stageIn(at, staged, content, before?.isFile() ? before.mode & 0o777 : 0o644);
    };
    await this.inFolder(folder, write, true);
    return { staged: below(folder, staged), target, after_hash: contentHash(content) };
  }

  /** In the folder of both: a change is made within one folder, or not at all. */
  private async beside(
    staged: string,
    target: string,
    work: (at: OpenFolder, staged: string, target: string) => Promise<boolean>,
  ): Promise<boolean> {
    const [folder, stagedName] = split(staged);
    const [sameFolder, name] = split(notebookPath(target));
    if (folder !== sameFolder || !stagedName.startsWith(STAGED_PREFIX)) throw outside(target);
    try {
      return await this.inFolder(folder, (at) => work(at, stagedName, name));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** True where this call made it happen, false where it had happened before, or cannot happen any more. */
  land = (staged: string, target: string): Promise<boolean> => this.beside(staged, target, replaceIn);

  /** The same for a name that must be free: what somebody else made there stays, and it fails as `file_exists`. */
  create = (staged: string, target: string): Promise<boolean> => this.beside(staged, target, createIn);

  /** What was staged and is not wanted any more. */
  discard = (staged: string, target: string): Promise<boolean> =>
    this.beside(staged, target, (at, name) => at.unlink(name));

  async makeFolder(path: string): Promise<void> {
    await this.inFolder(notebookPath(path), async () => undefined, true);
  }

  /** To a name that must be free. Cut off in between, the file has both names, and never none. */
  async move(from: string, to: string): Promise<void> {
    const [folder, name] = split(notebookPath(from));
    const [goal, as] = split(notebookPath(to));
    const link = (at: OpenFolder) =>
      this.inFolder(
        goal,
        async (other) => {
          await at.linkTo(name, other, as);
          await other.sync();
        },
        true,
      );
    await this.inFolder(folder, async (at) => {
      await link(at).catch((error: unknown) => {
        throw hasCode(error, 'EEXIST') ? new Failure('file_exists', `There is a file ${to} already.`) : error;
      });
      await at.unlink(name);
      await at.sync();
    });
  }

  async stageRemoval(path: string, key: string): Promise<Omit<IntentTo<'remove'>, 'effect'>> {
    const target = notebookPath(path);
    const before_hash = await this.hash(target);
    if (before_hash === null) throw noFile(target);
    const [folder] = split(target);
    const staged = `${STAGED_PREFIX}${key}`;
    await this.inFolder(folder, (at) => stageRemovalIn(at, staged));
    return { staged: below(folder, staged), target, before_hash };
  }

  /** The same for a file that is to go. */
  remove = ({ staged, target, before_hash }: Omit<IntentTo<'remove'>, 'effect'>): Promise<boolean> =>
    this.beside(staged, target, (at, from, name) => removeIn(at, from, name, before_hash));
}
