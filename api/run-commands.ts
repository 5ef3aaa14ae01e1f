import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import type { Fact, Person } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds, mayAnswer } from '../domain/identity.ts';
import { parseModel } from '../domain/model.ts';
import type { ConfirmAction, Run, StartRun } from '../domain/run.ts';
import type { CallState, RunState } from '../domain/run-state.ts';
import { findAgent, findAgentByName } from '../store/agents.ts';
import { RunLog } from '../store/event-log.ts';
import { findNotebook } from '../store/notebooks.ts';
import { projectRun } from '../store/run-projection.ts';
import { type RunRecord, toRun } from '../store/run-record.ts';
import { clearWake, markWake } from '../store/run-upkeep.ts';
import { findRun, insertRun } from '../store/runs.ts';
import { cancellation, clarification, confirmation, steering, workflowIdOf } from '../workflows/messages.ts';
import { type RunStarter, startAgentRun } from '../workflows/start.ts';

const personOf = (caller: Caller): Person => ({ user_id: caller.user_id, name: caller.name });

/** What a run may do is what its agent may and its caller may: who only reads starts runs that only read. */
function attenuated(agent: Agent, caller: Caller): Agent {
  if (holds(caller, agent.workspace_id, 'write')) return agent;
  const off = { can_write: false, can_create: false, can_delete: false, can_execute_code: false };
  return { ...agent, ...off, can_access_integrations: false };
}

function demandAnswerable(caller: Caller, run: RunRecord): void {
  if (mayAnswer(caller, run)) return;
  throw new Failure('forbidden', 'Only who started this run, or an admin of its workspace, may answer for it.');
}

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
  return [
    {
      kind: 'action_decided',
      turn: found.turn,
      call_id: action.call_id,
      action_id: action.action_id,
      confirmed: body.confirmed,
      reason: body.reason ?? null,
      arguments: body.confirmed ? (body.arguments ?? null) : null,
      by,
    },
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

/** What people do to runs: each is appended to the log first, then told to the workflow. */
export class RunCommands {
  constructor(
    private readonly starter: RunStarter,
    private readonly logger: Logger,
  ) {}

  private get client(): Client {
    return this.starter.client;
  }

  async start(caller: Caller, body: StartRun, newId: (prefix: string) => string): Promise<RunRecord> {
    const [agent, notebook] = await Promise.all([
      body.agent_id ? findAgent(caller, body.agent_id) : findAgentByName(caller, body.agent ?? '', body.workspace_id),
      body.notebook_id ? findNotebook(caller, body.notebook_id) : null,
    ]);
    if (!agent.is_active)
      throw new Failure('agent_inactive', `The agent ${agent.name} is not active.`, { agent_id: agent.id });
    parseModel(agent.model);
    if (notebook && notebook.workspace_id !== agent.workspace_id) {
      throw new Failure('not_found', `The workspace of ${agent.name} has no notebook ${notebook.id}.`);
    }
    const id = newId('run');
    const recorded = insertRun(caller, {
      id,
      agent: attenuated(agent, caller),
      notebook,
      trigger_type: body.trigger_type,
      trigger_source: `user: ${caller.name}`,
      input: body.input,
      budget: {
        max_iterations: Math.min(body.budget?.max_iterations ?? agent.max_iterations, agent.max_iterations),
        max_tokens: Math.min(body.budget?.max_token_budget ?? agent.max_token_budget, agent.max_token_budget),
      },
    });
    // Side by side: the workflow waits for a record that is not there yet, and the reconciler starts what is recorded
    // and was not started, so whichever of the two is lost with this process, nothing is promised that is not kept.
    const started = startAgentRun(this.starter, { run_id: id, workspace_id: agent.workspace_id }).catch(
      (err: unknown) => this.logger.warn({ err, run_id: id }, 'the run will be started by the reconciler'),
    );
    const [run] = await Promise.all([recorded, started]);
    return run;
  }

  confirm(caller: Caller, runId: string, body: ConfirmAction): Promise<Run> {
    return this.tell(
      caller,
      runId,
      (state) => decide(state, body, personOf(caller)),
      (handle) => handle.signal(confirmation, { action_id: body.action_id }),
    );
  }

  answer(caller: Caller, runId: string, questionId: string, answer: string): Promise<Run> {
    return this.tell(
      caller,
      runId,
      (state) => answerTo(state, questionId, answer, personOf(caller)),
      (handle) => handle.signal(clarification, { question_id: questionId }),
    );
  }

  message(caller: Caller, runId: string, messageId: string, content: string): Promise<Run> {
    const fact: Fact = { kind: 'message_received', message_id: messageId, content, by: personOf(caller) };
    return this.tell(
      caller,
      runId,
      () => [fact],
      (handle) => handle.signal(steering, { message_id: messageId }),
    );
  }

  cancel(caller: Caller, runId: string): Promise<Run> {
    const fact: Fact = { kind: 'cancel_requested', by: personOf(caller) };
    return this.tell(
      caller,
      runId,
      (state) => (state.cancel_requested ? null : [fact]),
      (handle) => handle.signal(cancellation),
    );
  }

  private async tell(
    caller: Caller,
    runId: string,
    what: (state: RunState) => Fact[] | null,
    signal: (handle: ReturnType<Client['workflow']['getHandle']>) => Promise<void>,
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
