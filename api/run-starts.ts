import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import type { Budget } from '../domain/budget.ts';
import type { Fact } from '../domain/facts.ts';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { filesAtStep, inheritedFrom, lastStep, stateAtStep } from '../domain/inheritance.ts';
import { parseModel } from '../domain/model.ts';
import { outputCheck } from '../domain/output-schema.ts';
import { costMicros } from '../domain/prices.ts';
import { type Bound, boundOfCaller, narrowed, within } from '../domain/rights.ts';
import { type ForkRun, hasEnded, type ResumeRun, type StartRun } from '../domain/run.ts';
import { budgetFor } from '../domain/run-budget.ts';
import { forkNotebookId } from '../domain/run-id.ts';
import { continuedFrom } from '../domain/session-turns.ts';
import type { Notebook } from '../domain/workspace.ts';
import { delegatesOf } from '../store/agent-upkeep.ts';
import { findAgent, findAgentByName } from '../store/agents.ts';
import { allEntries, RunLog } from '../store/event-log.ts';
import type { NewRun } from '../store/new-run.ts';
import { createForkNotebook, findNotebook } from '../store/notebooks.ts';
import { completeRecord, type RunRecord } from '../store/run-record.ts';
import { currentRun, findRun, insertRun } from '../store/runs.ts';
import type { Opening, SessionRecord } from '../store/sessions.ts';
import { type RunStarter, startAgentRun } from '../workflows/start.ts';
import { Remembering } from './remembering.ts';

type NewId = (prefix: string) => string;
type Draft = Omit<NewRun, 'org_id' | 'caller'>;

const callerBound = (caller: Caller, agent: Agent): Bound => boundOfCaller(holds(caller, agent.workspace_id, 'write'));

/** A limit nobody can keep is refused instead of being forgotten. */
function demandPrice(agent: Agent, { max_micros }: Budget): void {
  if (max_micros === null || costMicros(agent.model, { input: 1, output: 1, cached: 0 }) !== null) return;
  throw new Failure('unknown_price', `No price is known for ${agent.model}.`, { model: agent.model });
}

/** Runs on git notebooks need checkouts of their own, which there are none of yet. */
function demandFolder(notebook: Notebook | null): void {
  if (notebook?.kind !== 'git') return;
  throw new Failure('git_notebook', `Runs cannot work on the git notebook ${notebook.name} yet.`, {
    notebook_id: notebook.id,
  });
}

interface Origin {
  /** What it is said to come from; who asks where nothing else is given. */
  source?: string;
  /** Once nothing speaks against the run any more, and before it is made: what must know of it first. */
  before?: (run: { id: string; agent: Agent }) => Promise<void>;
}

/** Everything that begins a run: a new one, one that goes on where another failed, one that takes another turn. */
export class RunStarts {
  private readonly targets = new Remembering<{ agent: Agent; notebook: Notebook | null }>();

  constructor(
    private readonly starter: RunStarter,
    private readonly logger: Logger,
    /** Where forks get a tree of files of their own. */
    private readonly forksDir: string,
  ) {}

  async start(caller: Caller, body: StartRun, newId: NewId, origin: Origin = {}): Promise<RunRecord> {
    const draft = await this.draft(caller, body, newId('run'));
    await origin.before?.(draft);
    return this.begin(caller, { ...draft, ...(origin.source ? { trigger_source: origin.source } : {}) });
  }

  /**
   * The next run of a session: its conversation begins with that of the run before. Safe to repeat with the same
   * opening. Null where the claim to begin it is lost to somebody else.
   */
  async startInSession(
    caller: Caller,
    session: SessionRecord,
    opening: Opening,
    claim: () => Promise<boolean>,
  ): Promise<RunRecord | null> {
    const { run_id: id, follows, input, trigger_type, output_schema, budget } = opening;
    const draft = await this.draft(
      caller,
      {
        agent_id: session.agent_id,
        input,
        trigger_type,
        ...(session.notebook_id ? { notebook_id: session.notebook_id } : {}),
        ...(output_schema ? { output_schema } : {}),
        ...(budget ? { budget } : {}),
      },
      id,
    );
    if (!(await claim())) return null;
    if (follows !== null) {
      const former = await findRun(caller, follows);
      const { state } = await RunLog.open({ run_id: follows, workspace_id: former.workspace_id });
      const same_agent = former.agent_version === draft.agent.version;
      await this.inherit(id, former, continuedFrom({ run_id: follows, input: former.input, state, same_agent }));
    }
    return this.begin(caller, { ...draft, session: { id: session._id, context_rows: session.context_rows } });
  }

  /** All that can be refused is refused here, before anything is written. */
  private async draft(caller: Caller, body: StartRun, id: string): Promise<Draft> {
    const { agent, notebook } = await this.target(caller, body);
    if (!agent.is_active)
      throw new Failure('agent_inactive', `The agent ${agent.name} is not active.`, { agent_id: agent.id });
    if (notebook && notebook.workspace_id !== agent.workspace_id) {
      throw new Failure('not_found', `The workspace of ${agent.name} has no notebook ${notebook.id}.`);
    }
    demandFolder(notebook);
    parseModel(agent.model);
    if (body.output_schema) outputCheck(body.output_schema);
    const budget = budgetFor(agent, body.budget);
    demandPrice(agent, budget);
    const bound = callerBound(caller, agent);
    return {
      id,
      agent: within(agent, bound),
      bound,
      delegates: await delegatesOf(caller.org_id, agent),
      notebook,
      trigger_type: body.trigger_type,
      trigger_source: `user: ${caller.name}`,
      input: body.input,
      output_schema: body.output_schema ?? null,
      budget,
      parent: null,
      line: [id],
    };
  }

