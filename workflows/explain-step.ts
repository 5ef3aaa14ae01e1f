import { proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { ExplainInput, ExplainOutcome } from '../domain/rationale.ts';
import { explainOptions } from './activity-options.ts';

const MOST_TRIES = 4;
const LONGEST_WAIT_MS = 20_000;

/** Somebody waits for it: after a few tries it says what is wrong instead of going on for ever. */
export async function explainStep(input: ExplainInput): Promise<ExplainOutcome> {
  const { explain } = proxyActivities<Activities>(explainOptions(input.heartbeat_ms));
  for (let tried = 1; ; tried++) {
    const outcome = await explain(input);
    if (outcome.is !== 'failed' || outcome.retry_after_ms === null || tried >= MOST_TRIES) return outcome;
    await sleep(Math.min(outcome.retry_after_ms, LONGEST_WAIT_MS));
  }
}
