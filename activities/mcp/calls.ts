import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Failure } from '../../domain/failures.ts';
import type { McpFindings, McpTool } from '../../domain/mcp.ts';

const MOST_TOOLS = 500;
const MOST_RESOURCES = 1_000;
/** However much progress it makes. */
const LONGEST_CALL_MS = 3_600_000;

export interface CallLimits {
  signal: AbortSignal;
  timeout_s: number;
  output: (text: string) => void;
}

/** The time-out is for silence: progress begins it anew. */
const optionsOf = ({ signal, timeout_s, output }: CallLimits) => ({
  signal,
  timeout: timeout_s * 1_000,
  resetTimeoutOnProgress: true,
  maxTotalTimeout: LONGEST_CALL_MS,
  onprogress: ({ progress, total, message }: { progress: number; total?: number; message?: string }) =>
    output(`${message ?? 'progress'} ${progress}${total === undefined ? '' : ` of ${total}`}\n`),
});

interface Part {
  type: string;
  text?: string;
  mimeType?: string;
  data?: string;
  uri?: string;
  resource?: { uri: string; text?: string; mimeType?: string };
}

/** What a model can read; of pictures and sounds it is told that they are there. */
function told(part: Part): unknown {
  if (part.type === 'text') return part.text ?? '';
  if (part.type === 'resource' && part.resource?.text !== undefined) {
    return { uri: part.resource.uri, text: part.resource.text };
  }
  if (part.type === 'resource_link') return { uri: part.uri };
  const bytes = part.data === undefined ? 0 : Math.floor((part.data.length * 3) / 4);
  return { type: part.type, media_type: part.mimeType ?? part.resource?.mimeType ?? null, bytes };
}

const textOf = (content: Part[]): string =>
  content
    .map(told)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join('\n');

export async function callMcpTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  limits: CallLimits,
): Promise<unknown> {
  const answer = await client.callTool({ name, arguments: args }, undefined, optionsOf(limits));
  const content = Array.isArray(answer.content) ? (answer.content as Part[]) : [];
  if (answer.isError) throw new Failure('tool_failed', textOf(content) || `${name} failed and does not say why.`);
  if (answer.structuredContent !== undefined) return answer.structuredContent;
  const parts = content.map(told);
  return parts.length === 1 ? parts[0] : parts;
}

export async function listMcpResources(client: Client, limits: CallLimits): Promise<unknown> {
  const resources: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor }, optionsOf(limits));
    for (const { uri, name, description, mimeType } of page.resources) {
      resources.push({ uri, name, description: description ?? null, media_type: mimeType ?? null });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && resources.length < MOST_RESOURCES);
  return { resources: resources.slice(0, MOST_RESOURCES), has_more: cursor !== undefined };
}

export async function readMcpResource(client: Client, uri: string, limits: CallLimits): Promise<unknown> {
  const { contents } = await client.readResource({ uri }, optionsOf(limits));
  return {
    contents: contents.map((part) => ({
      uri: part.uri,
      media_type: part.mimeType ?? null,
      ...('text' in part ? { text: part.text } : { bytes: Math.floor((part.blob.length * 3) / 4) }),
    })),
  };
}

async function listTools(client: Client): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = '', inputSchema, outputSchema, annotations = {} } of page.tools) {
      tools.push({
        name,
        description: description.slice(0, 4_000),
        input_schema: inputSchema,
        output_schema: outputSchema ?? null,
        read_only: annotations.readOnlyHint === true,
        // Whoever only reads can be asked twice.
        idempotent: annotations.readOnlyHint === true || annotations.idempotentHint === true,
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < MOST_TOOLS);
  return tools.slice(0, MOST_TOOLS);
}

/** What a server says it can do. */
export async function lookAround(client: Client): Promise<McpFindings> {
  const can = client.getServerCapabilities() ?? {};
  const about = client.getServerVersion();
  return {
    state: 'reached',
    checked_at: new Date().toISOString(),
    error: null,
    server: about ? `${about.name} ${about.version}` : null,
    tools: can.tools ? await listTools(client) : [],
    has_resources: can.resources !== undefined,
  };
}
