import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import { runError } from '../domain/failures.ts';
import type { RunStatus } from '../domain/run.ts';
import { workflowIdOf } from '../domain/run-id.ts';
import { RunLog } from '../store/event-log.ts';
import { projectRun } from '../store/run-projection.ts';
import type { RunRecord } from '../store/run-record.ts';
import { clearWake, runsToCheck, runsToWake } from '../store/run-upkeep.ts';
import { look } from '../workflows/messages.ts';
import { type RunStarter, startAgentRun } from '../workflows/start.ts';

/** Longer than any start or signal takes that is still under way. */
const GRACE_MS = 3_000;
const CHECK_EVERY_MS = 30_000;
const ROUND_MS = 2_000;
const BATCH = 100;
const OPEN: RunStatus[] = ['running', 'awaiting_confirmation', 'waiting_for_user', 'awaiting_review', 'paused'];

/**
 * Finds what fell between the store and Temporal when a process died: runs recorded and never started, answers
 * appended and never signalled, and workflows that ended without their log being told.
 */
export class Reconciler {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly starter: RunStarter,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.round = this.round
        .then(() => this.once())
        .catch((err: unknown) => this.logger.warn({ err }, 'reconciling failed'));
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  async once(now = Date.now()): Promise<void> {
    for (const run of await runsToWake(new Date(now - GRACE_MS), BATCH)) await this.wake(run);
    for (const run of await runsToCheck(['queued'], new Date(now - GRACE_MS), BATCH)) await this.settle(run);
    const quiet = new Date(now - CHECK_EVERY_MS);
    const open = await runsToCheck(OPEN, quiet, BATCH);
    for (const run of open) await this.settle(run);
  }

  private async wake(run: RunRecord): Promise<void> {
    if (run.wake_since === null) return;
    try {
      await this.client.workflow.getHandle(workflowIdOf(run._id)).signal(look);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await this.settle(run);
    }
    await clearWake(run._id, run.wake_since);
  }

  private async settle(run: RunRecord): Promise<void> {
    const log = await RunLog.open({ run_id: run._id, workspace_id: run.workspace_id });
    if (log.state.ended) return projectRun(log);
    const state = await this.workflowState(run._id);
    if (state === 'running') return;
    // One that came to its end with nothing in the log gave up before the record was there: nothing was done yet.
    const gaveUp = state === 'completed' && log.state.n === 0;
    if (gaveUp || (log.state.started_at === null && state === 'missing')) {
      this.logger.info({ run_id: run._id }, 'starting a run that was recorded and never started');
      const { _id: run_id, workspace_id, definition_id } = run;
      await startAgentRun(this.starter, { run_id, workspace_id, definition_id }, { again: gaveUp });
      return;
    }
    this.logger.error({ run_id: run._id, state }, 'the workflow of a run is gone');
    const error = runError('engine_lost', 'The workflow of this run ended without finishing it.', true);
    await log.append((current) => (current.ended ? null : [{ kind: 'ended', status: 'failed', output: null, error }]));
    await projectRun(log);
  }

  private async workflowState(runId: string): Promise<'running' | 'completed' | 'ended' | 'missing'> {
    try {
      const { status } = await this.client.workflow.getHandle(workflowIdOf(runId)).describe();
      if (status.name === 'RUNNING') return 'running';
      return status.name === 'COMPLETED' ? 'completed' : 'ended';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'missing';
      throw error;
    }
  }
}
