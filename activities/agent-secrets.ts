import type { OwnAccess } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import type { GithubAccess } from '../domain/github.ts';
import type { ProviderName } from '../domain/model.ts';
import type { Scrubber } from '../domain/scrubber.ts';
import { loadCredentials, type OpenCredential } from '../store/credential-upkeep.ts';
import { loadGithubAccess } from '../store/github-integration.ts';
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
    private readonly of: { org_id: string; agent_id: string; integrations?: string[] },
    /** What was changed before the run was asked for holds from its first call on. */
    private readonly since: Date,
  ) {
    this.scrubber = known.scrubber;
    this.reading = this.read();
  }

  private read(): Promise<OpenCredential[]> {
    const { org_id, agent_id, integrations = [] } = this.of;
    const notBefore = Math.max(this.since.getTime(), Date.now() - FRESH_MS);
    const readOf = (owner: string) =>
      this.known.readBy(owner, notBefore, () => loadCredentials(this.keys, org_id, owner));
    const shared = readOf(agent_id);
    this.readAt = shared.begun;
    const ofOthers = integrations.map((id) => readOf(id).found);
    const read = Promise.all([shared.found, ...ofOthers]).then(([found, ...others]) => {
      // Those that were replaced meanwhile are secrets still.
      for (const { value, part } of [...found, ...others.flat()])
        if (value !== null && part !== 'api_base') this.seen.add(value);
      this.scrubber = this.known.with([...this.seen]);
      return found;
    });
    // Looked at where its failure can be told; until then it must not count as unhandled.
    read.catch(() => undefined);
    return read;
  }

  /** Of others than the agent, who came to be known while it is at work. */
  learn(values: readonly string[]): void {
    if (values.every((value) => this.seen.has(value))) return;
    for (const value of values) this.seen.add(value);
    this.scrubber = this.known.with([...this.seen]);
  }

  /** What opens pull requests for the workspace; null where that is off. */
  async github(workspaceId: string): Promise<GithubAccess | null> {
    const access = await loadGithubAccess(this.keys, this.of.org_id, workspaceId);
    if (access) this.learn([access.token]);
    return access;
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
