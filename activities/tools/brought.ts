import { argumentCheck } from '../../domain/output-schema.ts';
import type { RunTool, RunToolSource } from '../../domain/run-tool.ts';
import type { Tool } from './contract.ts';

/** Tools of one source, made from what the run's record keeps of them; null where another run does the work. */
export type ToolMaker<K extends RunToolSource['kind']> = (
  tool: RunTool & { source: Extract<RunToolSource, { kind: K }> },
) => Tool;

/** One maker a source: a source is added by one file and one line where workers are put together. */
export type ToolMakers = { [K in Exclude<RunToolSource['kind'], 'workflow' | 'builtin'>]?: ToolMaker<K> };

/** What a tool of somebody else's takes: described by their schema, and held to it. */
export const describedBy = ({ parameters }: RunTool): NonNullable<Tool['described']> => ({
  parameters,
  problems: argumentCheck(parameters),
});

/** One of our own under another name, with what its maker says of it; held to its schema and to ours. */
function renamed(tool: RunTool, own: Tool | undefined): Tool | undefined {
  const { name, description } = tool;
  return (
    own && { ...own, name, description: description || own.description, aliases: [], described: describedBy(tool) }
  );
}

const make = (makers: ToolMakers, tool: RunTool, own: (name: string) => Tool | undefined): Tool | undefined => {
  const { source } = tool;
  switch (source.kind) {
    case 'builtin':
      return renamed(tool, own(source.tool));
    case 'integration':
      return makers.integration?.({ ...tool, source });
    case 'mcp':
      return makers.mcp?.({ ...tool, source });
    // A run of its own does it: there is nothing to call here.
    case 'workflow':
      return undefined;
  }
};

export const broughtTools = (makers: ToolMakers, tools: RunTool[], own: (name: string) => Tool | undefined): Tool[] =>
  tools.flatMap((tool) => make(makers, tool, own) ?? []);
