import { createHash } from 'node:crypto';
import { Scrubber } from '../domain/scrubber.ts';
import type { OpenCredential } from '../store/credential-upkeep.ts';

/** More agents than work at once in one process; who comes back is learnt again. */
const MOST_SETS = 200;
const MOST_REMEMBERED = 1_000;

const nameOf = (secrets: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(secrets)).digest('base64url');

/** Credentials of an agent as they were read, and when that was begun. */
export interface CredentialRead {
  begun: number;
  found: Promise<OpenCredential[]>;
}

/** What this process knows and nobody may see: the installation's secrets, and those of agents once they were opened. */
export class KnownSecrets {
  /** Of the installation alone. */
  readonly scrubber: Scrubber;
  private readonly sets = new Map<string, Scrubber>();
  private readonly ofAgents = new Set<string>();
  private readonly reads = new Map<string, CredentialRead>();
  /** Of everything; made anew when something was added. */
  private everything: Scrubber | null = null;

  constructor(private readonly installation: readonly string[]) {
    this.scrubber = new Scrubber(installation);
  }

  /** Runs of one agent share what one of them has read, as long as it was begun at this time or later. */
  readBy(agent: string, notBefore: number, read: () => Promise<OpenCredential[]>): CredentialRead {
    const known = this.reads.get(agent);
    if (known && known.begun >= notBefore) return known;
    const fresh = { begun: Date.now(), found: read() };
    this.reads.delete(agent);
    const [oldest] = this.reads.keys();
    if (this.reads.size >= MOST_SETS && oldest !== undefined) this.reads.delete(oldest);
    this.reads.set(agent, fresh);
    // What failed is not shared; whoever looks at it is told.
    fresh.found.catch(() => this.reads.get(agent) === fresh && this.reads.delete(agent));
    return fresh;
  }

  /** Of the installation and of one agent. Without any it is the one that is there already. */
  with(secrets: readonly string[]): Scrubber {
    if (secrets.length === 0) return this.scrubber;
    const name = nameOf(secrets);
    const known = this.sets.get(name);
    if (known) return known;
    const fresh = new Scrubber([...this.installation, ...secrets]);
    const [oldest] = this.sets.keys();
    if (this.sets.size >= MOST_SETS && oldest !== undefined) this.sets.delete(oldest);
    this.sets.set(name, fresh);
    this.remember(secrets);
    return fresh;
  }

  private remember(secrets: readonly string[]): void {
    for (const secret of secrets) this.ofAgents.add(secret);
    for (const oldest of this.ofAgents) {
      if (this.ofAgents.size <= MOST_REMEMBERED) break;
      this.ofAgents.delete(oldest);
    }
    this.everything = null;
  }

  /** For what cannot be told whose it is: lines of the log, and errors on their way to the history of a workflow. */
  clean(text: string): string {
    return this.all().text(text);
  }

  /** The same for whatever JSON can hold. */
  cleanValue<T>(value: T): T {
    return this.all().value(value);
  }

  private all(): Scrubber {
    this.everything ??= new Scrubber([...this.installation, ...this.ofAgents]);
    return this.everything;
  }

  /** The same error without what it should not have said. */
  cleanError(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    error.message = this.clean(error.message);
    if (error.stack) error.stack = this.clean(error.stack);
    if (error.cause) error.cause = this.cleanError(error.cause);
    return error;
  }
}
