import type { RunRecord } from '../store/run-record.ts';
import { loadRun } from '../store/run-upkeep.ts';

/** Far more than this process starts at once; what nobody came for is forgotten. */
const MOST = 500;

/** Records asked for while the workflow that will need them is still telling the server so. */
export class RecordsAhead {
  private readonly coming = new Map<string, Promise<RunRecord | null>>();

  ask(id: string): void {
    const [oldest] = this.coming.keys();
    if (this.coming.size >= MOST && oldest !== undefined) this.coming.delete(oldest);
    const record = loadRun(id);
    // Whoever takes it asks again where this failed.
    this.coming.set(
      id,
      record.catch(() => null),
    );
  }

  async take(id: string): Promise<RunRecord | null> {
    const record = this.coming.get(id);
    this.coming.delete(id);
    return (await record) ?? loadRun(id);
  }
}
