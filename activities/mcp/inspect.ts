import { isFailure } from '../../domain/failures.ts';
import { type InspectInput, type McpFindings, NOT_LOOKED_AT } from '../../domain/mcp.ts';
import { keepFindings, loadMcpServer } from '../../store/mcp-server-record.ts';
import type { KnownSecrets } from '../known-secrets.ts';
import { lookAround } from './calls.ts';
import type { McpConnections } from './connections.ts';

const said = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const words = isFailure(error) && typeof error.details.said === 'string' ? `\n${error.details.said}` : '';
  return `${message}${words}`.slice(0, 4_000);
};

/** Reaches a server and keeps what it says it can do, or why it could not be reached. Safe to repeat. */
export const createInspect =
  (connections: McpConnections, secrets: KnownSecrets) =>
  async ({ org_id, server_id }: InspectInput): Promise<void> => {
    const server = await loadMcpServer(org_id, server_id);
    if (!server) return;
    const findings = await connections
      .through(org_id, server, ({ client }) => lookAround(client))
      .catch(
        (error: unknown): McpFindings => ({
          ...NOT_LOOKED_AT,
          state: 'failed',
          checked_at: new Date().toISOString(),
          error: said(error),
        }),
      );
    // Also what it says of itself and its tools may have a secret in it that it was given.
    await keepFindings(org_id, server, secrets.cleanValue(findings));
  };
