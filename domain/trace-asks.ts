import { conflictEvent } from './edits/trace.ts';
import type { Fact } from './facts.ts';
import type { EventDraft } from './run-events.ts';

/** What people are asked, and what they said to it. */
type AskFact = Extract<
  Fact,
  {
    kind:
      | 'action_pending'
      | 'action_revised'
      | 'action_decided'
      | 'question_asked'
      | 'question_answered'
      | 'child_asked'
      | 'child_answered';
  }
>;

export const problemOf = ({ problem }: { problem?: string }) => (problem === undefined ? {} : { problem });

/** As the run below tells it, with the run to answer named. */
function childAsked(
  { child_run_id, agent_name, asked }: Extract<Fact, { kind: 'child_asked' }>,
  at: string,
): EventDraft[] {
  const about = { run_id: child_run_id, agent_name };
  if (asked.kind === 'question') {
    const data = { ...about, question_id: asked.id, question: asked.question };
    return [{ type: 'clarification.requested', ts: at, data }];
  }
  if (asked.kind === 'review') {
    if (asked.conflict) return [{ ...conflictEvent({ ...about, review_id: asked.id }, asked.conflict), ts: at }];
    const data = { ...about, review_id: asked.id, files: asked.files, hunks: asked.hunks };
    return [{ type: 'diff.generated', ts: at, data }];
  }
  const { id, tool, path, preview, digest } = asked;
  const shown = { preview, digest, can_allow_for_session: asked.always !== true, ...problemOf(asked) };
  const data = { ...about, action_id: id, type: tool, path, arguments: asked.arguments, ...shown };
  return [{ type: 'action.pending', ts: at, data }];
}

export function askEvents(fact: AskFact, at: string): EventDraft[] {
  const one = (type: string, data: Record<string, unknown>): EventDraft[] => [{ type, ts: at, data }];
  switch (fact.kind) {
    case 'action_pending':
      return one('action.pending', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        type: fact.tool,
        path: fact.path,
        arguments: fact.arguments,
        preview: fact.preview,
        digest: fact.digest,
        can_allow_for_session: fact.always !== true,
        ...problemOf(fact),
      });
    case 'action_revised':
      return one('action.revised', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        arguments: fact.arguments,
        allowed: fact.allowed !== undefined,
        by: fact.by,
      });
    case 'action_decided':
      return one('action.decided', {
        action_id: fact.action_id,
        turn: fact.turn,
        call_id: fact.call_id,
        confirmed: fact.confirmed,
        reason: fact.reason,
        edited: fact.arguments !== null,
        ...(fact.for_session ? { for_session: true } : {}),
        by: fact.by,
      });
    case 'question_asked':
      return one('clarification.requested', {
        question_id: fact.question_id,
        turn: fact.turn,
        call_id: fact.call_id,
        question: fact.question,
      });
    case 'question_answered':
      return one('clarification.received', {
        question_id: fact.question_id,
        turn: fact.turn,
        call_id: fact.call_id,
        answer: fact.answer,
        by: fact.by,
      });
    case 'child_asked':
      return childAsked(fact, at);
    case 'child_answered':
      if (fact.is_review) return one('review.updated', { run_id: fact.child_run_id, review_id: fact.id, by: fact.by });
      return one(fact.confirmed === null ? 'clarification.received' : 'action.decided', {
        run_id: fact.child_run_id,
        ...(fact.confirmed === null ? { question_id: fact.id } : { action_id: fact.id, confirmed: fact.confirmed }),
        by: fact.by,
      });
  }
}
