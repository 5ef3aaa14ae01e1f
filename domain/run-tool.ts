import type { ToolSchema } from './model.ts';
import type { ToolTraits } from './tool.ts';

/** Where a tool comes from that is not one of our own. */
export type RunToolSource =
  | { kind: 'builtin'; tool_id: string; version: number; tool: string }
  | { kind: 'integration'; tool_id: string; version: number; integration_id: string; endpoint: string }
  | { kind: 'mcp'; server_id: string; tool: string }
  | { kind: 'workflow'; workflow_id: string; version: number };

/** A tool that the organization brings, as it was when the run began: later versions do not reach it. */
export interface RunTool {
  /** Its name on the wire. */
  name: string;
  description: string;
  /** JSON Schema of what it takes. */
  parameters: Record<string, unknown>;
  /** JSON Schema of what it gives; null where anything will do. */
  output_schema: Record<string, unknown> | null;
  /** It changes something: it waits for a person where the policy says so, and is never silently run twice. */
  effect: boolean;
  /** Doing it again does no harm. */
  idempotent: boolean;
  source: RunToolSource;
}

export const runToolTraits = ({ name, effect, source }: RunTool): ToolTraits => ({
  name,
  operation: null,
  effect,
  asks: false,
  outside: true,
  ...(source.kind === 'workflow' ? { delegates: true as const } : {}),
});

/** A workflow that a run has as a tool: a run of its own does the work. */
export const workflowToolNamed = (tools: RunTool[], name: string): RunTool | undefined =>
  tools.find((tool) => tool.name === name && tool.source.kind === 'workflow');

export const workflowToolSchemas = (tools: RunTool[]): ToolSchema[] =>
  tools.flatMap(({ name, description, parameters, source }) =>
    source.kind === 'workflow' ? [{ name, description, parameters }] : [],
  );
