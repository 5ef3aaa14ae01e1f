import { z } from 'zod';
import { CHANGE_STATUSES, type ChangeStatus, type FileLog } from './change.ts';
import { withStatuses } from './change-log.ts';

const status = z.enum(CHANGE_STATUSES);

/** A step that can be undone: statuses before and after, of one change or many, by its id. */
const stepSchema = z.record(z.string(), z.object({ from: status, to: status }));
export type Step = z.infer<typeof stepSchema>;

/** What a person did in the review of a file, and has undone since. */
export const reviewHistorySchema = z.object({ done: z.array(stepSchema), undone: z.array(stepSchema) });
export type ReviewHistory = z.infer<typeof reviewHistorySchema>;
export const NO_HISTORY: ReviewHistory = { done: [], undone: [] };

const MOST_STEPS = 1000;

interface Reviewed {
  log: FileLog;
  history: ReviewHistory;
}

const did = (history: ReviewHistory, step: Step): ReviewHistory =>
  Object.keys(step).length === 0 ? history : { done: [...history.done, step].slice(-MOST_STEPS), undone: [] };

/** A decision. The step names only what it changed; deciding anew forgets what was undone. */
export function decide(
  log: FileLog,
  history: ReviewHistory,
  statuses: Readonly<Record<string, ChangeStatus>>,
): Reviewed {
  const step: Step = {};
  for (const { id, status: from } of log.changes) {
    const to = statuses[id];
    if (to !== undefined && to !== from) step[id] = { from, to };
  }
  return { log: withStatuses(log, statuses), history: did(history, step) };
}

/** A manual edit, as a step: undone, its changes are rejected; done again, they are what they were. */
export const edited = (history: ReviewHistory, added: readonly { id: string; status: ChangeStatus }[]): ReviewHistory =>
  did(history, Object.fromEntries(added.map(({ id, status: to }) => [id, { from: 'rejected', to }])));

/** What was decided about a change that was split since was decided about its parts. */
export function splitIn({ done, undone }: ReviewHistory, id: string, parts: readonly string[]): ReviewHistory {
  const inStep = (step: Step): Step => {
    const { [id]: whole, ...others } = step;
    return whole ? { ...others, ...Object.fromEntries(parts.map((part) => [part, whole])) } : step;
  };
  return { done: done.map(inStep), undone: undone.map(inStep) };
}

const to = (step: Step, end: 'from' | 'to'): Record<string, ChangeStatus> =>
  Object.fromEntries(Object.entries(step).map(([id, ends]) => [id, ends[end]]));

/** Null where there is nothing to undo. */
export function undo(log: FileLog, { done, undone }: ReviewHistory): Reviewed | null {
  const step = done.at(-1);
  if (!step) return null;
  return { log: withStatuses(log, to(step, 'from')), history: { done: done.slice(0, -1), undone: [...undone, step] } };
}

/** Null where there is nothing to do again. */
export function redo(log: FileLog, { done, undone }: ReviewHistory): Reviewed | null {
  const step = undone.at(-1);
  if (!step) return null;
  return { log: withStatuses(log, to(step, 'to')), history: { done: [...done, step], undone: undone.slice(0, -1) } };
}
