import { Failure, isFailure } from '../../domain/failures.ts';
import type { McpServer } from '../../domain/mcp.ts';
import { loadCredentials } from '../../store/credential-upkeep.ts';
import { loadMcpServer } from '../../store/mcp-server-record.ts';
import type { SecretKeys } from '../../store/secrets.ts';
import type { KnownSecrets } from '../known-secrets.ts';
import { connectMcp, type McpConnection, wasNotHeard } from './connection.ts';
import type { StartProgram } from './program.ts';

/** A line that nobody has used for so long is closed, and with it the program at its other end. */
const IDLE_MS = 60_000;

interface Kept {
  opening: Promise<McpConnection>;
  users: number;
  timer: NodeJS.Timeout | null;
}

/** One that was changed is another. */
const keyOf = ({ id, version }: McpServer): string => `${id}:${version}`;

/** Lines to the MCP servers of many runs: one each, opened when it is needed and anew where it broke. */
export class McpConnections {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly keys: SecretKeys,
    private readonly known: KnownSecrets,
    private readonly startProgram: StartProgram,
    private readonly idleMs = IDLE_MS,
  ) {}

  /** The server as it is now: what a run began with says which tools it has, not where they are reached. */
  async server(orgId: string, id: string): Promise<McpServer> {
    const server = await loadMcpServer(orgId, id);
    if (server?.is_active) return server;
    throw new Failure('mcp_unreachable', 'The MCP server of this tool is gone or switched off.', { retryable: false });
  }

  /** A line that broke while nobody looked is opened anew, once. */
  async through<T>(orgId: string, server: McpServer, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const wasOpen = this.kept.has(keyOf(server));
    try {
      return await this.throughOnce(orgId, server, work);
    } catch (error) {
      if (!wasOpen || !wasNotHeard(error)) throw error;
      this.drop(keyOf(server));
      return this.throughOnce(orgId, server, work);
    }
  }

  private drop(key: string): void {
    const kept = this.kept.get(key);
    this.kept.delete(key);
    void kept?.opening.then((connection) => connection.close()).catch(() => undefined);
  }

  private async throughOnce<T>(
    orgId: string,
    server: McpServer,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(server);
    const kept = await this.open(key, orgId, server);
    kept.users += 1;
    if (kept.timer) clearTimeout(kept.timer);
    kept.timer = null;
    try {
      const connection = await kept.opening;
      return await work(connection).catch((cause: unknown) => {
        const why = connection.whyBroken();
        if (why === null || isFailure(cause)) throw cause;
        const what = `The line to the MCP server ${server.name} was closed: ${why}`;
        throw new Failure('mcp_unreachable', what, { retryable: false }, { cause });
      });
    } finally {
      kept.users -= 1;
      if (kept.users === 0) this.closeLater(key, kept);
    }
  }

  private async open(key: string, orgId: string, server: McpServer): Promise<Kept> {
    const known = this.kept.get(key);
    if (known) {
      const connection = await known.opening.catch(() => null);
      if (connection?.isOpen()) return known;
      if (this.kept.get(key) === known) this.kept.delete(key);
      return this.open(key, orgId, server);
    }
    const kept: Kept = { opening: this.connect(orgId, server), users: 0, timer: null };
    // Told to whoever uses it; nobody may be there by then.
    kept.opening.catch(() => undefined);
    this.kept.set(key, kept);
    return kept;
  }

  private async connect(orgId: string, server: McpServer): Promise<McpConnection> {
    const found = await loadCredentials(this.keys, orgId, server.id);
    const unread = found.find(({ value }) => value === null);
    if (unread) {
      throw new Failure('credential_unreadable', `The credential ${unread.key} does not open.`, { retryable: true });
    }
    const secrets = new Map(found.map(({ key, value }) => [key, value ?? '']));
    this.known.with([...secrets.values()]);
    return connectMcp(server, secrets, this.startProgram);
  }

  private closeLater(key: string, kept: Kept): void {
    kept.timer = setTimeout(() => {
      if (this.kept.get(key) === kept) this.drop(key);
    }, this.idleMs);
    kept.timer.unref();
  }

  async close(): Promise<void> {
    const all = [...this.kept.values()];
    this.kept.clear();
    for (const { timer } of all) if (timer) clearTimeout(timer);
    await Promise.allSettled(all.map(({ opening }) => opening.then((connection) => connection.close())));
  }
}
