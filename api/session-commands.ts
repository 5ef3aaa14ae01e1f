import { Failure, isFailure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { hasEnded } from '../domain/run.ts';
import { runNamedIn } from '../domain/run-id.ts';
import type { ConfirmAction, StartRun } from '../domain/run-requests.ts';
import type { ChangeSession, CreateSession } from '../domain/session.ts';
import { findAgent } from '../store/agents.ts';
import { findNotebook } from '../store/notebooks.ts';
import type { RunRecord } from '../store/run-record.ts';
import { currentRun, findRun } from '../store/runs.ts';
import {
  changeSession,
  claimNextRun,
  findSession,
  forgetOpening,
  insertSession,
  type Opening,
  type PinnedRows,
  type SessionRecord,
} from '../store/sessions.ts';
import type { RunCommands } from './run-commands.ts';

type NewId = (prefix: string) => string;

const isCode = (error: unknown, code: Failure['code']): boolean => isFailure(error) && error.code === code;

/** Others may look after a session, but what is said in it runs with the rights of whoever says it. */
function demandOwn(caller: Caller, { user_id }: SessionRecord): void {
  if (user_id !== caller.user_id) throw new Failure('forbidden', 'Only whose session it is may write in it.');
}

const nothingGoesOn = (id: string): Failure => new Failure('run_ended', `Nothing is going on in the session ${id}.`);

/** What people do in sessions: it comes to runs, which are started and told like any other. */
export class SessionCommands {
  constructor(private readonly runs: RunCommands) {}

  async create(
    caller: Caller,
    agentId: string,
    body: CreateSession,
    newId: NewId,
    edits: Pick<SessionRecord, 'kind' | 'edit_rows'> = {},
  ): Promise<SessionRecord> {
    const [agent, notebook] = await Promise.all([
      findAgent(caller, agentId),
      body.notebook_id === undefined ? null : findNotebook(caller, body.notebook_id),
    ]);
    if (!agent.is_active) {
      throw new Failure('agent_inactive', `The agent ${agent.name} is not active.`, { agent_id: agent.id });
    }
    if (notebook && notebook.workspace_id !== agent.workspace_id) {
      throw new Failure('not_found', `The workspace of ${agent.name} has no notebook ${notebook.id}.`);
    }
    return insertSession(caller, {
      _id: newId('ses'),
      workspace_id: agent.workspace_id,
      agent_id: agent.id,
      agent_name: agent.name,
      notebook_id: notebook?.id ?? null,
      title: body.title ?? null,
      context_rows: body.context_rows,
      ...edits,
    });
  }

  async change(caller: Caller, id: string, body: ChangeSession): Promise<SessionRecord> {
    const session = await findSession(caller, id);
    demandOwn(caller, session);
    if (body.context_rows?.length && session.notebook_id === null) {
      throw new Failure('invalid_request', 'Rows are read from the notebook, and this session has none.', {
        fields: { context_rows: 'the session has no notebook' },
      });
    }
    const { title, archived, context_rows } = body;
    return changeSession(caller, id, {
      ...(title === undefined ? {} : { title }),
      ...(archived === undefined ? {} : { archived }),
      ...(context_rows === undefined ? {} : { context_rows }),
    });
  }

  /** Steers the run that is under way, or else begins the next one. Gives the run that hears it. */
  async message(caller: Caller, id: string, content: string, newId: NewId): Promise<string> {
    const [run_id, messageId] = [newId('run'), newId('msg')];
    if (await this.isThere(caller, run_id)) return run_id;
    for (;;) {
      const session = await this.writable(caller, id);
      const latest = await this.latest(caller, session);
      if (latest?._id === run_id) return run_id;
      if (latest && !hasEnded(latest.status)) {
        if (!(await this.steered(caller, latest._id, messageId, content))) continue;
        await changeSession(caller, id, {});
        return latest._id;
      }
      const said = { trigger_type: 'chat' as const, input: content, output_schema: null, budget: null };
      if (await this.begun(caller, session, { run_id, follows: session.run_id, ...said })) return run_id;
    }
  }

  /** A run by itself, with a shape of output or a budget of its own: it cannot join one that is under way. */
  async start(caller: Caller, id: string, body: StartRun, newId: NewId): Promise<RunRecord> {
    const run_id = newId('run');
    if (await this.isThere(caller, run_id)) return findRun(caller, run_id);
    const session = await this.writable(caller, id);
    await this.demandSame(caller, session, body);
    const latest = await this.latest(caller, session);
    const { trigger_type, input, output_schema = null, budget = null } = body;
    const opening: Opening = { run_id, follows: session.run_id, trigger_type, input, output_schema, budget };
    if ((!latest || hasEnded(latest.status)) && (await this.begun(caller, session, opening))) {
      return findRun(caller, run_id);
    }
    throw new Failure('session_busy', `A run of the session ${id} is under way.`, { session_id: id });
  }

  /** The next job of a session of edits; safe to repeat under the same ids. */
  async startJob(
    caller: Caller,
    id: string,
    { instruction, max_tool_calls }: { instruction: string; max_tool_calls: number | null },
    newId: NewId,
    pinned: PinnedRows = {},
  ): Promise<RunRecord> {
    const run_id = newId('run');
    if (await this.isThere(caller, run_id)) return findRun(caller, run_id);
    const found = await this.writable(caller, id);
    const latest = await this.latest(caller, found);
    const session = { ...found, ...pinned };
    const said = { trigger_type: 'chat' as const, input: instruction, output_schema: null, budget: null };
    const opening: Opening = { run_id, follows: session.run_id, ...said, max_tool_calls };
    const claim = async () => (await claimNextRun(caller, session, opening, pinned)) !== null;
    if ((!latest || hasEnded(latest.status)) && (await this.begun(caller, session, opening, claim))) {
      return findRun(caller, run_id);
    }
    throw new Failure('session_busy', `A job of the session ${id} is under way.`, {
      session_id: id,
      job_id: latest?._id ?? null,
      status: latest?.status ?? null,
    });
  }

  async confirm(caller: Caller, id: string, body: ConfirmAction): Promise<void> {
    await this.runs.confirm(caller, await this.askedIn(caller, id, body.action_id), body);
    await changeSession(caller, id, {});
  }

  async answer(caller: Caller, id: string, questionId: string, answer: string): Promise<void> {
    await this.runs.answer(caller, await this.askedIn(caller, id, questionId), questionId, answer);
    await changeSession(caller, id, {});
  }

  async cancel(caller: Caller, id: string): Promise<void> {
    const { run_id } = await findSession(caller, id);
    if (run_id === null) throw nothingGoesOn(id);
    await this.runs.cancel(caller, run_id);
    await changeSession(caller, id, {});
  }

  private async writable(caller: Caller, id: string): Promise<SessionRecord> {
    const session = await findSession(caller, id);
    demandOwn(caller, session);
    if (session.archived) throw new Failure('session_archived', `The session ${id} is archived.`, { session_id: id });
    return session;
  }

  /** Under an Idempotency-Key ids are made again: what was begun under one is not begun anew. */
  private isThere(caller: Caller, runId: string): Promise<boolean> {
    return findRun(caller, runId).then(
      () => true,
      (error: unknown) => {
        if (isCode(error, 'not_found')) return false;
        throw error;
      },
    );
  }

  /** Null before the first. One that was claimed and never begun, because a process died in between, is begun now. */
  private async latest(caller: Caller, session: SessionRecord): Promise<RunRecord | null> {
    const { run_id, opening } = session;
    if (run_id === null) return null;
    if (opening && (await this.isThere(caller, run_id))) await forgetOpening(caller, session._id, run_id);
    else if (opening) await this.begun(caller, session, opening, async () => true);
    return currentRun(caller, run_id);
  }

  private async begun(
    caller: Caller,
    session: SessionRecord,
    opening: Opening,
    claim = async () => (await claimNextRun(caller, session, opening)) !== null,
  ): Promise<boolean> {
    const run = await this.runs.startInSession(caller, session, opening, claim);
    if (run) await forgetOpening(caller, session._id, opening.run_id);
    return run !== null;
  }

  /** False where the run ended before it heard it. */
  private steered(caller: Caller, runId: string, messageId: string, content: string): Promise<boolean> {
    return this.runs.message(caller, runId, messageId, content).then(
      () => true,
      (error: unknown) => {
        if (isCode(error, 'run_ended')) return false;
        throw error;
      },
    );
  }

  private async demandSame(caller: Caller, session: SessionRecord, body: StartRun): Promise<void> {
    const { agent_id, agent, notebook_id } = body;
    const { slug, name } = agent === undefined ? { slug: '', name: '' } : await findAgent(caller, session.agent_id);
    const isOther =
      (agent_id !== undefined && agent_id !== session.agent_id) ||
      (agent !== undefined && agent !== slug && agent !== name) ||
      (notebook_id !== undefined && notebook_id !== session.notebook_id);
    if (!isOther) return;
    throw new Failure('invalid_request', 'A session keeps its agent and its notebook: leave them out.', {
      agent_id: session.agent_id,
      notebook_id: session.notebook_id,
    });
  }

  /** The run whose question it is: the latest, one below it, or an earlier one that asks no more. */
  private async askedIn(caller: Caller, id: string, asked: string): Promise<string> {
    const session = await findSession(caller, id);
    const named = runNamedIn(asked);
    const run = named !== undefined && (await this.isThere(caller, named)) ? await findRun(caller, named) : null;
    if (run?.conversation_id === session._id) return run._id;
    throw new Failure('not_found', `Nothing in the session ${id} is called ${asked}.`, { id: asked });
  }
}
