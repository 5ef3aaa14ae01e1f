import type { ChangeStatus } from './change-log.ts';
import type { EditFact, EditFactOf } from './facts.ts';
import type { ReviewSummary } from './wire.ts';

/** One proposal and what has become of it, as told by the log so far. */
export interface ReviewState {
  proposed: EditFactOf<'edits_proposed'>;
  at: string;
  updates: EditFactOf<'review_updated'>[];
  /** Of every change: the agent's hunks, and what was changed by hand. */
  statuses: Record<string, ChangeStatus>;
  /** Changes by hand: an apply need not name them, those that are accepted go with it. */
  by_hand: string[];
  /** Too large to be accepted by the way: as proposed, or parts that are so still. */
  oversized: string[];
  /** Asked for and not settled yet. */
  apply: EditFactOf<'apply_requested'> | null;
  /** As they were decided before it was asked for. */
  before_apply: Record<string, ChangeStatus> | null;
  /** Of the newest try to apply it. */
  conflict: EditFactOf<'conflict_detected'> | null;
  failed: EditFactOf<'apply_failed'> | null;
  applied: EditFactOf<'edits_applied'> | null;
  rerun: EditFactOf<'rerun_requested'> | null;
}

export const openReview = (proposed: EditFactOf<'edits_proposed'>, at: string): ReviewState => ({
  proposed,
  at,
  updates: [],
  statuses: Object.fromEntries(proposed.files.flatMap(({ hunk_ids }) => hunk_ids.map((id) => [id, 'pending']))),
  by_hand: [],
  oversized: proposed.files.flatMap(({ oversized = [] }) => oversized),
  apply: null,
  before_apply: null,
  conflict: null,
  failed: null,
  applied: null,
  rerun: null,
});

/** Of a proposal that was in conflict from the beginning; null where the conflict is not of that kind. */
export function refusedReview(
  { turn, call_id, review_id, refused }: EditFactOf<'conflict_detected'>,
  at: string,
): ReviewState | null {
  return refused ? openReview({ kind: 'edits_proposed', turn, call_id, review_id, ...refused }, at) : null;
}

/** Nothing of it can be decided or applied: it was made for other lines than there are. */
export const isRefused = ({ conflict }: ReviewState): boolean => conflict?.refused !== undefined;

function update(review: ReviewState, fact: EditFactOf<'review_updated'>): void {
  const { step } = fact;
  review.updates.push(fact);
  switch (step.do) {
    case 'decide':
    case 'undo':
    case 'redo':
      Object.assign(review.statuses, step.statuses);
      return;
    case 'edit':
      for (const { id, status } of step.added) {
        review.statuses[id] = status;
        review.by_hand.push(id);
      }
      return;
    case 'split': {
      const before = review.statuses[step.hunk_id] ?? 'pending';
      const isByHand = review.by_hand.includes(step.hunk_id);
      delete review.statuses[step.hunk_id];
      for (const part of step.parts) review.statuses[part] = before;
      review.oversized = [...review.oversized.filter((id) => id !== step.hunk_id), ...(step.oversized ?? [])];
      if (isByHand) review.by_hand = [...review.by_hand.filter((id) => id !== step.hunk_id), ...step.parts];
      return;
    }
    case 'comment':
      return;
  }
}

/** What of the changes an apply with these hunks accepts; what was changed by hand is meant as long as it is accepted. */
function decided(review: ReviewState, accepted: string[]): Record<string, ChangeStatus> {
  const wanted = new Set(accepted);
  const statusOf = (id: string, now: ChangeStatus): ChangeStatus => {
    if (wanted.has(id)) return 'accepted';
    return review.by_hand.includes(id) && now === 'accepted' ? 'accepted' : 'rejected';
  };
  return Object.fromEntries(Object.entries(review.statuses).map(([id, now]) => [id, statusOf(id, now)]));
}

/**
 * Nothing came of an apply: what it named is accepted still, and of the rest nobody has said that it is rejected. It is
 * what it was, in the review and before the model.
 */
function reopen(review: ReviewState): void {
  const wanted = new Set(review.apply?.accepted);
  const before = review.before_apply ?? {};
  review.statuses = Object.fromEntries(
    Object.entries(review.statuses).map(([id, now]) => [id, wanted.has(id) ? 'accepted' : (before[id] ?? now)]),
  );
  review.apply = null;
  review.before_apply = null;
}

/** In place, like the whole fold. */
export function foldReview(review: ReviewState, fact: Exclude<EditFact, { kind: 'edits_proposed' }>): void {
  switch (fact.kind) {
    case 'review_updated':
      update(review, fact);
      return;
    case 'apply_requested':
      review.apply = fact;
      review.conflict = null;
      review.failed = null;
      review.before_apply = review.statuses;
      review.statuses = decided(review, fact.accepted);
      return;
    case 'checkpoint_created':
      return;
    case 'conflict_detected':
      reopen(review);
      review.conflict = fact;
      return;
    case 'apply_failed':
      reopen(review);
      review.failed = fact;
      return;
    case 'edits_applied':
      review.apply = null;
      review.applied = fact;
      return;
    case 'rerun_requested':
      review.rerun = fact;
      return;
  }
}

/** Nobody is asked about it any more. */
export const isSettled = ({ applied, rerun }: ReviewState): boolean => applied !== null || rerun !== null;

const stateOf = (review: ReviewState): ReviewSummary['state'] => {
  if (review.applied) return 'applied';
  if (review.rerun) return 'superseded';
  if (review.apply) return 'applying';
  return review.conflict ? 'conflict' : 'open';
};

export function summaryOf(review: ReviewState, job_id: string): ReviewSummary {
  const all = Object.values(review.statuses);
  const count = (wanted: ChangeStatus) => all.filter((status) => status === wanted).length;
  return {
    review_id: review.proposed.review_id,
    job_id,
    proposal: review.proposed.proposal,
    state: stateOf(review),
    files: review.proposed.files.length,
    hunks: all.length,
    accepted: count('accepted'),
    rejected: count('rejected'),
    pending: count('pending'),
    created_at: review.at,
  };
}
