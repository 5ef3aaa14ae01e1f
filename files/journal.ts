import { randomBytes } from 'node:crypto';
import { Failure, isFailure } from '../domain/failures.ts';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import {
  advanced,
  drop,
  type Found,
  found,
  type Item,
  isOf,
  type Journal,
  readJournal,
  word,
  writeJournal,
} from './journal-file.ts';
import { isGone, ownerText } from './journal-owner.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { hasCode } from './open-folder.ts';

/**
 * Changes of several files that all happen or none does, whoever is killed when. A journal in the root of the notebook
 * names everything before anything is made; then the new contents are staged beside their targets; then the journal is
 * renamed, which is the one moment that decides. From then on whoever finds it carries the rest out, before then whoever
 * finds it takes everything back. Each staged file is used up by the one rename it was made for, so doing it again, also
 * by somebody who was thought dead, does nothing.
 */
export interface FileChange {
  path: string;
  /** The file as it must be found; null where there must be none. */
  before_hash: string | null;
  /** null where the file is to go. */
  content: string | null;
}

export interface Mismatch {
  path: string;
  expected_hash: string | null;
  actual_hash: string | null;
}

export type ApplyOutcome =
  /** `forget` lets the journal go: to be called once it is known elsewhere that the changes were made. */
  | { is: 'applied'; forget: () => Promise<void> }
  | { is: 'conflict'; files: Mismatch[] }
  /**
   * Not now: somebody else is changing files of the notebook, or what was decided could not be carried out to its end
   * (`because`) and must be before anything else is.
   */
  | { is: 'busy'; because?: unknown };

/** Longer than any staging takes; only of processes elsewhere nothing better is known. */
const GIVEN_UP_MS = 120_000;
/** The same for the journal itself, whose maker will notice. */
const UNWRITTEN_MS = 5_000;
/** What was decided and never taken note of: its run is gone, and nobody will ask any more. */
const FORGOTTEN_MS = 24 * 3_600_000;
const AT_ONCE = 8;

async function inParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const serve = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  const all = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, items.length) }, serve));
  const failed = all.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Where a link stands in the way by now, what was staged behind it is out of reach. */
const discard = (files: NotebookFiles, { staged, path }: Item): Promise<boolean> =>
  files.discard(staged, path).catch((error: unknown) => {
    if (isFailure(error)) return false;
    throw error;
  });

