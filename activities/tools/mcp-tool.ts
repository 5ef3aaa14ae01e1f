import { z } from 'zod';
import { Failure, isFailure } from '../../domain/failures.ts';
import { LIST_RESOURCES, type McpServer, READ_RESOURCE } from '../../domain/mcp.ts';
import type { RunTool } from '../../domain/run-tool.ts';
import { callMcpTool, listMcpResources, readMcpResource } from '../mcp/calls.ts';
import type { McpConnection } from '../mcp/connection.ts';
import type { McpConnections } from '../mcp/connections.ts';
import { describedBy, type ToolMaker } from './brought.ts';
import { type OutsideContext, outsideTool } from './contract.ts';

type Input = Record<string, unknown>;

function request(tool: string, { client }: McpConnection, input: Input, limits: Parameters<typeof callMcpTool>[3]) {
  if (tool === LIST_RESOURCES) return listMcpResources(client, limits);
  if (tool === READ_RESOURCE) return readMcpResource(client, String(input.uri), limits);
  return callMcpTool(client, tool, input, limits);
}

/** Whether the call may have reached the server: then nobody knows what came of it. */
const wasCutOff = (error: unknown, connection: McpConnection): boolean => !isFailure(error) && !connection.isOpen();

async function call(
  connections: McpConnections,
  server: McpServer,
  { source, effect }: RunTool,
  input: Input,
  { org_id, signal, output, keepSecret }: OutsideContext,
): Promise<unknown> {
  if (source.kind !== 'mcp') throw new Failure('unknown_tool', 'This is no tool of an MCP server.');
  return connections.through(org_id, server, async (connection) => {
    keepSecret(connection.secrets);
    try {
      return await request(source.tool, connection, input, { signal, timeout_s: server.timeout_s, output });
    } catch (error) {
      if (!effect || !wasCutOff(error, connection)) throw error;
      const why = connection.whyBroken();
      const what = `The line to ${server.name} broke in the middle of ${source.tool}.${why ? ` ${why}` : ''}`;
      throw new Failure('interrupted', what, { interrupted: true });
    }
  });
}

export const mcpTools =
  (connections: McpConnections): ToolMaker<'mcp'> =>
  (tool) =>
    outsideTool({
      name: tool.name,
      description: tool.description,
      operation: null,
      aliases: [],
      argument_aliases: {},
      effect: tool.effect,
      outside: true,
      idempotent: tool.idempotent,
      input: z.record(z.string(), z.unknown()),
      described: describedBy(tool),
      preview: async (input, { org_id }) => {
        const { name } = await connections.server(org_id, tool.source.server_id);
        return {
          path: null,
          preview: `${tool.source.tool} of the MCP server ${name}\n${JSON.stringify(input, null, 2)}`,
          base_hash: null,
        };
      },
      act: async (input, context) => {
        const server = await connections.server(context.org_id, tool.source.server_id);
        return call(connections, server, tool, input, context);
      },
    });
