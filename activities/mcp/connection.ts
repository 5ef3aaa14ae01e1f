import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Failure } from '../../domain/failures.ts';
import type { McpServer, McpTransport } from '../../domain/mcp.ts';
import { fetchPublicOnly, watchedFetch } from '../models/http-fetch.ts';
import type { StartProgram } from './program.ts';
import { ProgramTransport } from './program-transport.ts';

/** Until a server that was started or reached has said what it is. */
const CONNECT_MS = 15_000;

/** What is secret, by the name of the credential: `env_<NAME>` or `header_<name>`. */
export type McpSecrets = ReadonlyMap<string, string>;

const secretsFor = (secrets: McpSecrets, prefix: string): Record<string, string> =>
  Object.fromEntries(
    [...secrets].flatMap(([key, value]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [])),
  );

async function transportOf(
  transport: McpTransport,
  secrets: McpSecrets,
  startProgram: StartProgram,
): Promise<Transport> {
  if (transport.kind === 'http') {
    // Names of credentials have no hyphen, names of headers no underscore.
    const secretHeaders = Object.fromEntries(
      Object.entries(secretsFor(secrets, 'header_')).map(([name, value]) => [name.replaceAll('_', '-'), value]),
    );
    const headers = { ...transport.headers, ...secretHeaders };
    const fetch = transport.allow_private ? watchedFetch : fetchPublicOnly(watchedFetch);
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return new StreamableHTTPClientTransport(new URL(transport.url), { requestInit: { headers }, fetch });
  }
  // Credentials are named in small letters; variables usually are not.
  const secretEnv = Object.fromEntries(
    Object.entries(secretsFor(secrets, 'env_')).map(([name, value]) => [name.toUpperCase(), value]),
  );
  return ProgramTransport.of(await startProgram({ ...transport, env: { ...transport.env, ...secretEnv } }));
}

const UNHEARD: unknown[] = [400, 404, 'ECONNREFUSED'];

/** A server that does not know the session, or is not there to be asked, has done nothing. */
export const wasNotHeard = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNHEARD.includes(error.code);

/** One open line to a server. Closed by either side, it is done with: whoever needs it next opens another. */
export interface McpConnection {
  client: Client;
  isOpen: () => boolean;
  /** Why this side has closed it; null where it did not. */
  whyBroken: () => string | null;
  /** What it was opened with and nobody may see. */
  secrets: string[];
  close: () => Promise<void>;
}

export async function connectMcp(
  server: McpServer,
  secrets: McpSecrets,
  startProgram: StartProgram,
): Promise<McpConnection> {
  // Large, and most workers never speak to such a server: read with the first that is.
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'longhaul', version: '1' });
  const transport = await transportOf(server.transport, secrets, startProgram);
  const whyBroken = () => (transport instanceof ProgramTransport ? transport.whyBroken : null);
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
  } catch (cause) {
    await client.close().catch(() => undefined);
    const why = whyBroken() ?? (cause instanceof Error ? cause.message : String(cause));
    const said = transport instanceof ProgramTransport ? transport.lastWords : '';
    throw new Failure(
      'mcp_unreachable',
      `The MCP server ${server.name} cannot be reached: ${why}`,
      { retryable: false, ...(said ? { said } : {}) },
      { cause },
    );
  }
  return { client, isOpen: () => isOpen, whyBroken, secrets: [...secrets.values()], close: () => client.close() };
}
