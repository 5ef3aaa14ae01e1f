import type { Agent } from '../domain/agent.ts';
import { mcpRunTools } from '../domain/mcp.ts';
import type { RunTool } from '../domain/run-tool.ts';
import { activeMcpServers } from './mcp-server-record.ts';

/** What an agent is given of the MCP servers it names, as it is when a run begins. */
export async function mcpToolsOf(orgId: string, agent: Agent): Promise<RunTool[]> {
  if (!agent.can_access_integrations || agent.mcp_servers.length === 0) return [];
  const servers = await activeMcpServers(orgId, agent.workspace_id);
  return servers.flatMap((server) => mcpRunTools(server, agent.mcp_servers));
}
