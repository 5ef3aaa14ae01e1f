import { Failure, isFailure } from '../domain/failures.ts';
import { bytesIn, contentHash } from './file-bytes.ts';
import { Elsewhere, hasCode, isMissing, type OpenFolder } from './open-folder.ts';

/**
 * Changes in one folder that happen once. Each begins with a file of its own beside the target, under a name that
 * belongs to one call alone: as long as that file is what it was made as, the change has not happened.
 */
export async function stageIn(folder: OpenFolder, staged: string, content: string, mode: number): Promise<void> {
  // Whoever staged this call before and died may hold the old file open; it must not be able to write into ours.
  await folder.unlink(staged);
  const handle = await folder.fresh(staged, mode);
  try {
    // Past the umask, which is for new files: this one takes the place of another.
    await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Takes the place of whatever has the name. True where this call made it happen, false where it had happened before. */
export async function replaceIn(folder: OpenFolder, staged: string, target: string): Promise<boolean> {
  try {
    await folder.rename(staged, target);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  await folder.sync();
  return true;
}

/** Gets a name that nobody has: what somebody else made in the meantime stays. True and false as above. */
export async function createIn(folder: OpenFolder, staged: string, target: string): Promise<boolean> {
  const own = await folder.look(staged);
  if (!own) return false;
  const isOurs = async () => {
    const there = await folder.look(target);
    return there?.ino === own.ino && there.dev === own.dev;
  };
  try {
    await folder.link(staged, target);
  } catch (error) {
    if (isMissing(error)) return false;
    // Cut off between the two names of one file, or another attempt is just there.
    const exists = hasCode(error, 'EEXIST') && !(await isOurs());
    const hasNoLinks = hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS');
    if (exists || (hasNoLinks && (await folder.look(target)))) {
      await folder.unlink(staged);
      throw new Failure('file_exists', `There is a file ${target} already.`);
    }
    if (hasNoLinks) return replaceIn(folder, staged, target);
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const done = await folder.unlink(staged);
  await folder.sync();
  return done;
}

const marker = (staged: string): string => `The file beside this one is to be removed.\n${staged}\n`;

export const stageRemovalIn = (folder: OpenFolder, staged: string): Promise<void> =>
  stageIn(folder, staged, marker(staged), 0o600);

async function hashOr(folder: OpenFolder, name: string): Promise<string | null> {
  try {
    return contentHash(await bytesIn(folder, name));
  } catch (error) {
    if (isMissing(error)) return null;
    // Put there by somebody else, whatever it is.
    if (error instanceof Elsewhere || isFailure(error)) return 'not a file';
    throw error;
  }
}

/**
 * Takes the file away over its marker, looks at what was taken, and only then lets it go: what changed since it was
 * shown is put back. True and false as above; false also tells nothing of what is there now.
 */
export async function removeIn(folder: OpenFolder, staged: string, target: string, before: string): Promise<boolean> {
  const held = await hashOr(folder, staged);
  if (held === null) return false;
  if (held === contentHash(marker(staged))) {
    try {
      await folder.rename(target, staged);
    } catch (error) {
      await folder.unlink(staged);
      if (isMissing(error)) throw new Failure('no_such_file', `There is no file ${target} any more.`);
      throw error;
    }
  }
  if ((await hashOr(folder, staged)) !== before) {
    if ((await folder.look(target)) === null) await folder.rename(staged, target);
    throw new Failure('file_changed', `${target} has changed since it was shown.`);
  }
  await folder.unlink(staged);
  await folder.sync();
  return true;
}
