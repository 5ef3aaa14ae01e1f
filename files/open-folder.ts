import { closeSync, constants, type Dirent, existsSync, fstatSync, fsync, open as openFile, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A pipe must not be waited for, and a link not be followed. */
const FILE = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Where the system names what a process holds open; elsewhere each place is looked at again before and after its use. */
export const HAS_DESCRIPTORS = existsSync('/proc/self/fd');

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

export const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENOTDIR');

/** A link, or something else in the place of what was judged: nothing behind it is looked at. */
export class Elsewhere extends Error {
  override readonly name = 'Elsewhere';
}

/** Something held open. */
interface Held {
  readonly fd: number;
  close(): Promise<void>;
}

const openDescriptor = promisify(openFile);
const syncDescriptor = promisify(fsync);

/**
 * A folder or a file to be read. To let go of one there is nothing to write for, so that it is done at once: by way of
 * another thread, as a FileHandle does it, closing would cost as much as reading.
 */
async function hold(place: string, flags: number): Promise<Held> {
  const fd = await openDescriptor(place, flags);
  return { fd, close: async () => closeSync(fd) };
}

/**
 * Without descriptors one look can be deceived: a link may be there while the file is opened, gone for the question
 * where the path leads, and there again for the question which file that is. It would have to come and go with every
 * look.
 */
const LOOKS = 4;

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * A folder held open. Names are taken from the descriptor one at a time and no link is followed, so that what is
 * reached is in this very folder, whatever is put in the place of its path between the check and the use.
 */
export class OpenFolder {
  private constructor(
    private readonly handle: Held,
    private readonly real: string,
    private readonly byDescriptor: boolean,
  ) {}

  static async at(real: string, byDescriptor: boolean): Promise<OpenFolder> {
    const folder = new OpenFolder(await hold(real, FOLDER), real, byDescriptor);
    return folder.orClose(() => folder.confirm(folder.handle, real));
  }

  private async orClose(check: () => Promise<void>): Promise<OpenFolder> {
    try {
      await check();
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Without descriptors to go by: what was opened must be what is found by its path, with no link on the way. */
  private async confirm({ fd }: Held, real: string): Promise<void> {
    if (this.byDescriptor) return;
    const held = fstatSync(fd);
    for (let look = 0; look < LOOKS; look++) {
      const found = await realpath(real).catch(() => null);
      if (found !== real || !isSame(held, await lstat(real))) throw new Elsewhere(real);
    }
  }

  private async place(name: string): Promise<string> {
    if (this.byDescriptor) return `/proc/self/fd/${this.handle.fd}/${name}`;
    await this.confirm(this.handle, this.real);
    return join(this.real, name);
  }

  /** The system says of a link in the place of a folder that it is no folder: the difference matters here. */
  private async opened<T extends Held>(name: string, openAt: (place: string) => Promise<T>): Promise<T> {
    const place = await this.place(name);
    try {
      const handle = await openAt(place);
      await this.confirm(handle, join(this.real, name)).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
      return handle;
    } catch (error) {
      if (hasCode(error, 'ELOOP')) throw new Elsewhere(name);
      if (hasCode(error, 'ENOTDIR') && (await this.look(name))?.isSymbolicLink()) throw new Elsewhere(name);
      throw error;
    }
  }

  async folder(name: string, make = false): Promise<OpenFolder> {
    if (make) {
      await mkdir(await this.place(name)).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error;
      });
    }
    const held = await this.opened(name, (place) => hold(place, FOLDER));
    return new OpenFolder(held, join(this.real, name), this.byDescriptor);
  }

  readable = (name: string): Promise<Held> => this.opened(name, (place) => hold(place, constants.O_RDONLY | FILE));

  /** A file that was not there before. */
  fresh = (name: string, mode: number): Promise<FileHandle> =>
    this.opened(name, (place) => open(place, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | FILE, mode));

  /** Null where there is nothing of that name. */
  async look(name: string): Promise<Stats | null> {
    try {
      const found = await lstat(await this.place(name));
      await this.confirm(this.handle, this.real);
      return found;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async items(): Promise<Dirent[]> {
    const found = await readdir(await this.place('.'), { withFileTypes: true });
    await this.confirm(this.handle, this.real);
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  rename = async (from: string, to: string): Promise<void> => rename(await this.place(from), await this.place(to));
  link = async (from: string, to: string): Promise<void> => link(await this.place(from), await this.place(to));

  /** The same file under a second name in another folder that is held open. */
  linkTo = async (name: string, other: OpenFolder, as: string): Promise<void> =>
    link(await this.place(name), await other.place(as));

  /** False where it was gone already. */
  async unlink(name: string): Promise<boolean> {
    try {
      await unlink(await this.place(name));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Where it is empty; what is not empty or not there stays so. */
  async removeFolder(name: string): Promise<void> {
    await rmdir(await this.place(name)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
    });
  }

  sync = (): Promise<void> => syncDescriptor(this.handle.fd);
  close = (): Promise<void> => this.handle.close();
}
