import { type Change, type FileLog, openLog, splitChange, withStatuses } from './change-log.ts';
import type { ProposedEdit } from './edit.ts';
import { decide, edited, NO_HISTORY, type ReviewHistory, redo, splitIn, undo } from './history.ts';
import type { Hunk as BaseHunk } from './hunks.ts';
import { placesInBuffer, replay } from './replay.ts';
import type { ReviewState } from './review-state.ts';
import { textHash } from './text.ts';
import type { Hunk, ReviewFile } from './wire.ts';

/** One file of a proposal as it was made; kept beside the log, and never changed. */
export interface ProposalFile {
  file_path: string;
  /** null where there was no file. */
  base_snapshot: string | null;
  base_file_hash: string | null;
  edits: ProposedEdit[];
  hunks: BaseHunk[];
}

export interface ReviewedFile {
  log: FileLog;
  history: ReviewHistory;
  /** By hunk; '' for the file as a whole. */
  comments: Record<string, string>;
  /** Changes that are too large to be accepted by the way. */
  oversized: readonly string[];
}

/** A file with everything that people have done to it in the review so far. */
export function reviewedFile(file: ProposalFile, review: ReviewState): ReviewedFile {
  let log = openLog(file.base_snapshot, file);
  let history = NO_HISTORY;
  const comments: Record<string, string> = {};
  for (const { file_path, step, comment } of review.updates) {
    if (file_path !== file.file_path) continue;
    if (comment) comments[comment.hunk_id ?? ''] = comment.text;
    switch (step.do) {
      case 'decide':
        ({ log, history } = decide(log, history, step.statuses));
        break;
      case 'edit':
        log = { ...log, changes: [...log.changes, ...step.added] };
        history = edited(history, step.added);
        break;
      case 'undo':
        ({ log, history } = undo(log, history) ?? { log, history });
        break;
      case 'redo':
        ({ log, history } = redo(log, history) ?? { log, history });
        break;
      case 'split':
        log = splitChange(log, step.hunk_id, step.at);
        history = splitIn(history, step.hunk_id, step.parts);
        break;
      case 'comment':
        break;
    }
  }
  // An apply decides about all of them at once.
  return { log: withStatuses(log, review.statuses), history, comments, oversized: review.oversized };
}

const hunkOf = (file: ProposalFile, id: string): BaseHunk | undefined => {
  for (let name = id; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const found = file.hunks.find(({ hunk_id }) => hunk_id === name);
    if (found) return found;
  }
  return undefined;
};

const ACCEPTED = { pending: null, accepted: true, rejected: false } as const;

function shownHunk(
  file: ProposalFile,
  change: Change,
  about: Pick<Hunk, 'comment' | 'oversized_hunk' | 'blocked'>,
): Hunk {
  const made = change.origin === 'agent' ? hunkOf(file, change.hunk_id) : undefined;
  const isWhole = made?.hunk_id === change.hunk_id;
  return {
    hunk_id: change.id,
    origin: change.origin,
    patch: made && isWhole ? made.patch : change.forward_patch,
    accepted: ACCEPTED[change.status],
    edit_ids: made?.edit_ids ?? [],
    rationales: made?.rationales ?? [],
    ...about,
    old_start: made && isWhole ? made.old_start : null,
  };
}

export const hunksOf = (file: ProposalFile, { log, comments, oversized }: ReviewedFile): Hunk[] => {
  const blocked = new Map(replay(log).conflicts.map(({ change_id, message }) => [change_id, message]));
  return log.changes.map((change) =>
    shownHunk(file, change, {
      // An emptied comment is none.
      comment: comments[change.id] || null,
      oversized_hunk: oversized.includes(change.id),
      blocked: blocked.get(change.id) ?? null,
    }),
  );
};

export function shownFile(file: ProposalFile, review: ReviewState): ReviewFile {
  const reviewed = reviewedFile(file, review);
  const { log, history } = reviewed;
  const { text } = replay(log);
  const { file_path, base_file_hash, base_snapshot } = file;
  return {
    file_path,
    base_file_hash,
    hunks: hunksOf(file, reviewed),
    base_snapshot,
    working_buffer: text,
    buffer_hash: text === null ? null : textHash(text),
    places: placesInBuffer(log).map(({ change_id, start_line, line_count }) => ({
      hunk_id: change_id,
      start_line,
      line_count,
    })),
    can_undo: history.done.length > 0,
    can_redo: history.undone.length > 0,
    change_log: log.changes.map(({ id, origin, forward_patch, reverse_patch, status, file_hash_before }) => ({
      id,
      origin,
      forward_patch,
      reverse_patch,
      status,
      file_hash_before,
    })),
  };
}
