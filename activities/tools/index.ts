import { z } from 'zod';
import type { Agent } from '../../domain/agent.ts';
import { Failure } from '../../domain/failures.ts';
import type { ToolCall, ToolSchema } from '../../domain/model.ts';
import { mayAnywhere } from '../../domain/scope.ts';
import { domainNamed, domainNames, unsupported } from '../../domain/tool-domains.ts';
import type { NotebookKind } from '../../domain/workspace.ts';
import { clarifyUserTool } from './clarify-user.ts';
import { commandTools } from './command/index.ts';
import type { Tool } from './contract.ts';
import { createFileTool } from './create-file.ts';
import { deleteFileTool } from './delete-file.ts';
import { type DomainTools, offeredDomain } from './domain-tools.ts';
import { getFileMetadataTool } from './get-file-metadata.ts';
import { gitTools } from './git/index.ts';
import { listFilesTool } from './list-files.ts';
import { proposeEditsTool } from './propose-edits.ts';
import { readFileTool } from './read-file.ts';
import { readResultTool } from './read-result.ts';
import { searchKnowledgeTool } from './search-knowledge.ts';
import { searchProjectTool } from './search-project.ts';
import { updateFilePropertiesTool } from './update-file-properties.ts';
import { workspaceTools } from './workspace/index.ts';
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
  proposeEditsTool,
];

/** One tool each to a model, made of one tool an operation. */
const DOMAINS: DomainTools[] = [workspaceTools, gitTools, commandTools];

const OWN = new Map(TOOLS.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)));
const OWN_NAMES = new Set([...OWN.keys(), ...DOMAINS.flatMap(({ domain }) => domainNames(domain))]);

const permits = (agent: Agent, notebook: NotebookKind | null, tool: Tool): boolean => {
  if (tool.offered) return tool.offered(agent, notebook);
  return tool.operation === null || (notebook !== null && mayAnywhere(agent, tool.operation));
};

/** Of what it may use, its maker may have chosen some; reading on in what it was told already is never taken away. */
const isChosen = ({ system_tools }: Agent, { name }: Tool): boolean =>
  system_tools === null || system_tools.includes(name) || name === 'read_result';

function schemaOf(tool: Tool): ToolSchema {
  const { $schema: _, ...parameters } = tool.described?.parameters ?? z.toJSONSchema(tool.input, { io: 'input' });
  return { name: tool.name, description: tool.description, parameters };
}

/** JSON Schemas are made once: every model call sends them. */
const SCHEMAS = new Map<Tool, ToolSchema>(TOOLS.map((tool) => [tool, schemaOf(tool)]));

export const ownTool = (name: string): Tool | undefined => OWN.get(name);

/** What comes with the product, as models see it: domain/builtin-tools.ts is written from it. */
export const ownSchemas = (): ToolSchema[] => [...SCHEMAS.values()];

/** What a run can call: of our own tools those its agent may use, and those its organization brings. */
export interface Toolbox {
  schemas: ToolSchema[];
  find: (name: string, args?: Record<string, unknown>) => Tool | undefined;
  /** The tool and its checked input, or a Failure the model is told. */
  resolve: (call: ToolCall) => { tool: Tool; input: unknown };
}

export function toolbox(agent: Agent, notebook: NotebookKind | null, brought: Tool[] = []): Toolbox {
  const own = TOOLS.filter((tool) => isChosen(agent, tool) && permits(agent, notebook, tool));
  const others = brought.filter((tool) => !OWN_NAMES.has(tool.name) && permits(agent, notebook, tool));
  const domains = DOMAINS.flatMap(
    (tools) => offeredDomain(tools, agent, notebook, (tool) => permits(agent, notebook, tool)) ?? [],
  );
  const domainOf = new Map(domains.flatMap((domain) => domain.names.map((name) => [name, domain] as const)));
  const offered = new Set([...own, ...others]);
  const byName = new Map(others.map((tool) => [tool.name, tool] as const));
  const find: Toolbox['find'] = (name, args) => {
    const domain = domainOf.get(name);
    if (domain) return domain.find(args);
    const tool = OWN.get(name) ?? byName.get(name);
    return tool && offered.has(tool) ? tool : undefined;
  };
  return {
    schemas: [...[...offered].map((tool) => SCHEMAS.get(tool) ?? schemaOf(tool)), ...domains.map((d) => d.schema)],
    find,
    resolve: (call) => {
      const meant = domainOf.get(call.name)?.resolve(call);
      if (meant) return { tool: meant.tool, input: checkedInput(meant.tool, meant.call) };
      const tool = find(call.name);
      if (!tool) {
        const domain = domainNamed(call.name);
        const refused = domain === null ? null : unsupported(domain, null);
        throw (
          refused ??
          new Failure('unknown_tool', `There is no tool ${call.name}.`, {
            tools: [...[...offered].map(({ name }) => name), ...domains.flatMap(({ names: [name] }) => name ?? [])],
          })
        );
      }
      return { tool, input: checkedInput(tool, call) };
    },
  };
}

function checkedInput(tool: Tool, call: ToolCall): unknown {
  if (call.malformed !== undefined) {
    throw new Failure('invalid_arguments', `The arguments of ${call.name} are not a JSON object.`, {
      received: call.malformed.slice(0, 500),
    });
  }
  const renamed = Object.fromEntries(
    Object.entries(call.arguments).map(([name, value]) => [tool.argument_aliases[name] ?? name, value]),
  );
  const parsed = tool.input.safeParse(renamed);
  const issues = parsed.success
    ? (tool.described?.problems(parsed.data) ?? [])
    : parsed.error.issues.map((issue) => `${issue.path.join('.') || '(whole)'}: ${issue.message}`);
  if (issues.length > 0) {
    throw new Failure('invalid_arguments', `The arguments of ${call.name} do not fit its schema.`, { issues });
  }
  return parsed.data;
}