  /** Goes on where a run failed, with all that it had done; what completed is not done again. */
  async resume(caller: Caller, runId: string, body: ResumeRun, newId: NewId): Promise<RunRecord> {
    const run = completeRecord(await currentRun(caller, runId));
    if (run.status !== 'failed') {
      throw new Failure('not_failed', `The run ${runId} is ${run.status}, not failed.`, { status: run.status });
    }
    const entries = await allEntries(runId);
    const step = lastStep(entries);
    const id = newId('run');
    await this.inherit(id, run, inheritedFrom(runId, 'resume', step, stateAtStep(entries, step)));
    return this.begin(caller, {
      ...this.again(caller, run, id, body.budget),
      input: body.override_input ?? run.input,
      parent: { run_id: runId, relation: 'resume', step },
    });
  }

  /** Takes another turn at any step of a run that has ended, on a tree of files as it was there. */
  async fork(caller: Caller, runId: string, body: ForkRun, newId: NewId): Promise<RunRecord> {
    const run = completeRecord(await currentRun(caller, runId));
    if (!hasEnded(run.status)) {
      throw new Failure('not_ended', `The run ${runId} is ${run.status}.`, { status: run.status });
    }
    const entries = await allEntries(runId);
    if (body.step > lastStep(entries)) {
      throw new Failure('invalid_request', `The run ${runId} has no step ${body.step}.`, {
        last_step: lastStep(entries),
      });
    }
    if (body.model) parseModel(body.model);
    const id = newId('run');
    const state = stateAtStep(entries, body.step);
    await this.inherit(id, run, inheritedFrom(runId, 'fork', body.step, state));
    const draft = this.again(caller, run, id, body.budget);
    const changed = {
      ...(body.model ? { model: body.model, agent_mode: 'remote' as const, remote_model: null } : {}),
      ...(body.system_prompt === undefined ? {} : { system_prompt: body.system_prompt }),
    };
    const { notebook, files_from, scope } = await this.filesFor(caller, run, id, filesAtStep(entries, body.step));
    return this.begin(caller, {
      ...draft,
      agent: { ...draft.agent, ...changed, scope },
      notebook,
      files_from,
      input: body.input ?? run.input,
      parent: { run_id: runId, relation: 'fork', step: body.step },
    });
  }

  /** After this process has changed an agent: the next run starts with what it is now. */
  forgetTargets(): void {
    this.targets.forget();
  }

  private target(caller: Caller, body: StartRun): Promise<{ agent: Agent; notebook: Notebook | null }> {
    const { agent_id, notebook_id, workspace_id, agent: name = '' } = body;
    return this.targets.get(JSON.stringify([caller, agent_id, name, workspace_id, notebook_id]), async () => {
      const [agent, notebook] = await Promise.all([
        agent_id ? findAgent(caller, agent_id) : findAgentByName(caller, name, workspace_id),
        notebook_id ? findNotebook(caller, notebook_id) : null,
      ]);
      return { agent, notebook };
    });
  }

  /** The same agent, as it was, for whoever asks now: with no more rights than the run had, nor than the caller has. */
  private again(
    caller: Caller,
    run: RunRecord,
    id: string,
    budget: StartRun['budget'],
  ): Omit<Draft, 'input' | 'parent'> {
    const bound = narrowed(run.bound, callerBound(caller, run.agent));
    const allowed = budgetFor(run.agent, budget);
    return {
      id,
      agent: within(run.agent, bound),
      bound,
      delegates: run.delegates,
      notebook: run.notebook_id && run.notebook_kind ? { id: run.notebook_id, kind: run.notebook_kind } : null,
      trigger_type: 'sdk',
      trigger_source: `user: ${caller.name}`,
      output_schema: run.output_schema,
      budget: allowed,
      line: [id],
    };
  }

  /** Before the record: a run that is there at all is there with all it takes over. */
  private async inherit(id: string, { workspace_id }: RunRecord, fact: Fact): Promise<void> {
    const log = await RunLog.open({ run_id: id, workspace_id });
    // Also where it has ended since: whoever repeats a start must not fail on what came of it.
    if (!log.state.inherited) await log.append((state) => (state.inherited ? null : [fact]));
  }

  private async filesFor(
    caller: Caller,
    run: RunRecord,
    id: string,
    snapshot: string | null,
  ): Promise<Pick<Draft, 'notebook' | 'files_from'> & Pick<Agent, 'scope'>> {
    const { scope } = run.agent;
    if (run.notebook_id === null || run.notebook_kind !== 'folder') return { notebook: null, files_from: null, scope };
    const original = await findNotebook(caller, run.notebook_id);
    const notebook = await createForkNotebook(caller, {
      id: forkNotebookId(id),
      workspace_id: run.workspace_id,
      name: `${original.name} (fork ${id.slice(-6)})`,
      kind: 'folder',
      path: join(this.forksDir, id),
    });
    const notebooks = scope.notebooks?.map((each) => (each === original.id ? notebook.id : each));
    return {
      notebook,
      files_from: { notebook_id: original.id, snapshot },
      scope: { ...scope, ...(notebooks ? { notebooks } : {}) },
    };
  }

  /**
   * Record and workflow side by side: the workflow waits for a record that is not there yet, and the reconciler starts
   * what is recorded and was not started, so whichever of the two is lost with this process, nothing is promised that
   * is not kept.
   */
  private async begin(caller: Caller, draft: Draft): Promise<RunRecord> {
    const { id, agent } = draft;
    const started = startAgentRun(this.starter, { run_id: id, workspace_id: agent.workspace_id }).catch(
      (err: unknown) => this.logger.warn({ err, run_id: id }, 'the run will be started by the reconciler'),
    );
    const [run] = await Promise.all([insertRun(caller, draft), started]);
    return run;
  }
}
