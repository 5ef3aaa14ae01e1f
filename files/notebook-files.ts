import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { notebookPath } from '../domain/scope.ts';

/** The files below one notebook root. Takes notebook paths (`/a/b`), and never follows a link out of the root. */
export interface FileText {
  path: string;
  text: string;
  hash: string;
}

export interface Staged {
  staged: string;
  target: string;
  after_hash: string;
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const STAGED_PREFIX = '.longhaul-staged-';

export const contentHash = (content: Buffer | string): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const outside = (path: string): Failure =>
  new Failure('scope_violation', `The path ${path} leads out of the notebook.`, { scope_violation: true });

export class NotebookFiles {
  private constructor(readonly root: string) {}

  static async at(root: string): Promise<NotebookFiles> {
    return new NotebookFiles(await realpath(root));
  }

  /** Where a notebook path really lies, with every link on the way resolved and checked. */
  private async locate(path: string): Promise<string> {
    const wanted = join(this.root, notebookPath(path));
    const within = (real: string): string => {
      if (real !== this.root && !real.startsWith(this.root + sep)) throw outside(path);
      return real;
    };
    try {
      return within(await realpath(wanted));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // Missing itself: the nearest folder that exists must be inside.
    let folder = dirname(wanted);
    for (;;) {
      try {
        const real = within(await realpath(folder));
        return join(real, wanted.slice(folder.length));
      } catch (error) {
        if (!isMissing(error)) throw error;
        folder = dirname(folder);
      }
    }
  }

  /** The notebook path behind all links: what an agent may do is decided about this one. */
  async actual(path: string): Promise<string> {
    return this.relative(await this.locate(path));
  }

  async read(path: string): Promise<FileText> {
    const bytes = await this.bytes(path);
    if (bytes === null) throw new Failure('no_such_file', `There is no file ${notebookPath(path)}.`);
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new Failure('not_a_text_file', `${notebookPath(path)} is not UTF-8 text.`);
    }
    if (text.includes('\0')) throw new Failure('not_a_text_file', `${notebookPath(path)} is a binary file.`);
    return { path: notebookPath(path), text, hash: contentHash(bytes) };
  }

  private async bytes(path: string): Promise<Buffer | null> {
    const real = await this.locate(path);
    try {
      const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const info = await handle.stat();
        if (!info.isFile()) throw new Failure('not_a_text_file', `${notebookPath(path)} is not a file.`);
        if (info.size > MAX_FILE_BYTES) throw new Failure('not_a_text_file', `${notebookPath(path)} is over 10 MB.`);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** The hash of a file, null where there is none. */
  async hash(path: string): Promise<string | null> {
    const bytes = await this.bytes(path);
    return bytes === null ? null : contentHash(bytes);
  }

  /** Files below a folder in a stable order, without hidden ones. */
  async list(folder: string, limit: number): Promise<string[]> {
    const start = await this.locate(folder);
    const files: string[] = [];
    const walk = async (at: string, shown: string): Promise<void> => {
      const found = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) throw new Failure('no_such_file', `There is no folder ${notebookPath(folder)}.`);
        throw error;
      });
      for (const item of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (files.length >= limit) return;
        if (item.name.startsWith('.')) continue;
        const path = `${shown === '/' ? '' : shown}/${item.name}`;
        if (item.isDirectory()) await walk(join(at, item.name), path);
        else if (item.isFile()) files.push(path);
      }
    };
    await walk(start, notebookPath(folder));
    return files;
  }

  /**
   * Writes the new content beside its target, under a name that belongs to one call alone. Nothing has happened yet:
   * `land` renames it, and a rename takes the staged file away, so it cannot happen a second time.
   */
  async stage(path: string, content: string, key: string): Promise<Staged> {
    const target = await this.locate(path);
    const folder = dirname(target);
    await mkdir(folder, { recursive: true });
    const staged = join(folder, `${STAGED_PREFIX}${key}`);
    // Whoever staged this call before and died may hold the old file open; it must not be able to write into ours.
    await unlink(staged).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    const mode = await stat(target).then(
      (info) => info.mode & 0o777,
      () => 0o644,
    );
    const handle = await open(staged, 'wx', mode);
    try {
      // Past the umask, which is for new files: this one takes the place of another.
      await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { staged: this.relative(staged), target: notebookPath(path), after_hash: contentHash(content) };
  }

  /** True where this call made it happen, false where it had happened before. */
  async land(staged: string, target: string): Promise<boolean> {
    const from = await this.locate(staged);
    const to = await this.locate(target);
    try {
      await rename(from, to);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    const folder = await open(dirname(to), constants.O_RDONLY);
    await folder.sync().finally(() => folder.close());
    return true;
  }

  private relative(real: string): string {
    return `/${real.slice(this.root.length + 1)}`;
  }
}
