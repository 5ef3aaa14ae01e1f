import type { Fact, Person } from './facts.ts';
import { Failure } from './failures.ts';
import { isSameValue } from './json-value.ts';
import { openActions } from './open-calls.ts';
import type { ConfirmAction, ReviseAction } from './run-requests.ts';
import type { CallState, RunState } from './run-state.ts';

type Action = NonNullable<CallState['action']>;

const callWith = (state: RunState, match: (call: CallState) => boolean): { turn: number; call: CallState } | null => {
  for (const turn of state.turns) {
    const call = turn.calls.find(match);
    if (call) return { turn: turn.turn, call };
  }
  return null;
};

/** The action that is meant, as long as it waits for somebody and is what was shown to them. */
function pendingIn(state: RunState, { action_id, digest }: { action_id: string; digest?: string | undefined }): Action {
  const call = callWith(state, ({ action }) => action?.action_id === action_id)?.call;
  if (!call?.action) throw new Failure('not_found', `This run has no action ${action_id}.`, { action_id });
  if (call.decision || call.finished || call.revised?.allowed) {
    throw new Failure('not_pending', `The action ${action_id} is not pending.`, { action_id });
  }
  if (call.revised) {
    const { name } = call.revised.by;
    throw new Failure('stale_approval', `${name} has changed the action ${action_id}: it is about to be shown anew.`);
  }
  if (digest !== undefined && digest !== call.action.digest) {
    throw new Failure('stale_approval', `The action ${action_id} is not what was shown.`, {
      digest: call.action.digest,
    });
  }
  return call.action;
}

/** Arguments that nobody has seen the outcome of are not allowed here: the run shows it with them first. */
export function decide(state: RunState, body: ConfirmAction, by: Person): Fact[] {
  const action = pendingIn(state, body);
  const { turn, call_id, action_id } = action;
  const reason = body.reason ?? null;
  const about = { turn, call_id, action_id };
  const others = body.for_session ? othersForSession(state, action) : [];
  const too = others.map(
    (other): Fact => ({ kind: 'action_decided', ...other, confirmed: true, reason, arguments: null, by }),
  );
  const lasting = body.for_session ? { for_session: true as const } : {};
  if (body.confirmed && body.arguments && !isSameValue(body.arguments, action.arguments)) {
    const allowed = { reason, ...lasting };
    return [{ kind: 'action_revised', ...about, arguments: body.arguments, allowed, by }, ...too];
  }
  const changed = body.confirmed && action.revised ? action.arguments : null;
  const { confirmed } = body;
  return [{ kind: 'action_decided', ...about, confirmed, reason, arguments: changed, ...lasting, by }, ...too];
}

/** What else waits for the same: nobody is to be asked about it any more. */
function othersForSession(state: RunState, action: Action): Pick<Action, 'turn' | 'call_id' | 'action_id'>[] {
  if (action.always) {
    throw new Failure('conflict', `The agent's policy asks about each ${action.tool}: allow it without for_session.`, {
      action_id: action.action_id,
      can_allow_for_session: false,
    });
  }
  return openActions(state).flatMap(({ action: other }) => {
    if (!other || other.tool !== action.tool || other.action_id === action.action_id) return [];
    const { turn, call_id, action_id } = other;
    return [{ turn, call_id, action_id }];
  });
}

export function revise(state: RunState, body: ReviseAction, by: Person): Fact[] {
  const { turn, call_id, action_id } = pendingIn(state, body);
  if (state.paused) {
    const what =
      'The run is paused, and shows nothing anew until it goes on: unpause it first, or decide on it as it is.';
    throw new Failure('conflict', what, { action_id });
  }
  return [{ kind: 'action_revised', turn, call_id, action_id, arguments: body.arguments, by }];
}

export function answerTo(state: RunState, questionId: string, answer: string, by: Person): Fact[] {
  const found = callWith(state, (call) => call.question?.question_id === questionId);
  if (!found) throw new Failure('not_found', `This run has no question ${questionId}.`, { question_id: questionId });
  if (found.call.answer !== null || found.call.finished) {
    throw new Failure('not_pending', `The question ${questionId} is not pending.`, { question_id: questionId });
  }
  return [
    {
      kind: 'question_answered',
      turn: found.turn,
      call_id: found.call.call.tool_call_id,
      question_id: questionId,
      answer,
      by,
    },
  ];
}
