import { hunkLines } from './hunks.ts';
import type { ReviewState } from './review-state.ts';

/**
 * What the model is told when people send a proposal back: what they have decided and said, never the text of files,
 * which is data and is read again with the tools for it. Only what a person has typed is quoted.
 */
export function feedbackOf(review: ReviewState): Record<string, unknown> {
  const madeOf = (id: string): { file_path: string; edit_ids: string[] } => {
    for (const { file_path, hunk_ids, edit_ids = {} } of review.proposed.files) {
      const hunk = hunk_ids.find((each) => id === each || id.startsWith(`${each}.`));
      if (hunk) return { file_path, edit_ids: edit_ids[hunk] ?? [] };
    }
    return { file_path: '', edit_ids: [] };
  };
  // What was said last about a hunk, or a file, takes the place of what was said before; said empty, it is taken back.
  const said = new Map<string, { file_path: string; hunk_id: string | null; text: string }>();
  for (const { file_path, comment } of review.updates) {
    if (comment) said.set(`${file_path}\n${comment.hunk_id ?? ''}`, { file_path, ...comment });
  }
  const comments = [...said.values()]
    .filter(({ text }) => text.trim() !== '')
    .map(({ file_path, hunk_id, text }) => ({
      file_path,
      text,
      edit_ids: hunk_id === null ? [] : madeOf(hunk_id).edit_ids,
    }));
  const decided = (wanted: string) =>
    Object.entries(review.statuses)
      .filter(([id, status]) => status === wanted && !review.by_hand.includes(id))
      .map(([hunk_id]) => madeOf(hunk_id));
  const byHand = review.updates.flatMap(({ file_path, step }) =>
    step.do === 'edit'
      ? step.added
          .filter(({ id }) => review.statuses[id] !== 'rejected')
          .map(({ forward_patch }) => ({ file_path, lines: hunkLines({ patch: forward_patch }).added.join('') }))
      : [],
  );
  return {
    rejected: decided('rejected'),
    accepted: decided('accepted'),
    comments,
    ...(byHand.length > 0 ? { written_by_the_reviewer: byHand } : {}),
    ...(review.conflict
      ? { changed_meanwhile: review.conflict.files.map(({ file_path, reason }) => ({ file_path, reason })) }
      : {}),
    ...(review.rerun?.comment ? { instruction: review.rerun.comment } : {}),
  };
}
