import type { Client } from '@temporalio/client';
import { workflowIdOf } from '../../domain/run-id.ts';

export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];

export const eventsOf = (history: History): HistoryEvent[] => history.events ?? [];

/** Every history of a run, from its first to the one it is in. */
export const historiesOf = (client: Client, runId: string): Promise<History[]> =>
  historiesUnder(client, workflowIdOf(runId));

export async function historiesUnder(client: Client, workflowId: string): Promise<History[]> {
  const found: History[] = [];
  let execution: string | undefined;
  do {
    const history = await client.workflow.getHandle(workflowId, execution).fetchHistory();
    found.unshift(history);
    execution = eventsOf(history)[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  } while (execution !== undefined);
  return found;
}

/** How often the run was carried on. */
export const segmentsIn = (histories: History[]): number =>
  histories.flatMap(eventsOf).filter((event) => event.activityTaskScheduledEventAttributes).length;

/** All payloads of a history, wherever they are. */
export function payloadsOf(value: unknown): Buffer[] {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Uint8Array) return [];
  if ('data' in value && 'metadata' in value && value.data instanceof Uint8Array) return [Buffer.from(value.data)];
  return Object.values(value).flatMap(payloadsOf);
}

/**
 * A history as it was kept by JSON.stringify, read by the class of another one: the reader that the SDK has needs the
 * protobuf library in one copy, and npm may install two.
 */
export function readHistory(json: string, like: History): History {
  const type = like.constructor as { fromObject?: (plain: unknown) => History };
  const history = type.fromObject?.(JSON.parse(json));
  if (!history) throw new Error('a history as the client gives it is expected');
  return history;
}
