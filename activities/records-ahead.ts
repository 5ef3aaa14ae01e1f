import type { NotebookFiles } from '../files/notebook-files.ts';
import type { RunRecord } from '../store/run-record.ts';
import { loadRun } from '../store/run-upkeep.ts';
import type { AgentSecrets } from './agent-secrets.ts';

/** Far more than this process starts at once; what nobody came for is forgotten. */
const MOST = 500;

/** A record, and what the first step of its run will wait for: under way since the record was there. */
export interface Begun {
  run: RunRecord;
  secrets: AgentSecrets;
  files: Promise<NotebookFiles> | null;
}

/** Records asked for while the workflow that will need them is still telling the server so. */
export class RecordsAhead {
  private readonly coming = new Map<string, Promise<Begun | null>>();
  private begin: ((run: RunRecord) => Begun) | null = null;

  /** How to begin what a run will wait for, as whoever carries runs on knows it. */
  beginWith(begin: (run: RunRecord) => Begun): void {
    this.begin = begin;
  }

  private async load(id: string, isAhead = false): Promise<Begun | null> {
    const run = await loadRun(id);
    // A fork gets its files made: by whoever carries it on, and by nobody else at the same time.
    if (!run || (isAhead && run.files_from)) return null;
    return this.begin?.(run) ?? null;
  }

  ask(id: string): void {
    const [oldest] = this.coming.keys();
    if (this.coming.size >= MOST && oldest !== undefined) this.coming.delete(oldest);
    // Whoever takes it asks again where this failed.
    this.coming.set(
      id,
      this.load(id, true).catch(() => null),
    );
  }

  async take(id: string): Promise<Begun | null> {
    const begun = this.coming.get(id);
    this.coming.delete(id);
    return (await begun) ?? this.load(id);
  }
}
