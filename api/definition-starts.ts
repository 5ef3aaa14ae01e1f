import type { Logger } from 'pino';
import { Failure } from '../domain/failures.ts';
import { forkedFlow, resumedFlow } from '../domain/flow-resume.ts';
import { type Caller, holds, mayAnswer } from '../domain/identity.ts';
import { filesAtStep } from '../domain/inheritance.ts';
import { boundOfCaller, narrowed, within } from '../domain/rights.ts';
import type { Trigger } from '../domain/run.ts';
import { budgetOfPlan, demandFitting, type RunDefinition } from '../domain/run-definition.ts';
import type { BudgetBody, ForkRun, ResumeRun, StartRun } from '../domain/run-requests.ts';
import type { WorkflowDefinition } from '../domain/workflow-definition.ts';
import { leaseIdOf, rootOf } from '../store/checkout-leases.ts';
import { keptBelow, newestKept } from '../store/checkout-snapshots.ts';
import { RunLog } from '../store/event-log.ts';
import { allEntries } from '../store/log-reading.ts';
import { draftDefinitionRun } from '../store/run-drafts.ts';
import { completeRecord, type RunRecord } from '../store/run-record.ts';
import { permitted } from '../store/run-tools.ts';
import { currentRun } from '../store/runs.ts';
import { findWorkflow, findWorkflowByName } from '../store/workflow-source.ts';
import type { RunStarter } from '../workflows/start.ts';
import { begin, type Draft, filesOfFormer, inherit, type NewId } from './begun-runs.ts';
import { demandEnded, demandStep, filesForFork } from './forked-files.ts';

/** Which workflow, with what; from a person, a schedule or a webhook. */
export interface DefinitionStart {
  workflow_id?: string | undefined;
  workflow?: string | undefined;
  workspace_id?: string | undefined;
  input: unknown;
  notebook_id?: string | undefined;
  budget?: BudgetBody | undefined;
  trigger_type?: Trigger | undefined;
}

interface Origin {
  /** What it is said to come from; who asks where nothing else is given. */
  source?: string | undefined;
}

export const isOfWorkflow = ({ workflow_id, workflow }: Pick<StartRun, 'workflow_id' | 'workflow'>): boolean =>
  workflow_id !== undefined || workflow !== undefined;

/** How the files of its checkout stood last: a step that an agent did has told it in the log of that run alone. */
const keptBy = async (run: RunRecord): Promise<string | null> =>
  run.notebook_kind === 'git'
    ? ((await newestKept(rootOf(run), run.notebook_id ?? '', leaseIdOf(run)))?._id ?? null)
    : null;

/** The same workflow, as it was, for whoever asks now: with no more rights than the run had, nor than the caller has. */
function again(caller: Caller, run: RunRecord, id: string) {
  const bound = narrowed(run.bound, boundOfCaller(holds(caller, run.workspace_id, 'write')));
  const agent = within(run.agent, bound);
  return {
    id,
    agent,
    bound,
    delegates: [],
    tools: permitted(agent, run.tools),
    notebook: run.notebook_id && run.notebook_kind ? { id: run.notebook_id, kind: run.notebook_kind } : null,
    trigger_type: 'sdk' as const,
    trigger_source: `user: ${caller.name}`,
    output_schema: null,
    line: [id],
  };
}

/** Everything that begins a run of a workflow: a new one, one that goes on where another failed, one that goes another way. */
export class DefinitionStarts {
  constructor(
    private readonly starter: RunStarter,
    private readonly logger: Logger,
    /** Where forks get a tree of files of their own. */
    private readonly forksDir: string,
  ) {}

  async start(caller: Caller, body: DefinitionStart, newId: NewId, origin: Origin = {}): Promise<RunRecord> {
    const workflow = await this.target(caller, body);
    const wanted = { ...body, trigger_type: body.trigger_type ?? ('sdk' as const) };
    const draft = await draftDefinitionRun(caller, workflow, wanted, newId('run'));
    return this.begin(caller, { ...draft, ...(origin.source ? { trigger_source: origin.source } : {}) });
  }

