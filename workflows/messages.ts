import { defineQuery, defineSignal, type Sinks } from '@temporalio/workflow';

/**
 * Signals name what was answered; the answer itself is in the log, appended before the signal is sent. So a signal
 * lost with the process that sent it is sent again by the reconciler, and one that comes twice changes nothing.
 */
export const confirmation = defineSignal<[{ action_id: string }]>('confirmation');
export const clarification = defineSignal<[{ question_id: string }]>('clarification');
/** A proposal was sent back or is to be applied; decisions about single hunks need nobody to wake. */
export const review = defineSignal<[{ review_id: string }]>('review');
export const steering = defineSignal<[{ message_id: string }]>('steering');
export const cancellation = defineSignal<[]>('cancellation');
/** From the reconciler, which knows that something was appended, not what. */
export const look = defineSignal<[]>('look');

export interface Position {
  segment: number;
  waiting_for: string[];
}
export const position = defineQuery<Position>('position');

/** Tells its worker which record it is about to need; nothing depends on anybody listening. */
export interface RunSinks extends Sinks {
  records: { soon(run_id: string): void };
}

export const AGENT_RUN = 'agentRun';
export const DEFINITION_RUN = 'definitionRun';
export const SCHEDULED_RUN = 'scheduledRun';
