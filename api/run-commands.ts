import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { EDIT_LIMITS, type EditLimits } from '../domain/edits/limits.ts';
import type { Fact, Person } from '../domain/facts.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import { type Caller, mayAnswer } from '../domain/identity.ts';
import { openActions } from '../domain/open-calls.ts';
import type { Run } from '../domain/run.ts';
import { runNamedIn, workflowIdOf } from '../domain/run-id.ts';
import type { ConfirmAction } from '../domain/run-requests.ts';
import type { CallState, RunState } from '../domain/run-state.ts';
import { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';
import { type RunRecord, toRun } from '../store/run-record.ts';
import { clearWake, markWake } from '../store/run-upkeep.ts';
import { currentRun, findRun, openRunsBelow } from '../store/runs.ts';
import { cancellation, clarification, confirmation, look, review, steering } from '../workflows/messages.ts';
import type { RunStarter } from '../workflows/start.ts';
import { DefinitionStarts, isOfWorkflow } from './definition-starts.ts';
import { RunStarts } from './run-starts.ts';

export const personOf = (caller: Caller): Person => ({ user_id: caller.user_id, name: caller.name });

function demandAnswerable(caller: Caller, run: RunRecord): void {
  if (mayAnswer(caller, run)) return;
  throw new Failure('forbidden', 'Only who started this run, or an admin of its workspace, may answer for it.');
}

type Action = NonNullable<CallState['action']>;

const callWith = (state: RunState, match: (call: CallState) => boolean): { turn: number; call: CallState } | null => {
  for (const turn of state.turns) {
    const call = turn.calls.find(match);
    if (call) return { turn: turn.turn, call };
  }
  return null;
};

function decide(state: RunState, body: ConfirmAction, by: Person): Fact[] {
  const found = callWith(state, (call) => call.action?.action_id === body.action_id);
  const action = found?.call.action;
  if (!found || !action)
    throw new Failure('not_found', `This run has no action ${body.action_id}.`, { action_id: body.action_id });
  if (found.call.decision || found.call.finished) {
    throw new Failure('not_pending', `The action ${body.action_id} is not pending.`, { action_id: body.action_id });
  }
  if (body.digest !== undefined && body.digest !== action.digest) {
    throw new Failure('stale_approval', `The action ${body.action_id} is not what was shown.`, {
      digest: action.digest,
    });
  }
  const decided: Fact = {
    kind: 'action_decided',
    turn: found.turn,
    call_id: action.call_id,
    action_id: action.action_id,
    confirmed: body.confirmed,
    reason: body.reason ?? null,
    arguments: body.confirmed ? (body.arguments ?? null) : null,
    by,
  };
  return body.for_session ? forSession(state, action, decided) : [decided];
}

/** With it goes what else waits for the same: nobody is to be asked about it any more. */
function forSession(state: RunState, action: Action, decided: Extract<Fact, { kind: 'action_decided' }>): Fact[] {
  if (action.always) {
    throw new Failure('conflict', `The agent's policy asks about each ${action.tool}: allow it without for_session.`, {
      action_id: action.action_id,
      can_allow_for_session: false,
    });
  }
  const others = openActions(state).flatMap(({ action: other }) =>
    other && other.tool === action.tool && other.action_id !== action.action_id ? [other] : [],
  );
  return [
    { ...decided, for_session: true },
    ...others.map(({ turn, call_id, action_id }): Fact => ({ ...decided, turn, call_id, action_id, arguments: null })),
  ];
}

function answerTo(state: RunState, questionId: string, answer: string, by: Person): Fact[] {
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

type Handle = ReturnType<Client['workflow']['getHandle']>;

/** What people do to runs: each is appended to the log first, then told to the workflow. */
export class RunCommands {
  private readonly starts: RunStarts;
  private readonly definitions: DefinitionStarts;

  constructor(
    readonly starter: RunStarter,
    private readonly logger: Logger,
    forksDir: string,
    readonly limits: EditLimits = EDIT_LIMITS,
  ) {
    this.starts = new RunStarts(starter, logger, forksDir, limits);
    this.definitions = new DefinitionStarts(starter, logger, forksDir);
  }

  private get client(): Client {
    return this.starter.client;
  }

  start: RunStarts['start'] = (caller, body, newId, origin) =>
    isOfWorkflow(body)
      ? this.definitions.start(caller, body, newId, origin)
      : this.starts.start(caller, body, newId, origin);
  startDefinition: DefinitionStarts['start'] = (...args) => this.definitions.start(...args);
  startUnsaved: DefinitionStarts['startUnsaved'] = (...args) => this.definitions.startUnsaved(...args);
  startInSession: RunStarts['startInSession'] = (...args) => this.starts.startInSession(...args);
  resume: RunStarts['resume'] = async (caller, runId, ...rest) =>
    (await findRun(caller, runId)).definition_id
      ? this.definitions.resume(caller, runId, ...rest)
      : this.starts.resume(caller, runId, ...rest);
  resumeDefinition: DefinitionStarts['resume'] = (...args) => this.definitions.resume(...args);
  fork: RunStarts['fork'] = async (caller, runId, ...rest) =>
    (await findRun(caller, runId)).definition_id
      ? this.definitions.fork(caller, runId, ...rest)
      : this.starts.fork(caller, runId, ...rest);
  forgetTargets: RunStarts['forgetTargets'] = () => this.starts.forgetTargets();

  async confirm(caller: Caller, runId: string, body: ConfirmAction): Promise<Run> {
    await this.tell(
      caller,
      await this.askerOf(caller, runId, body.action_id),
      (state) => decide(state, body, personOf(caller)),
      (handle) => handle.signal(confirmation, { action_id: body.action_id }),
    );
    return toRun(await currentRun(caller, runId));
  }

  async answer(caller: Caller, runId: string, questionId: string, answer: string): Promise<Run> {
    await this.tell(
      caller,
      await this.askerOf(caller, runId, questionId),
      (state) => answerTo(state, questionId, answer, personOf(caller)),
      (handle) => handle.signal(clarification, { question_id: questionId }),
    );
    return toRun(await currentRun(caller, runId));
  }

  /** The run whose question it is: this one, or one below it that asks through it. */
  private async askerOf(caller: Caller, runId: string, id: string): Promise<string> {
    const run = await findRun(caller, runId);
    const asked = [...run.pending_actions, ...run.pending_questions].find((pending) => pending.id === id);
    if (asked?.run_id) return asked.run_id;
    // An answer may come again after the root has forgotten the question.
    return runNamedIn(id) ?? runId;
  }

  async message(caller: Caller, runId: string, messageId: string, content: string): Promise<Run> {
    if ((await findRun(caller, runId)).definition_id) {
      throw new Failure('not_for_workflows', `The run ${runId} is that of a workflow: nobody would read the message.`);
    }
    const fact: Fact = { kind: 'message_received', message_id: messageId, content, by: personOf(caller) };
    return this.tell(
      caller,
      runId,
      () => [fact],
      (handle) => handle.signal(steering, { message_id: messageId }),
    );
  }

  /** What a run goes on from: its review is applied, or sent back. */
  review(caller: Caller, runId: string, what: (state: RunState) => Fact[], reviewId: string): Promise<Run> {
    return this.tell(caller, runId, what, (handle) => handle.signal(review, { review_id: reviewId }));
  }

  /** Appends what nobody need be woken for to a log that was read just now. */
  async note(caller: Caller, run: RunRecord, log: RunLog, what: (state: RunState) => Fact[]): Promise<void> {
    demandAnswerable(caller, run);
    await log.append(what);
    await projectRun(log);
  }

  /** The run and all below it: each is told in its own log. */
  async cancel(caller: Caller, runId: string): Promise<Run> {
    const fact: Fact = { kind: 'cancel_requested', by: personOf(caller) };
    return this.tellTree(
      caller,
      runId,
      (state) => (state.cancel_requested ? null : [fact]),
      (handle) => handle.signal(cancellation),
    );
  }

  /** What is under way is finished; nothing new is begun until somebody lets it go on. */
  async pause(caller: Caller, runId: string): Promise<Run> {
    const fact: Fact = { kind: 'paused', by: personOf(caller) };
    return this.tellTree(
      caller,
      runId,
      (state, isFirst) => {
        if (state.paused && isFirst) throw new Failure('not_paused', `The run ${runId} is paused already.`);
        return state.paused ? null : [fact];
      },
      (handle) => handle.signal(look),
    );
  }

  async unpause(caller: Caller, runId: string): Promise<Run> {
    const fact: Fact = { kind: 'unpaused', by: personOf(caller) };
    return this.tellTree(
      caller,
      runId,
      (state, isFirst) => {
        if (!state.paused && isFirst) throw new Failure('not_paused', `The run ${runId} is not paused.`);
        return state.paused ? [fact] : null;
      },
      (handle) => handle.signal(look),
    );
  }

  private async tellTree(
    caller: Caller,
    runId: string,
    what: (state: RunState, isFirst: boolean) => Fact[] | null,
    signal: (handle: Handle) => Promise<void>,
  ): Promise<Run> {
    const told = await this.tell(caller, runId, (state) => what(state, true), signal);
    for (const { _id } of await openRunsBelow(caller, runId)) {
      await this.tell(caller, _id, (state) => what(state, false), signal).catch((error: unknown) => {
        // Ended meanwhile, by itself: there is nothing left to tell it.
        if (!isFailure(error) || error.code !== 'run_ended') throw error;
      });
    }
    return told;
  }

  private async tell(
    caller: Caller,
    runId: string,
    what: (state: RunState) => Fact[] | null,
    signal: (handle: Handle) => Promise<void>,
  ): Promise<Run> {
    const run = await findRun(caller, runId);
    demandAnswerable(caller, run);
    const log = await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id });
    const since = await markWake(run._id);
    try {
      await log.append(what);
    } catch (error) {
      await clearWake(run._id, since);
      throw error;
    }
    await projectRun(log);
    try {
      await signal(this.client.workflow.getHandle(workflowIdOf(run._id)));
      await clearWake(run._id, since);
    } catch (err) {
      this.logger.warn({ err, run_id: run._id }, 'the run will be told by the reconciler');
    }
    return toRun(await findRun(caller, runId));
  }
}
