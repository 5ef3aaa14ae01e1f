import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { EmbedQueryInput, EmbedQueryOutcome } from '../domain/embedding.ts';
import { embedQueryOptions } from './activity-options.ts';

/** Somebody waits for it: what could not be asked is told, not tried again. */
export function embedQuery(input: EmbedQueryInput): Promise<EmbedQueryOutcome> {
  return proxyActivities<Activities>(embedQueryOptions).embedQuery(input);
}
