import { watchLog } from '../store/log-watch.ts';

/** Segments under way in this process, so that a cancel reaches a model call or a tool at once. */
export class Interrupts {
  private readonly running = new Map<string, Set<AbortController>>();

  register(run: string, controller: AbortController): () => void {
    const set = this.running.get(run) ?? new Set();
    this.running.set(run, set.add(controller));
    return () => {
      set.delete(controller);
      if (set.size === 0) this.running.delete(run);
    };
  }

  interrupt(run: string): void {
    for (const controller of this.running.get(run) ?? []) controller.abort(new Error('the run was cancelled'));
  }
}

/** Follows the log for cancels, which whoever is asked appends there; a segment that begins later sees them itself. */
export const interruptCancelled = (interrupts: Interrupts, onError: (error: unknown) => void): (() => Promise<void>) =>
  watchLog(
    {
      kinds: ['cancel_requested'],
      entry: (run) => interrupts.interrupt(run),
      gap: () => undefined,
    },
    onError,
  );
