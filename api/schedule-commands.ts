import type { Logger } from 'pino';
import { nextTimes } from '../domain/cron.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { seedOfScheduled } from '../domain/run-id.ts';
import type { ChangeSchedule, CreateSchedule, Overlap, Schedule } from '../domain/schedule.ts';
import { newId } from '../store/ids.ts';
import { loadRun } from '../store/run-upkeep.ts';
import type { ScheduleDoc } from '../store/schedule-record.ts';
import { forgetSchedule, loadSchedule, scheduleApplied, schedulesToCheck } from '../store/schedule-upkeep.ts';
import { changeSchedule, createSchedule, deleteSchedule, demandOwnSchedule, findSchedule } from '../store/schedules.ts';
import { applySchedule, backfillSchedule, dropSchedule, fireSchedule, knownVersion } from '../workflows/schedules.ts';
import type { RunStarter } from '../workflows/start.ts';

/** How long who asks is kept waiting for Temporal; afterwards it is brought in line behind their back. */
const PATIENCE_MS = 5_000;
const FIRE_PATIENCE_MS = 3_000;
const LOOK_MS = 50;
const AT_ONCE = 10;
const MOST_BACKFILLED = 100;
/** Longer than anybody who was about to tell Temporal of it can still be alive. */
const KEEP_DELETED_MS = 86_400_000;

/** Record first, then Temporal: whoever dies in between, the record says what is wanted, and somebody brings it about. */
export class ScheduleCommands {
  constructor(
    private readonly starter: RunStarter,
    private readonly logger: Logger,
  ) {}

  async create(caller: Caller, body: CreateSchedule & { id: string }): Promise<Schedule> {
    const { id } = await createSchedule(caller, body);
    await this.soon(id);
    return findSchedule(caller, id);
  }

  async change(caller: Caller, id: string, body: ChangeSchedule, expected: number | null): Promise<Schedule> {
    await changeSchedule(caller, id, body, expected);
    await this.soon(id);
    return findSchedule(caller, id);
  }

  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    await deleteSchedule(caller, id, expected);
    await this.soon(id);
  }

  async fire(caller: Caller, id: string, wanted: Overlap | undefined) {
    const { overlap } = await demandOwnSchedule(caller, id, 'run');
    await this.bringInLine(id);
    const fired = await fireSchedule(this.starter.client, id, wanted ?? overlap, FIRE_PATIENCE_MS);
    const told = { schedule_id: id, run_id: null, error: null };
    if (fired.outcome !== 'started') return { ...told, outcome: fired.outcome };
    const run_id = newId('run', seedOfScheduled(fired.workflow_id));
    const came = await this.cameOf(fired.workflow_id, run_id);
    if (came === 'run') return { ...told, outcome: 'started' as const, run_id };
    // Who is given an id may look for the run at once: none is given out before there is one.
    if (came === 'later') return { ...told, outcome: 'requested' as const };
    return { ...told, outcome: 'refused' as const, error: (await findSchedule(caller, id)).last_error };
  }

  /** Whether what was fired has made its run; it does so at once, or finds that it cannot. */
  private async cameOf(workflowId: string, runId: string): Promise<'run' | 'nothing' | 'later'> {
    const handle = this.starter.client.workflow.getHandle(workflowId);
    for (const end = Date.now() + FIRE_PATIENCE_MS; Date.now() < end; ) {
      if (await loadRun(runId)) return 'run';
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') return (await loadRun(runId)) ? 'run' : 'nothing';
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return 'later';
  }

  async backfill(
    caller: Caller,
    id: string,
    { start, end, overlap: wanted }: { start: Date; end: Date; overlap?: Overlap | undefined },
  ) {
    const { cron_expression, time_zone, overlap } = await demandOwnSchedule(caller, id, 'backfill');
    if (end < start) throw refuse('end_at', 'it is before start_at');
    if (end.getTime() > Date.now()) throw refuse('end_at', 'only times that have passed can be made up for');
    const found = nextTimes(cron_expression, time_zone, new Date(start.getTime() - 1), MOST_BACKFILLED + 1);
    const times = found.filter((time) => time <= end);
    if (times.length === 0) throw refuse('start_at', 'the schedule has no time between the two');
    if (times.length > MOST_BACKFILLED) throw refuse('start_at', `at most ${MOST_BACKFILLED} times at once`);
    await this.bringInLine(id);
    // One after the other where they must not run beside each other: none of them is to be left out.
    const policy = wanted ?? (overlap === 'allow_all' ? 'allow_all' : 'buffer_all');
    const [first = start] = times;
    await backfillSchedule(this.starter.client, id, { start: first, end: times.at(-1) ?? end, overlap: policy });
    return { schedule_id: id, times: times.map((time) => time.toISOString()) };
  }

  /** For who asks: what does not work now is done later. */
  private async soon(id: string): Promise<void> {
    const late = new Promise<never>((_, fail) => {
      setTimeout(fail, PATIENCE_MS, new Error('Temporal took too long')).unref();
    });
    await Promise.race([this.bringInLine(id), late]).catch((err: unknown) =>
      this.logger.warn({ err, schedule_id: id }, 'the schedule will be brought in line later'),
    );
  }

  /** Ends when what Temporal has is what is wanted: whoever comes late with an older version corrects it again. */
  private async bringInLine(id: string, isDoubted = false): Promise<void> {
    for (let told: number | null = isDoubted ? 0 : null; ; ) {
      const wanted = await loadSchedule(id);
      if (!wanted) return told === null ? undefined : dropSchedule(this.starter.client, id);
      const { version, applied_version, deleted_at } = wanted;
      if (applied_version === version && (told === null || told === version)) return;
      if (deleted_at) await dropSchedule(this.starter.client, id);
      else await applySchedule(this.starter, wanted);
      told = version;
      await scheduleApplied(id, version);
    }
  }

  private async isInLine({ _id, version, applied_version, deleted_at }: ScheduleDoc): Promise<boolean> {
    if (applied_version !== version) return false;
    return (await knownVersion(this.starter.client, _id)) === (deleted_at ? null : version);
  }

  /** What fell between the record and Temporal, and what Temporal has lost or was told last by somebody who died. */
  async reconcile(before: { changed: Date; compared: Date; now: Date }, limit: number): Promise<number> {
    const found = await schedulesToCheck(before, limit);
    for (let n = 0; n < found.length; n += AT_ONCE) {
      await Promise.all(found.slice(n, n + AT_ONCE).map((schedule) => this.compare(schedule)));
    }
    return found.length;
  }

  private async compare(schedule: ScheduleDoc): Promise<void> {
    if (await this.isInLine(schedule)) return forgetSchedule(schedule._id, new Date(Date.now() - KEEP_DELETED_MS));
    this.logger.info({ schedule_id: schedule._id }, 'bringing a schedule in line with its record');
    await this.bringInLine(schedule._id, true);
  }
}

const refuse = (field: string, message: string): Failure =>
  new Failure('invalid_request', `${field}: ${message}.`, { in: 'body', fields: { [field]: message } });
