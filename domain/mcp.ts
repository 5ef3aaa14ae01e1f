import { z } from 'zod';
import { SECRET_HEADERS } from './integration.ts';
import type { RunTool } from './run-tool.ts';
import { fittingToolName, markedName } from './tool-name.ts';

/** Names what it does to agents and in the names of its tools. */
const serverName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/, 'small letters, digits, - and _, at most 32 characters');

const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the name of a variable');
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'the name of a header')
  .refine((name) => !SECRET_HEADERS.test(name), 'everybody would see it: set it as the credential header_<name>');
/** What goes into a line of its own must not begin another. */
const headerValue = z
  .string()
  .max(4000)
  .regex(/^[\t\x20-\x7e]*$/, 'printable characters');

const hasUser = (url: string): boolean => {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
};

/** What a program is given ends at the first NUL, or is taken for two. */
const word = z.string().refine((text) => !text.includes('\0'), 'no NUL');

/** A program that is run confined, and spoken to over its standard input and output. */
const stdioSchema = z.strictObject({
  kind: z.literal('stdio'),
  command: word.min(1).max(1000),
  args: z.array(word.max(4000)).max(100).default([]),
  /** Variables it is given; what is secret goes into credentials named `env_<NAME>`. */
  env: z.record(envName, word.max(4000)).default({}),
  /** Absolute folders it sees beside the system's own, to read or also to write. */
  folders: z
    .array(
      z.strictObject({
        path: z
          .string()
          .regex(/^\/[^\0]*$/, 'an absolute path')
          .max(4000),
        writable: z.boolean().default(false),
      }),
    )
    .max(20)
    .default([]),
  network: z.boolean().default(false),
});

const httpSchema = z.strictObject({
  kind: z.literal('http'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine((url) => !hasUser(url), 'an address without user and password: everybody would see them'),
  /** What is secret goes into credentials named `header_<name>`. */
  headers: z.record(headerName, headerValue).default({}),
  /** The address may lie in a private network. */
  allow_private: z.boolean().default(false),
});

const transportSchema = z.discriminatedUnion('kind', [stdioSchema, httpSchema]);
export type McpTransport = z.infer<typeof transportSchema>;

const definition = {
  name: serverName,
  description: z.string().max(2000),
  transport: transportSchema,
  /** Of its tools, those that agents can be given; null for all. */
  allowed_tools: z.array(z.string().min(1).max(200)).max(500).nullable(),
  /** Seconds without a sign of progress until a call is given up. */
  timeout_s: z.int().min(1).max(3600),
  is_active: z.boolean(),
};

export const createMcpServerBody = z.strictObject({
  workspace_id: z.string(),
  name: definition.name,
  description: definition.description.default(''),
  transport: definition.transport,
  allowed_tools: definition.allowed_tools.default(null),
  timeout_s: definition.timeout_s.default(60),
});
export type CreateMcpServer = z.infer<typeof createMcpServerBody>;

export const changeMcpServerBody = z.strictObject({
  name: definition.name.optional(),
  description: definition.description.optional(),
  transport: definition.transport.optional(),
  allowed_tools: definition.allowed_tools.optional(),
  timeout_s: definition.timeout_s.optional(),
  is_active: definition.is_active.optional(),
});
export type ChangeMcpServer = z.infer<typeof changeMcpServerBody>;

const jsonSchema = z.record(z.string(), z.unknown());

/** A tool as its server describes it. What it says of itself is taken for a wish to be careful, never for a right. */
export const mcpToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: jsonSchema,
  output_schema: jsonSchema.nullable(),
  read_only: z.boolean(),
  idempotent: z.boolean(),
});
export type McpTool = z.infer<typeof mcpToolSchema>;

/** What was found when somebody last looked. */
export const mcpFindingsSchema = z.object({
  state: z.enum(['unknown', 'reached', 'failed']),
  checked_at: z.iso.datetime().nullable(),
  error: z.string().nullable(),
  server: z.string().nullable(),
  tools: z.array(mcpToolSchema),
  has_resources: z.boolean(),
});
export type McpFindings = z.infer<typeof mcpFindingsSchema>;

export const NOT_LOOKED_AT: McpFindings = {
  state: 'unknown',
  checked_at: null,
  error: null,
  server: null,
  tools: [],
  has_resources: false,
};

export const mcpServerSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  ...definition,
  findings: mcpFindingsSchema,
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

/** Its resources are read through two tools of ours; no server's tool can be called like that. */
export const LIST_RESOURCES = 'resources/list';
export const READ_RESOURCE = 'resources/read';

/** Providers take names of letters, digits, - and _. */
function wireName(tool: string): string {
  if (tool === LIST_RESOURCES) return 'list_resources';
  return tool === READ_RESOURCE ? 'read_resource' : tool.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Two that would be written alike stay two: the one that cannot be written as it is gets a mark of its own. */
function mcpToolName(server: string, tool: string, all: readonly string[]): string {
  const plain = wireName(tool);
  const isShared = plain !== tool && all.some((other) => other !== tool && wireName(other) === plain);
  return fittingToolName(`${server}__${isShared ? markedName(plain, tool) : plain}`);
}

/** An agent names a server for all of its tools, or `server/tool` for one of them; its resources are `server/resources`. */
function isChosen(entries: string[], server: string, tool: string): boolean {
  const part = tool === LIST_RESOURCES || tool === READ_RESOURCE ? 'resources' : tool;
  return entries.includes(server) || entries.includes(`${server}/${part}`);
}

const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false };
const URI_INPUT = {
  type: 'object',
  properties: { uri: { type: 'string', description: 'Address of the resource, as it was listed' } },
  required: ['uri'],
  additionalProperties: false,
};

/** The tools of a server that an agent with these entries may use, for a run's record. */
export function mcpRunTools({ id, name, allowed_tools, findings }: McpServer, entries: string[]): RunTool[] {
  const own = findings.tools
    .filter((tool) => allowed_tools === null || allowed_tools.includes(tool.name))
    .map((tool) => ({
      tool: tool.name,
      description: tool.description,
      parameters: tool.input_schema,
      output_schema: tool.output_schema,
      effect: !tool.read_only,
      idempotent: tool.idempotent,
    }));
  const look = { output_schema: null, effect: false, idempotent: true };
  const resources = findings.has_resources
    ? [
        { tool: LIST_RESOURCES, description: `Lists the resources of ${name}.`, parameters: NO_INPUT, ...look },
        { tool: READ_RESOURCE, description: `Reads a resource of ${name}.`, parameters: URI_INPUT, ...look },
      ]
    : [];
  const tools = [...own, ...resources];
  const all = tools.map(({ tool }) => tool);
  return tools
    .filter(({ tool }) => isChosen(entries, name, tool))
    .map(({ tool, ...rest }) => ({
      ...rest,
      name: mcpToolName(name, tool, all),
      source: { kind: 'mcp', server_id: id, tool },
    }));
}

/** Whether an entry of an agent names something of this server. */
export const namesServer = (entry: string, server: string): boolean =>
  entry === server || entry.startsWith(`${server}/`);

export const INSPECT_MCP = 'inspectMcp';
export interface InspectInput {
  v: 1;
  org_id: string;
  server_id: string;
}
