import type { Logger } from 'pino';
import type { Agent } from '../domain/agent.ts';
import { asJobAgent } from '../domain/edits/job-agent.ts';
import type { EditLimits } from '../domain/edits/limits.ts';
import { Failure } from '../domain/failures.ts';
import { type Caller, holds } from '../domain/identity.ts';
import { filesAtStep, inheritedFrom, lastStep, stateAtStep } from '../domain/inheritance.ts';
import { parseModel } from '../domain/model.ts';
import { demandPrices } from '../domain/model-choice.ts';
import { type Bound, boundOfCaller, narrowed, within } from '../domain/rights.ts';
import { budgetFor } from '../domain/run-budget.ts';
import type { ForkRun, ResumeRun, StartRun } from '../domain/run-requests.ts';
import { continuedFrom } from '../domain/session-turns.ts';
import type { Notebook } from '../domain/workspace.ts';
import { findAgent, findAgentByName } from '../store/agents.ts';
import { keptBelow } from '../store/checkout-snapshots.ts';
import { RunLog } from '../store/event-log.ts';
import { allEntries } from '../store/log-reading.ts';
import { findNotebook } from '../store/notebooks.ts';
import { draftAgentRun } from '../store/run-drafts.ts';
import { completeRecord, type RunRecord } from '../store/run-record.ts';
import { permitted } from '../store/run-tools.ts';
import { currentRun, findRun } from '../store/runs.ts';
import type { Opening, SessionRecord } from '../store/sessions.ts';
import type { RunStarter } from '../workflows/start.ts';
import { begin, type Draft, filesOfFormer, inherit, type NewId } from './begun-runs.ts';
import { demandEnded, demandStep, filesForFork } from './forked-files.ts';
import { Remembering } from './remembering.ts';

const callerBound = (caller: Caller, agent: Agent): Bound => boundOfCaller(holds(caller, agent.workspace_id, 'write'));

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
    private readonly limits: EditLimits,
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
    let files: Pick<Draft, 'branch' | 'files_from'> = {};
    if (follows !== null) {
      const former = await findRun(caller, follows);
      const { state } = await RunLog.open({ run_id: follows, workspace_id: former.workspace_id });
      const same_agent = former.agent_version === draft.agent.version;
      await inherit(id, former, continuedFrom({ run_id: follows, input: former.input, state, same_agent }));
      if (former.notebook_id === draft.notebook?.id) files = filesOfFormer(former, state.files);
    }
    const pinned = { id: session._id, context_rows: session.context_rows };
    const job = session.kind === 'edits' ? this.asJob(draft, opening.max_tool_calls ?? null) : {};
    return this.begin(caller, { ...draft, ...files, ...job, session: pinned });
  }

  /** Whatever its agent may do otherwise: it reads, asks and proposes, and people decide what is written. */
  private asJob({ agent }: Draft, maxToolCalls: number | null): Pick<Draft, 'agent' | 'delegates' | 'edit_job'> {
    const { max_tool_calls_per_job, max_schema_retries, max_hunk_lines, max_hunk_bytes } = this.limits;
    return {
      agent: asJobAgent(agent),
      delegates: [],
      edit_job: {
        max_tool_calls: maxToolCalls ?? max_tool_calls_per_job,
        max_schema_retries,
        hunks: { max_hunk_lines, max_hunk_bytes },
      },
    };
  }

  private draft = async (caller: Caller, body: StartRun, id: string): Promise<Draft> =>
    draftAgentRun(caller, await this.target(caller, body), body, id);

  /** Goes on where a run failed, with all that it had done; what completed is not done again. */
  async resume(caller: Caller, runId: string, body: ResumeRun, newId: NewId): Promise<RunRecord> {
    const run = completeRecord(await currentRun(caller, runId));
    if (run.status !== 'failed') {
      throw new Failure('not_failed', `The run ${runId} is ${run.status}, not failed.`, { status: run.status });
    }
    if (run.definition || body.from_step !== undefined) {
      throw new Failure('invalid_request', 'Only runs of workflows are resumed from a step.', { field: 'from_step' });
    }
    await this.demandUsable(caller, run);
    const entries = await allEntries(runId);
    const step = lastStep(entries);
    const id = newId('run');
    await inherit(id, run, inheritedFrom(runId, 'resume', step, stateAtStep(entries, step)));
    return this.begin(caller, {
      ...this.again(caller, run, id, body.budget),
      ...filesOfFormer(run, filesAtStep(entries, step)),
      input: body.override_input ?? run.input,
      parent: { run_id: runId, relation: 'resume', step },
    });
  }

  /** Seeing a run of an agent does not mean that one may use it, its credentials and all; nor that it may be used still. */
  private async demandUsable(caller: Caller, { agent_id }: RunRecord): Promise<void> {
    const { is_active, name } = await findAgent(caller, agent_id);
    if (!is_active) throw new Failure('agent_inactive', `The agent ${name} is not active.`, { agent_id });
  }

  /** Takes another turn at any step of a run that has ended, on a tree of files as it was there. */
  async fork(caller: Caller, runId: string, body: ForkRun, newId: NewId): Promise<RunRecord> {
    const run = completeRecord(await currentRun(caller, runId));
    const { step } = body;
    if (step === undefined || body.override_input !== undefined) {
      const field = step === undefined ? 'from_step' : 'override_input';
      throw new Failure('invalid_request', `${field} is for runs of workflows: give step and input.`, { field });
    }
    demandEnded(run);
    await this.demandUsable(caller, run);
    const entries = await allEntries(runId);
    demandStep(run, entries, step);
    if (body.model) parseModel(body.model);
    const id = newId('run');
    const draft = this.again(caller, run, id, body.budget);
    const changed = {
      ...(body.model ? { model: body.model, agent_mode: 'remote' as const, remote_model: null } : {}),
      ...(body.system_prompt === undefined ? {} : { system_prompt: body.system_prompt }),
    };
    demandPrices({ ...draft.agent, ...changed }, draft.budget);
    await inherit(id, run, inheritedFrom(runId, 'fork', step, stateAtStep(entries, step)));
    const snapshot = filesAtStep(entries, step, await keptBelow(run));
    const files = await filesForFork(caller, run, draft, snapshot, this.forksDir);
    return this.begin(caller, {
      ...draft,
      ...files,
      agent: { ...files.agent, ...changed },
      input: body.input ?? run.input,
      parent: { run_id: runId, relation: 'fork', step },
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
    const allowed = budgetFor(run.agent, budget, run.notebook_kind);
    const agent = within(run.agent, bound);
    return {
      id,
      agent,
      bound,
      delegates: run.delegates,
      tools: permitted(agent, run.tools),
      notebook: run.notebook_id && run.notebook_kind ? { id: run.notebook_id, kind: run.notebook_kind } : null,
      trigger_type: 'sdk',
      trigger_source: `user: ${caller.name}`,
      output_schema: run.output_schema,
      edit_job: run.edit_job,
      budget: allowed,
      line: [id],
    };
  }

  private begin = (caller: Caller, draft: Draft): Promise<RunRecord> => begin(this.starter, this.logger, caller, draft);
}
