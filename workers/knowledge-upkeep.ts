import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Embedder, MOST_TEXTS } from '../activities/models/embedder.ts';
import { isFailure } from '../domain/failures.ts';
import {
  claimUnembedded,
  embeddingHolders,
  endEmbedding,
  freeHeldBy,
  keepVectors,
  passagesToEmbed,
  postponeEmbedding,
  type VectorClaim,
} from '../store/knowledge-vectors.ts';
import { identityText, isDeadNeighbour, ownIdentity, readIdentity } from './identity.ts';

const ROUND_MS = 2_000;
const CALL_MS = 60_000;
/** Renewed with every batch, and longer than one may take: whoever holds a source beyond it is dead. */
const LEASE_MS = 120_000;
const RETRY_MS = 15_000;
/** A key or a name that is wrong is not right again in a moment. */
const REFUSED_MS = 300_000;

function waitAfter(error: unknown): number {
  if (!isFailure(error) || error.details.retryable !== true) return REFUSED_MS;
  const { retry_after_ms } = error.details;
  return Math.max(typeof retry_after_ms === 'number' ? retry_after_ms : 0, RETRY_MS);
}

/**
 * Gives every passage a vector of the model that is set, a batch at a time: what is stored is never bought again, also
 * by who goes on after this worker died. Another model makes them all anew.
 */
export class KnowledgeUpkeep {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  private readonly self = ownIdentity();
  private readonly by = `${randomUUID()} ${identityText(this.self)}`;

  constructor(
    private readonly embedder: Embedder,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.round = this.once()
        .catch((err: unknown) => this.logger.warn({ err }, 'looking for documents without vectors failed'))
        .then(() => {
          if (!this.stopping.signal.aborted) this.start();
        });
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  /** Until there is nothing left to do, or to try now. */
  async once(now: () => number = Date.now): Promise<void> {
    await this.freeDead();
    while (!this.stopping.signal.aborted) {
      const at = now();
      const claim = await claimUnembedded(this.embedder.model, this.by, new Date(at), new Date(at + LEASE_MS));
      if (!claim) return;
      try {
        await this.embedSource(claim, now);
      } catch (err) {
        const stopped = this.stopping.signal.aborted;
        const wait = stopped ? 0 : waitAfter(err);
        await postponeEmbedding(claim, new Date(now() + wait));
        if (stopped) return;
        this.logger.warn({ err, source_id: claim.source, wait_ms: wait }, 'a document has not all its vectors yet');
      }
    }
  }

  private async freeDead(): Promise<void> {
    for (const by of await embeddingHolders()) {
      const holder = readIdentity(by.slice(by.indexOf(' ') + 1));
      if (holder && isDeadNeighbour(holder, this.self)) await freeHeldBy(by);
    }
  }

  private async embedSource(claim: VectorClaim, now: () => number): Promise<void> {
    for (let after = -1; ; ) {
      const { wanted, last } = await passagesToEmbed(claim, after, MOST_TEXTS);
      if (last === null) return endEmbedding(claim);
      after = last;
      if (wanted.length === 0) continue;
      const texts = wanted.map(({ text }) => text);
      const options = { signal: this.stopping.signal, timeoutMs: CALL_MS };
      const vectors = await this.embedder.embed(texts, 'document', options);
      const kept = wanted.flatMap((passage, index) => {
        const vector = vectors[index];
        return vector ? { passage, vector } : [];
      });
      if (!(await keepVectors(claim, kept, new Date(now() + LEASE_MS)))) return;
    }
  }
}
