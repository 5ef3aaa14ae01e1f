import { describe, expect, it } from 'vitest';
import type { Change } from '../../../domain/edits/change-log.ts';
import type { EditFact, EditFactOf, ReviewStep } from '../../../domain/edits/facts.ts';
import { feedbackOf } from '../../../domain/edits/feedback.ts';
import { foldReview, openReview, type ReviewState, summaryOf } from '../../../domain/edits/review-state.ts';

const ABOUT = { turn: 1, call_id: 'call_1', review_id: 'rev_1' };
const BY = { user_id: 'usr_1', name: 'Robin' };
const file_path = 'a.md';
const PROPOSED: EditFactOf<'edits_proposed'> = {
  kind: 'edits_proposed',
  ...ABOUT,
  proposal: 1,
  edits: 3,
  files: [{ file_path, is_new: false, hunk_ids: ['h_1', 'h_2', 'h_3'], edit_ids: { h_1: ['e_1'], h_2: ['e_2'] } }],
  stored: 'prp_1',
};

const step = (does: ReviewStep): EditFactOf<'review_updated'> => ({
  kind: 'review_updated',
  ...ABOUT,
  file_path,
  step: does,
  by: BY,
});
const decide = (statuses: Extract<ReviewStep, { do: 'decide' }>['statuses']) => step({ do: 'decide', statuses });
const said = (hunk_id: string | null, text: string) => ({ ...step({ do: 'comment' }), comment: { hunk_id, text } });
const apply = (...accepted: string[]): EditFactOf<'apply_requested'> => ({
  kind: 'apply_requested',
  ...ABOUT,
  apply_id: 'apl_1',
  accepted,
  by: BY,
});
const byHand = (id: string): Change => ({
  id,
  hunk_id: id,
  file_path,
  origin: 'user',
  forward_patch: '',
  reverse_patch: '',
  status: 'accepted',
  file_hash_before: null,
  place: { after: null, before: null, removes: [] },
});

type Later = Exclude<EditFact, { kind: 'edits_proposed' }>;

function folded(...facts: Later[]): ReviewState {
  const review = openReview(PROPOSED, '2026-01-01T00:00:00.000Z');
  for (const fact of facts) foldReview(review, fact);
  return review;
}

describe('[5] an apply', () => {
  const error = { code: 'tool_failed' as const, message: 'No.', details: {}, retryable: true };
  const cases: [what: string, fact: Later, state: string][] = [
    ['a conflict', { kind: 'conflict_detected', ...ABOUT, files: [] }, 'conflict'],
    ['a failure', { kind: 'apply_failed', ...ABOUT, error }, 'open'],
  ];
  it.each(cases)('that ends in %s has rejected nothing that nobody rejected', (_, fact, state) => {
    const review = folded(decide({ h_1: 'rejected' }), apply('h_2'), fact);
    expect(review.statuses).toEqual({ h_1: 'rejected', h_2: 'accepted', h_3: 'pending' });
    expect(summaryOf(review, 'run_1')).toMatchObject({ state, accepted: 1, rejected: 1, pending: 1 });
    expect(feedbackOf(review)).toMatchObject({ rejected: [{ edit_ids: ['e_1'] }], accepted: [{ edit_ids: ['e_2'] }] });
  });

  it('takes what was changed by hand with it as long as that is accepted, and rejects all that it does not name', () => {
    const edit = step({ do: 'edit', added: [byHand('u_1'), byHand('u_2'), byHand('u_3')] });
    const review = folded(edit, decide({ u_2: 'pending', u_3: 'rejected', h_1: 'accepted' }), apply('h_2'));
    expect(review.statuses).toEqual({
      h_1: 'rejected',
      h_2: 'accepted',
      h_3: 'rejected',
      u_1: 'accepted',
      u_2: 'rejected',
      u_3: 'rejected',
    });
  });
});

it('[5] the model is told what was said last about a hunk or a file, and not what was taken back', () => {
  const review = folded(
    said('h_1', 'first'),
    said(null, 'of the file'),
    said('h_1', 'last'),
    said('h_2', 'x'),
    said('h_2', ''),
  );
  expect(feedbackOf(review).comments).toEqual([
    { file_path, text: 'last', edit_ids: ['e_1'] },
    { file_path, text: 'of the file', edit_ids: [] },
  ]);
});