/** A folder has the name by now: no file can take its place. */
const isTaken = (error: unknown): boolean => hasCode(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST');

async function rollForward(files: NotebookFiles, { items }: Journal): Promise<void> {
  await inParallel(items, (item) => {
    const { path, staged, before_hash } = item;
    const done =
      before_hash === undefined ? files.land(staged, path) : files.remove({ staged, target: path, before_hash });
    return done.catch((error: unknown) => {
      // Changed in the very moment between the last look and now, or gone: it is left as it is.
      if (!isFailure(error) && !isTaken(error)) throw error;
      return discard(files, item);
    });
  });
}

async function takeBack(files: NotebookFiles, { items, folders }: Journal): Promise<void> {
  await inParallel(items, (item) => discard(files, item));
  for (const folder of folders.toReversed()) await files.removeFolder(folder);
}

async function undo(files: NotebookFiles, key: string, journal: Journal): Promise<void> {
  // Claimed first: whoever made it can no longer decide that it happens.
  if (!(await advanced(files, key, 'staging', 'undoing'))) return;
  await takeBack(files, journal);
  await drop(files, 'undoing', key);
}

type Settled = { isFree: boolean; because?: unknown };
const FREE: Settled = { isFree: true };

/** Deals with one journal that somebody left. Not free where it may still be somebody's work, or cannot be finished. */
async function settle(files: NotebookFiles, journal: Found, own: string | null, now: number): Promise<Settled> {
  const { stage, key, name, since } = journal;
  const isOwn = own !== null && isOf(key, own);
  if (stage === 'writing') {
    if (isOwn || now - since > UNWRITTEN_MS) await drop(files, 'writing', key);
    return FREE;
  }
  const told = await readJournal(files, name);
  if (!told) return FREE;
  if (stage === 'committed') {
    const failed = await rollForward(files, told).then(
      () => null,
      (because: unknown) => ({ isFree: false, because }),
    );
    if (failed) return failed;
    if (!isOwn && now - since > FORGOTTEN_MS) await drop(files, 'committed', key);
    return FREE;
  }
  if (!isOwn && !isGone(told.owner) && now - since < GIVEN_UP_MS) return { isFree: false };
  if (stage === 'undoing') {
    await takeBack(files, told);
    await drop(files, 'undoing', key);
  } else {
    await undo(files, key, told);
  }
  return FREE;
}

/** What processes that died have left half done is finished or taken back; told is where that could not be done. */
export async function recover(files: NotebookFiles, now = Date.now()): Promise<void> {
  const { because } = await settleAll(files, await found(files), null, now);
  if (because !== undefined) throw because;
}

async function settleAll(files: NotebookFiles, journals: Found[], own: string | null, now: number): Promise<Settled> {
  let all = FREE;
  for (const journal of journals) {
    const one = await settle(files, journal, own, now);
    if (!one.isFree) all = { ...all, ...one };
  }
  return all;
}

/** Once it is known elsewhere that the changes were made: for who comes after a crash right before that. */
export async function forgetChanges(files: NotebookFiles, id: string): Promise<void> {
  for (const { stage, key } of await found(files)) {
    if (stage === 'committed' && isOf(key, id)) await drop(files, 'committed', key);
  }
}

async function mismatches(files: NotebookFiles, changes: FileChange[]): Promise<Mismatch[]> {
  const wrong: Mismatch[] = [];
  await inParallel(changes, async ({ path, before_hash }) => {
    const actual_hash = await files.hash(path).catch((error: unknown) => {
      // A link, a folder or something too large stands there now: whatever it is, it is not what was expected.
      if (isFailure(error)) return `not a text file: ${error.message}`;
      throw error;
    });
    if (actual_hash !== before_hash) wrong.push({ path, expected_hash: before_hash, actual_hash });
  });
  return wrong.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function drafted(files: NotebookFiles, id: string, key: string, changes: FileChange[]): Promise<Journal> {
  const folders = new Set<string>();
  for (const { path, content } of changes) {
    if (content === null) continue;
    for (const folder of await files.missingFolders(path)) folders.add(folder);
  }
  const items = changes.map(({ path, content, before_hash }, index): Item => {
    const staged = `${path.slice(0, path.lastIndexOf('/') + 1)}${STAGED_PREFIX}${key}-${index}`;
    return { path, staged, ...(content === null && before_hash !== null ? { before_hash } : {}) };
  });
  return { v: 1, id, owner: ownerText(), items, folders: [...folders].sort() };
}

async function stageAll(files: NotebookFiles, key: string, changes: FileChange[]): Promise<void> {
  await inParallel(changes, async ({ path, content }, index) => {
    if (content === null) return files.stageRemoval(path, `${key}-${index}`);
    return files.stage(path, content, `${key}-${index}`);
  });
}

const decidedIn = (journals: Found[], id: string): Found | undefined =>
  journals.find(({ stage, key }) => stage === 'committed' && isOf(key, id));

/** Whether what `id` names is being carried out, or was: then nobody takes it back any more. */
export const isDecided = async (files: NotebookFiles, id: string): Promise<boolean> =>
  decidedIn(await found(files), id) !== undefined;

/**
 * Makes all changes or none. `id` names what is to be done once: called again with the same id, by whoever comes after
 * a crash, it finds out how far it came. Nothing is changed where a file is not as it is said to be.
 */
export async function applyChanges(files: NotebookFiles, id: string, changes: FileChange[]): Promise<ApplyOutcome> {
  const left = await found(files);
  const own = decidedIn(left, id);
  const { isFree, because } = await settleAll(files, left, id, Date.now());
  const applied = (key: string): ApplyOutcome => ({ is: 'applied', forget: () => drop(files, 'committed', key) });
  if (own && because === undefined) return applied(own.key);
  if (!isFree) return { is: 'busy', because };
  const before = await mismatches(files, changes);
  if (before.length > 0) return { is: 'conflict', files: before };
  const key = `${word(id)}.${randomBytes(4).toString('hex')}`;
  const journal = await drafted(files, id, key, changes);
  if (!(await writeJournal(files, key, journal))) return { is: 'busy' };
  try {
    // Of two who begin at the same time at least one sees the other, and gives way.
    const others = (await found(files)).filter((other) => other.key !== key);
    const { isFree: isStillFree } = await settleAll(files, others, null, Date.now());
    if (!isStillFree) {
      await undo(files, key, journal);
      return { is: 'busy' };
    }
    await stageAll(files, key, changes);
    // As close to the change as can be: staging may have taken its time, and others write here too.
    const since = await mismatches(files, changes);
    if (since.length > 0) {
      await undo(files, key, journal);
      return { is: 'conflict', files: since };
    }
  } catch (error) {
    await undo(files, key, journal);
    if (hasCode(error, 'ENOSPC')) throw new Failure('too_large', 'There is no room left where the files lie.');
    throw error;
  }
  if (!(await advanced(files, key, 'staging', 'committed'))) {
    // Taken for dead by somebody who came after: what was staged since then is nobody's any more.
    await takeBack(files, journal);
    return { is: 'busy' };
  }
  // From here on it happens, whatever it takes: who is told that it failed would decide anew about files half changed.
  return rollForward(files, journal).then(
    () => applied(key),
    (because: unknown) => ({ is: 'busy', because }),
  );
}
