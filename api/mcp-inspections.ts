import { Failure } from '../domain/failures.ts';
import { INSPECT_MCP, type InspectInput, type McpServer } from '../domain/mcp.ts';
import type { RunStarter } from '../workflows/start.ts';

/** How long a caller is kept; the look goes on without them. */
const HELD_MS = 25_000;

/** Has a worker reach the server; done when its findings are stored. False where it takes longer than a request may. */
export async function inspectServer(
  { client, taskQueue }: RunStarter,
  orgId: string,
  { id, version }: McpServer,
  draining: AbortSignal,
): Promise<boolean> {
  const input: InspectInput = { v: 1, org_id: orgId, server_id: id };
  const patience = AbortSignal.any([draining, AbortSignal.timeout(HELD_MS)]);
  try {
    await client.withAbortSignal(patience, async () => {
      const handle = await client.workflow.start(INSPECT_MCP, {
        taskQueue,
        workflowId: `mcp:${id}:${version}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowExecutionTimeout: '2 minutes',
        workflowTaskTimeout: '3 seconds',
        args: [input],
      });
      await handle.result();
    });
    return true;
  } catch (cause) {
    if (patience.aborted) return false;
    throw new Failure('unavailable', 'The MCP server cannot be looked at now.', {}, { cause });
  }
}
