import { type FailureCode, type RunError, runError } from './failures.ts';
import type { StepState } from './flow-state.ts';
import type { FlowStep, RetryRule } from './workflow-definition.ts';

/** What will not be better for being tried again. */
const FINAL: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'bad_mapping',
  'denied',
  'interrupted',
  'invalid_arguments',
  'scope_violation',
  'unknown_tool',
]);

/** A run below that was cancelled, or had no budget left, would be no better off a second time. */
const isFinal = (error: RunError | null): boolean =>
  error !== null && (FINAL.has(error.code) || ['cancelled', 'budget_exceeded'].includes(String(error.details.status)));

const NO_RETRY: RetryRule = { max_attempts: 1, delay: 0, backoff: 1, max_delay: 0 };
const retryOf = (step: FlowStep): RetryRule => ('retry' in step && step.retry ? step.retry : NO_RETRY);
/** Null where it will not be tried again. */
export function nextTryAt(step: FlowStep, state: StepState): number | null {
  const { max_attempts, delay, backoff, max_delay } = retryOf(step);
  if (state.attempt >= max_attempts || isFinal(state.error)) return null;
  const wait = Math.min(delay * backoff ** (state.attempt - 1), Math.max(delay, max_delay));
  return Date.parse(state.ended_at ?? state.begun_at) + wait * 1000;
}

export const deadlineOf = (step: FlowStep, state: StepState): number | null =>
  'timeout' in step && step.timeout !== undefined ? Date.parse(state.begun_at) + step.timeout * 1000 : null;

export const timedOut = (step: FlowStep): RunError =>
  runError('step_timeout', `The step ${step.id} took longer than it may.`, true, {
    timeout: 'timeout' in step ? step.timeout : null,
  });

/** It has failed for good, and what comes after it goes on without it. */
export const isTolerated = (step: FlowStep, state: StepState): boolean =>
  state.status === 'failed' &&
  step.type !== 'map' &&
  'on_error' in step &&
  step.on_error === 'continue' &&
  nextTryAt(step, state) === null;