  /** Runs what is stored nowhere: nobody has looked it over, so its changes wait for a person. */
  async startUnsaved(
    caller: Caller,
    workflow: WorkflowDefinition,
    body: DefinitionStart,
    newId: NewId,
    source: string,
  ): Promise<RunRecord> {
    const wanted = { ...body, trigger_type: body.trigger_type ?? ('sdk' as const) };
    const draft = await draftDefinitionRun(caller, workflow, wanted, newId('run'), true);
    return this.begin(caller, { ...draft, trigger_source: source });
  }

  private target(
    caller: Caller,
    { workflow_id, workflow = '', workspace_id }: DefinitionStart,
  ): Promise<WorkflowDefinition> {
    return workflow_id ? findWorkflow(caller, workflow_id) : findWorkflowByName(caller, workflow, workspace_id);
  }

  /** Goes on where a run failed: what its steps gave is taken over, and none that was completed is done again. */
  async resume(caller: Caller, runId: string, body: ResumeRun, newId: NewId): Promise<RunRecord> {
    const { run, definition } = await this.former(caller, runId);
    if (run.status !== 'failed') {
      throw new Failure('not_failed', `The run ${runId} is ${run.status}, not failed.`, { status: run.status });
    }
    const { state } = await RunLog.open({ run_id: runId, workspace_id: run.workspace_id });
    const { fact, from_step } = resumedFlow(runId, definition.plan, state, body);
    const id = newId('run');
    await inherit(id, run, fact);
    return this.begin(caller, {
      ...again(caller, run, id),
      definition,
      budget: budgetOfPlan(definition.plan, body.budget),
      input: run.input,
      parent: { run_id: runId, relation: 'resume', step: from_step },
      ...filesOfFormer(run, await keptBy(run)),
    });
  }

  /** Goes another way from any step of a run that has ended, on a tree of files as it was when that step began. */
  async fork(caller: Caller, runId: string, body: ForkRun, newId: NewId): Promise<RunRecord> {
    const { run, definition } = await this.former(caller, runId);
    const { plan } = definition;
    demandEnded(run);
    for (const field of ['model', 'system_prompt'] as const) {
      if (body[field] === undefined) continue;
      const said = `A workflow has no ${field} of its own: change the agent of the step, or its input.`;
      throw new Failure('invalid_request', said, { field });
    }
    const input = body.input ?? run.input;
    demandFitting(run.agent_name, plan.input_schema, input);
    const entries = await allEntries(runId);
    if (body.step !== undefined) demandStep(run, entries, body.step);
    const { fact, step } = forkedFlow(runId, plan, entries, body);
    const id = newId('run');
    const draft = again(caller, run, id);
    await inherit(id, run, fact);
    const snapshot = filesAtStep(entries, step, await keptBelow(run));
    return this.begin(caller, {
      ...draft,
      ...(await filesForFork(caller, run, draft, snapshot, this.forksDir)),
      definition,
      budget: budgetOfPlan(plan, body.budget),
      input,
      parent: { run_id: runId, relation: 'fork', step: body.from_step ?? step },
    });
  }

  private async former(caller: Caller, runId: string): Promise<{ run: RunRecord; definition: RunDefinition }> {
    const run = completeRecord(await currentRun(caller, runId));
    const { definition } = run;
    if (!definition) throw new Failure('conflict', `The run ${runId} is not the run of a workflow.`, { run_id: runId });
    // A plan that is stored nowhere was made for whoever asked, of what only they may use.
    if (!mayAnswer(caller, run)) await findWorkflow(caller, run.definition_id ?? '');
    return { run, definition };
  }

  private begin = (caller: Caller, draft: Draft): Promise<RunRecord> => begin(this.starter, this.logger, caller, draft);
}
