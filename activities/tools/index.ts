import { z } from 'zod';
import type { Agent } from '../../domain/agent.ts';
import { Failure } from '../../domain/failures.ts';
import type { ToolCall, ToolSchema } from '../../domain/model.ts';
import { mayAnywhere } from '../../domain/scope.ts';
import type { ToolLookup } from '../../domain/tool.ts';
import { clarifyUserTool } from './clarify-user.ts';
import type { Tool } from './contract.ts';
import { createFileTool } from './create-file.ts';
import { deleteFileTool } from './delete-file.ts';
import { getFileMetadataTool } from './get-file-metadata.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { readResultTool } from './read-result.ts';
import { searchKnowledgeTool } from './search-knowledge.ts';
import { searchProjectTool } from './search-project.ts';
import { updateFilePropertiesTool } from './update-file-properties.ts';
import { writeFileTool } from './write-file.ts';

const TOOLS: Tool[] = [
  readFileTool,
  listFilesTool,
  searchProjectTool,
  getFileMetadataTool,
  readResultTool,
  writeFileTool,
  createFileTool,
  deleteFileTool,
  updateFilePropertiesTool,
  searchKnowledgeTool,
  clarifyUserTool,
];

const BY_NAME = new Map(TOOLS.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)));

const permits = (agent: Agent, hasNotebook: boolean, tool: Tool): boolean => {
  if (tool.offered) return tool.offered(agent, hasNotebook);
  return tool.operation === null || (hasNotebook && mayAnywhere(agent, tool.operation));
};

/** Of what it may use, its maker may have chosen some; reading on in what it was told already is never taken away. */
const isChosen = ({ system_tools }: Agent, { name }: Tool): boolean =>
  system_tools === null || system_tools.includes(name) || name === 'read_result';

const offered = (agent: Agent, hasNotebook: boolean): Tool[] =>
  TOOLS.filter((tool) => isChosen(agent, tool) && permits(agent, hasNotebook, tool));

/** JSON Schemas are made once: every model call sends them. */
const SCHEMAS = new Map<Tool, ToolSchema>(
  TOOLS.map((tool) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' });
    return [tool, { name: tool.name, description: tool.description, parameters }];
  }),
);

export const toolSchemas = (agent: Agent, hasNotebook: boolean): ToolSchema[] =>
  offered(agent, hasNotebook).flatMap((tool) => SCHEMAS.get(tool) ?? []);

export const toolLookup = (agent: Agent, hasNotebook: boolean): ToolLookup => {
  const names = new Set(offered(agent, hasNotebook));
  return (name) => {
    const tool = BY_NAME.get(name);
    return tool && names.has(tool) ? tool : undefined;
  };
};

/** The tool and its checked input, or a Failure the model is told. */
export function resolveCall(agent: Agent, hasNotebook: boolean, call: ToolCall): { tool: Tool; input: unknown } {
  const names = offered(agent, hasNotebook);
  const tool = BY_NAME.get(call.name);
  if (!tool || !names.includes(tool)) {
    throw new Failure('unknown_tool', `There is no tool ${call.name}.`, { tools: names.map(({ name }) => name) });
  }
  if (call.malformed !== undefined) {
    throw new Failure('invalid_arguments', `The arguments of ${call.name} are not a JSON object.`, {
      received: call.malformed.slice(0, 500),
    });
  }
  const renamed = Object.fromEntries(
    Object.entries(call.arguments).map(([name, value]) => [tool.argument_aliases[name] ?? name, value]),
  );
  const parsed = tool.input.safeParse(renamed);
  if (!parsed.success) {
    throw new Failure('invalid_arguments', `The arguments of ${call.name} do not fit its schema.`, {
      issues: parsed.error.issues.map((issue) => `${issue.path.join('.') || '(whole)'}: ${issue.message}`),
    });
  }
  return { tool, input: parsed.data };
}
