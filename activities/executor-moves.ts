import type { Logger } from 'pino';
import type { SegmentOutcome } from '../domain/segment.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import { claimExecutor, leaseIdOf, loadLease } from '../store/checkout-leases.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { Checkouts } from './checkouts.ts';
import type { CachedRun } from './run-cache.ts';
import { type Segment, toolContext } from './segment.ts';

/** How soon a run that no executor takes asks again. */
const NO_EXECUTOR_MS = 1_000;

/** To the executor that has the run's files, or is to have them. Null where there is none. */
export async function sendOn(run: RunRecord, lost: string | undefined): Promise<SegmentOutcome | null> {
  const claimed = await claimExecutor(run, lost ?? null);
  return claimed && { next: 'executor', queue: claimed.queue };
}

/** Of a run on a git notebook: where it is to go from here. Null where nothing of it needs files any more. */
export async function sendOrWait(
  logger: Logger,
  { run, log }: CachedRun,
  lost?: string,
): Promise<SegmentOutcome | null> {
  if (run.notebook_kind !== 'git' || log.state.ended || log.state.cancel_requested) return null;
  const goes = await sendOn(run, lost);
  if (goes) return goes;
  logger.warn({ run_id: run._id }, 'no executor takes a run on a git notebook; it waits for one');
  return { next: 'retry', after_ms: NO_EXECUTOR_MS };
}

/** The files of a run on a git notebook, where this executor has them or is to have them; false where it is not. */
export async function openCheckout(checkouts: Checkouts, segment: Segment): Promise<boolean> {
  const { run, log } = segment;
  if (log.state.ended || log.state.cancel_requested) return true;
  const lease = await loadLease(leaseIdOf(run));
  if (lease?.executor_id !== checkouts.executorId) return false;
  const checkout = await checkouts.open(run, log, lease);
  segment.checkout = checkout;
  segment.secrets.learn(checkout.secrets);
  const files = await NotebookFiles.at(checkout.dir);
  segment.tools = Promise.resolve(toolContext(run, files, segment.signal, checkout));
  segment.show();
  return true;
}
