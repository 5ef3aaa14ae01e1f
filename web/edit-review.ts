import type { DiffBundle, Hunk } from '../domain/edits/wire.ts';

/** One file of a review as its list shows it. */
export type ReviewedFile = DiffBundle['files'][number];

export interface HunkAt {
  file_path: string;
  hunk_id: string;
}

export interface Tally {
  all: number;
  accepted: number;
  rejected: number;
  pending: number;
}

export function tally(files: readonly ReviewedFile[]): Tally {
  const hunks = files.flatMap((file) => file.hunks);
  const count = (wanted: boolean | null): number => hunks.filter(({ accepted }) => accepted === wanted).length;
  return { all: hunks.length, accepted: count(true), rejected: count(false), pending: count(null) };
}

/** `Apply 12 of 14 hunks`; changes by hand count like all others. */
export const applyWords = ({ accepted, all }: Tally): string => {
  if (accepted === all) return `Apply ${all === 1 ? 'the hunk' : `all ${all} hunks`}`;
  return `Apply ${accepted} of ${all} hunks`;
};

/** What an apply leaves undone though nobody has said no to it; said before it is done. */
export const leftOutWords = ({ pending }: Tally): string =>
  pending === 0 ? '' : `${pending} undecided ${pending === 1 ? 'is' : 'are'} left out`;

/** The list that an apply is given. It decides about everything: what is undecided is left out. */
export const acceptedIds = (files: readonly ReviewedFile[]): string[] =>
  files.flatMap(({ hunks }) => hunks.filter(({ accepted }) => accepted === true).map(({ hunk_id }) => hunk_id));

/** What can be accepted by the way: all that is undecided, but for what is too large for that; nothing rejected. */
export const acceptable = (files: readonly ReviewedFile[]): string[] =>
  files.flatMap(({ hunks }) =>
    hunks.filter(({ accepted, oversized_hunk }) => accepted === null && !oversized_hunk).map(({ hunk_id }) => hunk_id),
  );

const placesOf = (files: readonly ReviewedFile[]): HunkAt[] =>
  files.flatMap(({ file_path, hunks }) => hunks.map(({ hunk_id }) => ({ file_path, hunk_id })));

const isSame = (a: HunkAt, b: HunkAt | null): boolean =>
  b !== null && a.hunk_id === b.hunk_id && a.file_path === b.file_path;

/** The hunk so many further down, over the ends of files; the last and the first one stop it. */
export function hunkBeside(files: readonly ReviewedFile[], from: HunkAt | null, by: number): HunkAt | null {
  const all = placesOf(files);
  const at = all.findIndex((each) => isSame(each, from));
  if (at < 0) return all[0] ?? null;
  return all[Math.max(0, Math.min(all.length - 1, at + by))] ?? null;
}

/** Where to go after a decision: the next that is undecided, from the top again at the end; else one stays. */
export function nextOpen(files: readonly ReviewedFile[], from: HunkAt | null): HunkAt | null {
  const open = new Set(
    files.flatMap(({ hunks }) => hunks.filter(({ accepted }) => accepted === null).map(({ hunk_id }) => hunk_id)),
  );
  const all = placesOf(files);
  const at = all.findIndex((each) => isSame(each, from));
  const ahead = [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))];
  return ahead.find(({ hunk_id }) => open.has(hunk_id)) ?? from;
}

/** What is said of a hunk in one word. */
export const hunkWord = ({ accepted, blocked }: Pick<Hunk, 'accepted' | 'blocked'>): string => {
  if (accepted === false) return 'Rejected';
  if (blocked !== null) return 'Left out';
  return accepted ? 'Accepted' : 'Undecided';
};

/** Steps of this visit, each with the files it was in. */
export interface Steps {
  done: readonly (readonly string[])[];
  undone: readonly (readonly string[])[];
}

export const NO_STEPS: Steps = { done: [], undone: [] };
const MOST_STEPS = 1000;

/**
 * The server steps back and forth in each file by itself; this remembers which were worked on last, so that undo takes
 * back what was done last wherever that was, and all of it where it was done at once.
 */
export const stepped = ({ done }: Steps, paths: readonly string[]): Steps => ({
  done: [...done, paths].slice(-MOST_STEPS),
  undone: [],
});

const lastIndex = (steps: Steps['done'], paths: readonly string[]): number =>
  steps.findLastIndex((step) => step.length === paths.length && step.every((path, at) => path === paths[at]));

export function steppedBack({ done, undone }: Steps, paths: readonly string[]): Steps {
  const at = lastIndex(done, paths);
  return { done: at < 0 ? done : done.toSpliced(at, 1), undone: [...undone, paths] };
}

export function steppedForth({ done, undone }: Steps, paths: readonly string[]): Steps {
  const at = lastIndex(undone, paths);
  return { done: [...done, paths], undone: at < 0 ? undone : undone.toSpliced(at, 1) };
}

/** How many lines of a hunk come and go: where a split may be. */
export function sizeOf(patch: string): { added: number; removed: number } {
  const body = patch
    .slice(Math.max(0, patch.indexOf('@@')))
    .split('\n')
    .slice(1);
  const count = (mark: string): number => body.filter((line) => line.startsWith(mark)).length;
  return { added: count('+'), removed: count('-') };
}
