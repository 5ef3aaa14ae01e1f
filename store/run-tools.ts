import type { Agent } from '../domain/agent.ts';
import { readEntrypoint } from '../domain/entrypoint.ts';
import { isReadOnly } from '../domain/integration.ts';
import type { RunTool } from '../domain/run-tool.ts';
import { isSystemTool } from '../domain/system-tools.ts';
import { parametersOf, type ToolDefinition, toolSchema } from '../domain/tool-definition.ts';
import { definitionCollection, toDefinition } from './definition-record.ts';
import { loadDefinition, loadIntegration, type Within } from './definition-upkeep.ts';
import { activeMcpServers } from './mcp-server-record.ts';
import { mcpToolsOf } from './mcp-tools.ts';

type Told = Pick<RunTool, 'name' | 'description' | 'parameters' | 'output_schema'>;

/** Named by its server's name or id; what it changes is what its server says it does. */
async function mcpToolOf(
  { org_id, workspace_id }: Within,
  told: Told,
  where: { server: string; tool: string },
): Promise<RunTool | null> {
  const servers = await activeMcpServers(org_id, workspace_id);
  const server = servers.find(({ id, name }) => id === where.server || name === where.server);
  const tool = server?.findings.tools.find(({ name }) => name === where.tool);
  if (!server || !tool) return null;
  const { read_only, idempotent } = tool;
  return {
    ...told,
    effect: !read_only,
    idempotent,
    source: { kind: 'mcp', server_id: server.id, tool: tool.name },
  };
}

/** The rest is the organization's to say; what is off or gone by now is left out. */
async function runToolOf(within: Within, tool: ToolDefinition): Promise<RunTool | null> {
  const where = readEntrypoint(tool.entrypoint);
  const { id: tool_id, version } = tool;
  const told = {
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool.schema),
    output_schema: tool.schema.output,
  };
  switch (where?.kind) {
    case 'builtin':
      // Whether it changes anything is known to the tool itself.
      return {
        ...told,
        effect: false,
        idempotent: true,
        source: { kind: 'builtin', tool_id, version, tool: where.tool },
      };
    case 'integration': {
      const integration = await loadIntegration(within, where.integration);
      const endpoint = integration?.endpoints.find(({ name }) => name === where.endpoint);
      if (!integration || !endpoint) return null;
      return {
        ...told,
        description: told.description || endpoint.description,
        effect: !isReadOnly(endpoint),
        idempotent: endpoint.idempotent,
        source: { kind: 'integration', tool_id, version, integration_id: integration.id, endpoint: endpoint.name },
      };
    }
    case 'workflow': {
      const workflow = await loadDefinition(within, 'workflow', where.workflow);
      if (!workflow) return null;
      const source = { kind: 'workflow', workflow_id: workflow.id, version: workflow.version } as const;
      return { ...told, effect: true, idempotent: false, source };
    }
    case 'mcp':
      return mcpToolOf(within, told, where);
    default:
      return null;
  }
}

/** Tools that leave the installation; others work within it, under the rights the agent has there. */
const LEAVES = new Set<RunTool['source']['kind']>(['integration', 'mcp']);

/** Of these, those that an agent with these rights may use. */
export const permitted = (agent: Agent, tools: RunTool[]): RunTool[] =>
  tools.filter(({ source }) => agent.can_access_integrations || !LEAVES.has(source.kind));

/** The tools that an agent is given by its organization, as they are now; they stay so for the whole run. */
export async function runToolsOf(orgId: string, agent: Agent): Promise<RunTool[]> {
  const names = agent.tools.filter((name) => !isSystemTool(name));
  const ofServers = await mcpToolsOf(orgId, agent);
  if (names.length === 0) return ofServers;
  const within = { org_id: orgId, workspace_id: agent.workspace_id };
  const found = await definitionCollection()
    .find({ ...within, kind: 'tool', is_active: true, name: { $in: names } })
    .toArray();
  const tools = await Promise.all(
    names.flatMap((name) => {
      const doc = found.find((each) => each.name === name);
      return doc ? [runToolOf(within, toolSchema.parse(toDefinition(doc)))] : [];
    }),
  );
  return permitted(agent, [...tools.filter((tool) => tool !== null), ...ofServers]);
}
