import type { OwnAccess } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import type { ProviderName } from '../domain/model.ts';
import type { Scrubber } from '../domain/scrubber.ts';
import { loadCredentials, type OpenCredential } from '../store/credential-upkeep.ts';
import type { SecretKeys } from '../store/secrets.ts';
import type { KnownSecrets } from './known-secrets.ts';

/** What an agent brings to a provider; null where the installation's own settings are used. */
export function ownAccess(credentials: OpenCredential[], provider: ProviderName): OwnAccess | null {
  const own: OwnAccess = {};
  // The longer name goes first: `<provider>_api_key` says more than `api_key`.
  const byName = credentials.toSorted((a, b) => b.key.length - a.key.length);
  for (const { key, part, value, may_be_private, ...about } of byName) {
    if (about.provider !== provider || part === null || own[part] !== undefined) continue;
    if (value === null) {
      // The key may be on its way: processes are given a new one one after the other.
      throw new Failure('credential_unreadable', `The credential ${key} does not open.`, { retryable: true, key });
    }
    own[part] = value;
    if (part === 'api_base') own.may_be_private = may_be_private;
  }
  return own.api_key === undefined && own.api_base === undefined ? null : own;
}

/** For so long what was read is taken to be so still: a run that calls often would ask for every call. */
export const FRESH_MS = 1_000;

/** The credentials of an agent while one of its runs is carried on: read when it begins, and anew every second. */
export class AgentSecrets {
  /** What is stored, shown or sent passes it; complete once `ready` has resolved. */
  scrubber: Scrubber;
  private readonly seen = new Set<string>();
  private reading: Promise<OpenCredential[]>;
  private readAt = 0;

  constructor(
    private readonly known: KnownSecrets,
    private readonly keys: SecretKeys,
    private readonly of: { org_id: string; agent_id: string },
  ) {
    this.scrubber = known.scrubber;
    this.reading = this.read();
  }

  private read(): Promise<OpenCredential[]> {
    this.readAt = Date.now();
    const read = loadCredentials(this.keys, this.of.org_id, this.of.agent_id).then((found) => {
      // Those that were replaced meanwhile are secrets still.
      for (const { value, part } of found) if (value !== null && part !== 'api_base') this.seen.add(value);
      this.scrubber = this.known.with([...this.seen]);
      return found;
    });
    // Looked at where its failure can be told; until then it must not count as unhandled.
    read.catch(() => undefined);
    return read;
  }

  async ready(): Promise<void> {
    await this.reading;
  }

  /** As they are at this moment, or were a second ago. */
  forCall(): Promise<OpenCredential[]> {
    if (Date.now() - this.readAt >= FRESH_MS) this.reading = this.read();
    return this.reading;
  }
}
