import { z } from 'zod';

/** Of a run that begins afresh. Known before anything is made, so that whoever comes after a crash finds the same one. */
export const branchOf = (runId: string): string => `longhaul/${runId}`;

/** Runs of one tree work on one checkout: what one of them changes, the others see. */
export const checkoutId = (rootRunId: string, notebookId: string): string => `${rootRunId}:${notebookId}`;

export const queueOf = (executorId: string): string => `exec:${executorId}`;

/** What a run shows of its checkout. */
export const checkoutSchema = z.object({
  /** `waiting` for an executor, `ready`, or `released` once the run has ended. */
  state: z.enum(['waiting', 'ready', 'released']),
  branch: z.string(),
  /** Of the notebook's branch when the files were checked out. */
  base_commit: z.string().nullable(),
  /** The executor that has the files, or had them last. */
  executor: z.string().nullable(),
  /** How many executors have had them. */
  epoch: z.int(),
});

/** A process that carries runs on git notebooks, because their files are there. */
export const executorSchema = z.object({
  id: z.string(),
  host: z.string(),
  queue: z.string(),
  state: z.enum(['alive', 'draining', 'silent']),
  /** Checkouts it has. */
  checkouts: z.int(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
});
export type Executor = z.infer<typeof executorSchema>;
