import { realpath } from 'node:fs/promises';
import { Failure } from '../domain/failures.ts';
import type { FileIntent } from '../domain/intents.ts';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import { notebookPath } from '../domain/scope.ts';
import { contentHash, refuseTooLarge } from './file-bytes.ts';
import { below, NotebookTree, noFile, outside, split } from './notebook-tree.ts';
import { HAS_DESCRIPTORS, hasCode, isMissing, type OpenFolder } from './open-folder.ts';
import { createIn, removeIn, replaceIn, stageIn, stageRemovalIn } from './staging.ts';

export { contentHash } from './file-bytes.ts';

type IntentTo<E extends FileIntent['effect']> = Extract<FileIntent, { effect: E }>;
type Staged = Omit<IntentTo<'rename'>, 'effect'>;

/** The files below one notebook root, and what can be done to them: prepared beside its target, then done by one rename. */
export class NotebookFiles extends NotebookTree {
  static async at(root: string, byDescriptor = HAS_DESCRIPTORS): Promise<NotebookFiles> {
    return new NotebookFiles(await realpath(root), byDescriptor);
  }

  /** Writes the new content beside its target. Nothing has happened yet: `land` or `create` gives it its name, once. */
  async stage(path: string, content: string, key: string, mode?: number): Promise<Staged> {
    refuseTooLarge(content);
    const target = notebookPath(path);
    const [folder, name] = split(target);
    const staged = `${STAGED_PREFIX}${key}`;
    const write = async (at: OpenFolder) => {
      const before = await at.look(name || '.');
      if (before?.isDirectory()) throw new Failure('not_a_text_file', `${target} is a folder.`);
      await stageIn(at, staged, content, mode ?? (before?.isFile() ? before.mode & 0o777 : 0o644));
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

  /** In the root itself: where what concerns the whole notebook is kept for a moment. */
  inRoot = <T>(work: (at: OpenFolder) => Promise<T>): Promise<T> => this.inFolder('/', work);

  /** Folders on the way to a path that are not there, the outermost first. */
  async missingFolders(path: string): Promise<string[]> {
    const [folder] = split(notebookPath(path));
    const parts = folder.split('/').filter((part) => part !== '');
    for (let depth = parts.length; depth > 0; depth--) {
      const isThere = await this.inFolder(parts.slice(0, depth).join('/'), async () => true).catch((error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      });
      if (isThere) return parts.slice(depth).map((_, index) => `/${parts.slice(0, depth + index + 1).join('/')}`);
    }
    return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  }

  /** Where it is empty; what somebody has put there stays. */
  async removeFolder(path: string): Promise<void> {
    const [folder, name] = split(notebookPath(path));
    await this.inFolder(folder, (at) => at.removeFolder(name)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

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

  /** One that was cut off in between: the old name goes. False where the two are not one file. */
  async finishMove(from: string, to: string): Promise<boolean> {
    const [folder, name] = split(notebookPath(from));
    const [goal, as] = split(notebookPath(to));
    const moved = await this.inFolder(goal, (at) => at.look(as));
    return this.inFolder(folder, async (at) => {
      const old = await at.look(name);
      if (!old || !moved || old.ino !== moved.ino || old.dev !== moved.dev) return false;
      await at.unlink(name);
      await at.sync();
      return true;
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
