import type { Hunk, Job } from '../domain/edits/wire.ts';
import { conflictLines, diffLines } from './pending-view.ts';
import { brief, harmless, type Style } from './style.ts';
import { counted } from './words.ts';

export interface ShownHunk {
  file_path: string;
  hunk: Hunk;
}

/** In the order they are asked about. */
export const hunksIn = ({ diff_bundle }: Job): ShownHunk[] =>
  (diff_bundle?.files ?? []).flatMap(({ file_path, hunks }) => hunks.map((hunk) => ({ file_path, hunk })));

const mark = ({ accepted }: Hunk): string => (accepted === null ? '?' : accepted ? '✓' : '✗');

export function hunkLinesShown({ file_path, hunk }: ShownHunk, style: Style): string[] {
  const why = hunk.rationales.map((text) => style('dim', `  ${brief(text, 200)}`));
  return [
    `${style('bold', harmless(file_path))} ${style('dim', `· ${hunk.hunk_id}${hunk.origin === 'user' ? ' · by hand' : ''}`)}`,
    ...why,
    ...diffLines(hunk.patch, style),
    ...(hunk.comment ? [style('yellow', `  Comment: ${harmless(hunk.comment)}`)] : []),
    ...(hunk.oversized_hunk
      ? [style('yellow', '  Large, and not to be split by rule: s splits it, y takes all of it.')]
      : []),
    ...(hunk.blocked ? [style('yellow', `  Left out for now: ${harmless(hunk.blocked)}`)] : []),
  ];
}

/** All of a proposal, with what was decided. */
export function proposalLines(job: Job, style: Style): string[] {
  return hunksIn(job).flatMap((shown) => [`${mark(shown.hunk)} ${hunkLinesShown(shown, style).join('\n  ')}`, '']);
}

/** Of a proposal that never fitted the files there are no changes to decide about. */
export const isRefused = ({ review, diff_bundle }: Job): boolean => review?.state === 'conflict' && !diff_bundle;

/** What is not as the proposal expects it; nothing where there is no conflict. */
export function conflictShown({ review, conflict }: Job, style: Style): string[] {
  if (review?.state !== 'conflict') return [];
  const diffs = conflict.flatMap(({ diff }) => (diff === null ? [] : diffLines(diff, style)));
  return [...conflictLines(conflict, style), ...diffs.map((line) => `  ${line}`)];
}

export function summaryLine(job: Job): string {
  const { review } = job;
  if (!review) return 'Nothing was proposed.';
  if (isRefused(job)) return `${counted(job.proposed_edits.length, 'edit')} proposed, none of which can be made.`;
  const { hunks, files, accepted, rejected, pending } = review;
  return `${counted(hunks, 'change')} in ${counted(files, 'file')}: ${accepted} accepted, ${rejected} rejected, ${pending} undecided.`;
}

export const REVIEW_KEYS = [
  'y  accept this change',
  'n  reject this change',
  'a  accept this and all that follow in the file',
  'd  reject this and all that follow in the file',
  'e  edit the file by hand, as the review has it',
  's  split this change in two',
  'c  say something about it, which the agent is told when it is sent back',
  'q  leave the rest undecided',
  '?  this help',
];
