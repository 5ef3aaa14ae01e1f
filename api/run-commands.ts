import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { answerTo, decide, revise } from '../domain/answers.ts';
import { EDIT_LIMITS, type EditLimits } from '../domain/edits/limits.ts';
import type { Fact, Person } from '../domain/facts.ts';
import { Failure, isFailure } from '../domain/failures.ts';
import { type Caller, mayAnswer } from '../domain/identity.ts';
import type { Run } from '../domain/run.ts';
import { runNamedIn, workflowIdOf } from '../domain/run-id.ts';
import type { ConfirmAction, ReviseAction } from '../domain/run-requests.ts';
import type { RunState } from '../domain/run-state.ts';
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

  /** The run shows it anew with other arguments: nothing is decided by that. */
  async revise(caller: Caller, runId: string, body: ReviseAction): Promise<Run> {
    await this.tell(
      caller,
      await this.askerOf(caller, runId, body.action_id),
      (state) => revise(state, body, personOf(caller)),
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
