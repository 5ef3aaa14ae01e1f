import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { InspectInput } from '../domain/mcp.ts';
import { inspectOptions } from './activity-options.ts';

/** Somebody waits for it: what could not be reached is told, not tried again. */
export async function inspectMcp(input: InspectInput): Promise<void> {
  const { inspect } = proxyActivities<Activities>(inspectOptions());
  await inspect(input);
}
