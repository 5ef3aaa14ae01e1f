import type { Logger } from 'pino';
import { isFailure } from '../domain/failures.ts';
import { callerOf } from '../store/callers.ts';
import type { TaskDoc } from '../store/task-record.ts';
import { endTask, settleTasks, tasksToCheck } from '../store/task-upkeep.ts';
import type { RunCommands } from './run-commands.ts';
import { startTaskRun } from './task-runs.ts';

const ROUND_MS = 2_000;
/** Longer than any start takes that is still under way. */
const GRACE_MS = 5_000;
const BATCH = 500;

/**
 * Brings tasks to the end their runs came to, and starts the runs of assignments whose process died before it had.
 * Every API process looks; what one has looked at, the others leave alone for a round.
 */
export class TaskUpkeep {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();

  constructor(
    private readonly runs: RunCommands,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.round = this.round
        .then(() => this.once())
        .catch((err: unknown) => this.logger.warn({ err }, 'looking after tasks failed'));
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.round;
  }

  async once(now = Date.now()): Promise<void> {
    const orphans = await settleTasks(await tasksToCheck(new Date(now - ROUND_MS / 2), BATCH));
    for (const task of orphans) {
      if (task.updated_at.getTime() < now - GRACE_MS) await this.startAgain(task);
    }
  }

  private async startAgain(task: TaskDoc): Promise<void> {
    const { _id, run_id, assigned_to, assigned_by } = task;
    if (run_id === null || assigned_to === null || assigned_by === null) return;
    this.logger.info({ task_id: _id, run_id }, 'starting the run of a task that was assigned and never started');
    const fail = (why: string) =>
      endTask(_id, run_id, { status: 'failed', error_message: `It could not be started: ${why}` });
    const caller = await callerOf(assigned_by);
    if (!caller) return fail('who assigned it is no longer there.');
    const to = { agentId: assigned_to, newId: () => run_id };
    await startTaskRun(this.runs, caller, task, to).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return fail(error.message);
    });
  }
}
