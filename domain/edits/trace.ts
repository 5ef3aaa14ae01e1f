import type { EditFact } from './facts.ts';
import type { ConflictFile } from './wire.ts';

type EditEvent = { type: string; data: Record<string, unknown> };

const CONFLICT_CHARS = 2_000;

const shownOf = (files: ConflictFile[], most: number): ConflictFile[] =>
  files.slice(0, most).map((file) => ({ ...file, diff: file.diff?.slice(0, CONFLICT_CHARS) ?? null }));

/** Files in conflict as what waits shows them, in the record of a run and at its root: the review has all, whole. */
export const conflictShown = (files: ConflictFile[]): ConflictFile[] => shownOf(files, 20);

export const conflictEvent = (about: Record<string, unknown>, files: ConflictFile[]): EditEvent => ({
  type: 'conflict.detected',
  data: { ...about, files: shownOf(files, 100), rerun_required: true },
});

/** What clients are told of a fact about edits; how many events a kind gives never changes. Texts stay out of them. */
export function editEvents(fact: EditFact): EditEvent[] {
  const { turn, call_id, review_id } = fact;
  const about = { turn, call_id, review_id };
  switch (fact.kind) {
    case 'edits_proposed': {
      const hunks = fact.files.reduce((sum, { hunk_ids }) => sum + hunk_ids.length, 0);
      const files = fact.files.map(({ file_path, is_new, hunk_ids }) => ({
        file_path,
        is_new,
        hunks: hunk_ids.length,
      }));
      return [
        { type: 'edits.proposed', data: { ...about, proposal: fact.proposal, edits: fact.edits, files: files.length } },
        { type: 'diff.generated', data: { ...about, hunks, files: files.slice(0, 100), file_count: files.length } },
      ];
    }
    case 'review_updated': {
      const { step, comment, file_path, by } = fact;
      const what = {
        ...('statuses' in step ? { statuses: step.statuses } : {}),
        ...(step.do === 'edit' ? { added: step.added.map(({ id }) => id) } : {}),
        ...(step.do === 'split' ? { hunk_id: step.hunk_id, parts: step.parts } : {}),
        ...(comment ? { comment } : {}),
      };
      return [{ type: 'review.updated', data: { ...about, action: step.do, file_path, ...what, by } }];
    }
    case 'apply_requested':
      return [
        {
          type: 'apply.started',
          data: { ...about, apply_id: fact.apply_id, accepted: fact.accepted.length, by: fact.by },
        },
      ];
    case 'checkpoint_created':
      return [
        {
          type: 'checkpoint.created',
          data: { ...about, checkpoint_id: fact.checkpoint_id, affected_files: fact.files.slice(0, 100) },
        },
      ];
    case 'conflict_detected':
      return [conflictEvent(about, fact.files)];
    case 'apply_failed':
      return [{ type: 'apply.failed', data: { ...about, error: fact.error } }];
    case 'edits_applied':
      return [
        {
          type: 'apply.completed',
          data: { ...about, checkpoint_id: fact.checkpoint_id, applied_files: fact.files.slice(0, 100) },
        },
      ];
    case 'rerun_requested':
      return [{ type: 'review.updated', data: { ...about, action: 'rerun', comment: fact.comment, by: fact.by } }];
  }
}
