import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs';
import { promisify } from 'node:util';
import { Failure, isFailure } from '../domain/failures.ts';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import { isGone, ownerText } from './journal-owner.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { hasCode, isMissing, type OpenFolder } from './open-folder.ts';

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
  /** Somebody else is changing files of the notebook at this moment. */
  | { is: 'busy' };

interface Item {
  path: string;
  staged: string;
  /** Set where the file is to go. */
  before_hash?: string;
}

interface Journal {
  v: 1;
  id: string;
  owner: string;
  items: Item[];
  /** Folders that were not there before, the outermost first. */
  folders: string[];
}

/** `writing`: nothing is staged yet. `undoing`: claimed by who takes it back, so that its maker can no longer decide. */
type Stage = 'writing' | 'staging' | 'committed' | 'undoing';

interface Found {
  name: string;
  stage: Stage;
  key: string;
  since: number;
}

const JOURNAL = `${STAGED_PREFIX}journal-`;
const NAME = new RegExp(`^${JOURNAL.replaceAll('.', '\\.')}(writing|staging|committed|undoing)-(.+)$`);
const nameOf = (stage: Stage, key: string): string => `${JOURNAL}${stage}-${key}`;

/** Longer than any staging takes; only of processes elsewhere nothing better is known. */
const GIVEN_UP_MS = 120_000;
/** The same for the journal itself, whose maker will notice. */
const UNWRITTEN_MS = 5_000;
/** What was decided and never taken note of: its run is gone, and nobody will ask any more. */
const FORGOTTEN_MS = 24 * 3_600_000;
const AT_ONCE = 8;

const word = (text: string): string => text.replace(/[^\w-]/g, '_').slice(0, 100);

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

const found = (files: NotebookFiles): Promise<Found[]> =>
  files.inRoot(async (at) => {
    const names = (await at.items()).flatMap(({ name }) => (NAME.test(name) ? [name] : []));
    const each = names.map(async (name) => {
      const [, stage = '', key = ''] = NAME.exec(name) ?? [];
      const since = (await at.look(name))?.mtimeMs ?? 0;
      return { name, stage: stage as Stage, key, since };
    });
    return Promise.all(each);
  });

const readDescriptor = promisify(readFile);
const textOf = async (fd: number): Promise<string> => (await readDescriptor(fd)).toString('utf8');

/** Null where somebody has dealt with it meanwhile. */
async function readJournal(files: NotebookFiles, name: string): Promise<Journal | null> {
  try {
    return await files.inRoot(async (at) => {
      const handle = await at.readable(name);
      try {
        return JSON.parse(await textOf(handle.fd)) as Journal;
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** False where somebody has taken it for left behind. */
async function writeJournal(files: NotebookFiles, key: string, journal: Journal): Promise<boolean> {
  await files.inRoot(async (at) => {
    const handle = await at.fresh(nameOf('writing', key), 0o600);
    try {
      await handle.writeFile(JSON.stringify(journal));
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  return advanced(files, key, 'writing', 'staging');
}

/** False where it is not at that stage any more. */
async function advanced(files: NotebookFiles, key: string, from: Stage, to: Stage): Promise<boolean> {
  const move = async (at: OpenFolder) => {
    await at.rename(nameOf(from, key), nameOf(to, key));
    await at.sync();
    return true;
  };
  return files.inRoot(move).catch((error: unknown) => {
    if (isMissing(error)) return false;
    throw error;
  });
}

const drop = (files: NotebookFiles, stage: Stage, key: string): Promise<void> =>
  files.inRoot(async (at) => {
    await at.unlink(nameOf(stage, key));
    await at.sync();
  });

async function rollForward(files: NotebookFiles, { items }: Journal): Promise<void> {
  await inParallel(items, async ({ path, staged, before_hash }) => {
    if (before_hash === undefined) return files.land(staged, path);
    return files.remove({ staged, target: path, before_hash }).catch((error: unknown) => {
      // Changed in the very moment between the last look and now, or gone: it is left as it is.
      if (!isFailure(error)) throw error;
      return files.discard(staged, path);
    });
  });
}

async function takeBack(files: NotebookFiles, { items, folders }: Journal): Promise<void> {
  await inParallel(items, ({ staged, path }) => files.discard(staged, path));
  for (const folder of folders.toReversed()) await files.removeFolder(folder);
}

async function undo(files: NotebookFiles, key: string, journal: Journal): Promise<void> {
  // Claimed first: whoever made it can no longer decide that it happens.
  if (!(await advanced(files, key, 'staging', 'undoing'))) return;
  await takeBack(files, journal);
  await drop(files, 'undoing', key);
}

/** Deals with one journal that somebody left. False where it may still be somebody's work. */
async function settle(files: NotebookFiles, journal: Found, own: string | null, now: number): Promise<boolean> {
  const { stage, key, name, since } = journal;
  const isOwn = own !== null && key.startsWith(`${word(own)}.`);
  if (stage === 'writing') {
    if (isOwn || now - since > UNWRITTEN_MS) await drop(files, 'writing', key);
    return true;
  }
  const told = await readJournal(files, name);
  if (!told) return true;
  if (stage === 'committed') {
    await rollForward(files, told);
    if (!isOwn && now - since > FORGOTTEN_MS) await drop(files, 'committed', key);
    return true;
  }
  if (!isOwn && !isGone(told.owner) && now - since < GIVEN_UP_MS) return false;
  if (stage === 'undoing') {
    await takeBack(files, told);
    await drop(files, 'undoing', key);
  } else {
    await undo(files, key, told);
  }
  return true;
}

/** What processes that died have left half done is finished or taken back. False where somebody is still at it. */
export async function recover(files: NotebookFiles, now = Date.now()): Promise<boolean> {
  return settleAll(files, await found(files), null, now);
}

async function settleAll(files: NotebookFiles, journals: Found[], own: string | null, now: number): Promise<boolean> {
  let isFree = true;
  for (const journal of journals) isFree = (await settle(files, journal, own, now)) && isFree;
  return isFree;
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
  journals.find(({ stage, key }) => stage === 'committed' && key.startsWith(`${word(id)}.`));

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
  const isFree = await settleAll(files, left, id, Date.now());
  const applied = (key: string): ApplyOutcome => ({ is: 'applied', forget: () => drop(files, 'committed', key) });
  if (own) return applied(own.key);
  if (!isFree) return { is: 'busy' };
  const before = await mismatches(files, changes);
  if (before.length > 0) return { is: 'conflict', files: before };
  const key = `${word(id)}.${randomBytes(4).toString('hex')}`;
  const journal = await drafted(files, id, key, changes);
  if (!(await writeJournal(files, key, journal))) return { is: 'busy' };
  try {
    // Of two who begin at the same time at least one sees the other, and gives way.
    const others = (await found(files)).filter((other) => other.key !== key);
    if (!(await settleAll(files, others, null, Date.now()))) {
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
  await rollForward(files, journal);
  return applied(key);
}
