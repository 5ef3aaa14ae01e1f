import { readFile } from 'node:fs';
import { promisify } from 'node:util';
import { STAGED_PREFIX } from '../domain/path-tricks.ts';
import type { NotebookFiles } from './notebook-files.ts';
import { isMissing, type OpenFolder } from './open-folder.ts';

/** One file of the changes that a journal names. */
export interface Item {
  path: string;
  staged: string;
  /** Set where the file is to go. */
  before_hash?: string;
}

export interface Journal {
  v: 1;
  id: string;
  owner: string;
  items: Item[];
  /** Folders that were not there before, the outermost first. */
  folders: string[];
}

/** `writing`: nothing is staged yet. `undoing`: claimed by who takes it back, so that its maker can no longer decide. */
type Stage = 'writing' | 'staging' | 'committed' | 'undoing';

/** A journal in the root of a notebook; its name tells how far it came. */
export interface Found {
  name: string;
  stage: Stage;
  key: string;
  since: number;
}

const JOURNAL = `${STAGED_PREFIX}journal-`;
const NAME = new RegExp(`^${JOURNAL.replaceAll('.', '\\.')}(writing|staging|committed|undoing)-(.+)$`);
const nameOf = (stage: Stage, key: string): string => `${JOURNAL}${stage}-${key}`;

export const word = (text: string): string => text.replace(/[^\w-]/g, '_').slice(0, 100);
export const isOf = (key: string, id: string): boolean => key.startsWith(`${word(id)}.`);

export const found = (files: NotebookFiles): Promise<Found[]> =>
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
export async function readJournal(files: NotebookFiles, name: string): Promise<Journal | null> {
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
export async function writeJournal(files: NotebookFiles, key: string, journal: Journal): Promise<boolean> {
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
export async function advanced(files: NotebookFiles, key: string, from: Stage, to: Stage): Promise<boolean> {
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

export const drop = (files: NotebookFiles, stage: Stage, key: string): Promise<void> =>
  files.inRoot(async (at) => {
    await at.unlink(nameOf(stage, key));
    await at.sync();
  });
