import { createHash } from 'node:crypto';
import type { Eligible } from '../domain/dispatch-candidates.ts';
import { Shortlist } from '../domain/routing.ts';

/** Each holds the words of everything a caller may use: few are kept. */
const MOST = 30;

/** Making hundreds of candidates searchable takes longer than searching them: who asks again finds it made. */
export class Shortlists {
  private readonly kept = new Map<string, Shortlist>();

  of(candidates: readonly Eligible[]): Shortlist {
    const hash = createHash('sha256');
    for (const { id, name, description, scopes, examples } of candidates) {
      hash.update(JSON.stringify([id, name, description, scopes, examples]));
    }
    const key = hash.digest('base64');
    const shortlist = this.kept.get(key) ?? new Shortlist(candidates);
    // The one that was used longest ago goes first.
    this.kept.delete(key);
    this.kept.set(key, shortlist);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST && oldest !== undefined) this.kept.delete(oldest);
    return shortlist;
  }
}
