import { z } from 'zod';
import type { Asked, Said, Wire } from './wire.ts';

const cache = { cache_control: z.strictObject({ type: z.literal('ephemeral') }).optional() };
const notBlank = z.string().refine((text) => text.trim() !== '', 'text content blocks must contain text');
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal('text'), text: notBlank, ...cache }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: toolId,
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal('tool_result'), tool_use_id: toolId, content: z.string(), ...cache }),
]);
/** Closed, as the API is: a field it does not know is answered with 400. */
const body = {
  max_tokens: z.int().min(1),
  system: z.array(z.strictObject({ type: z.literal('text'), text: notBlank, ...cache })).optional(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .min(1)
    .optional(),
  output_config: z
    .strictObject({ format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }) })
    .optional(),
};
const anthropicBody = z.strictObject({ model: z.string(), stream: z.literal(true), ...body });
const bedrockBody = z.strictObject({ anthropic_version: z.literal('bedrock-2023-05-31'), ...body });
export type ClaudeRequest = z.infer<typeof bedrockBody>;

function wrongTurns(messages: ClaudeRequest['messages']): string | null {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `roles do not alternate at message ${index}`;
    const thoughts = content.map((part) => part.type === 'thinking');
    if (thoughts.includes(true) && !thoughts[0]) return `message ${index} has thoughts, but does not begin with them`;
    const results = content.flatMap((part) => (part.type === 'tool_result' ? [part.tool_use_id] : []));
    const isFirst = content.slice(0, results.length).every((part) => part.type === 'tool_result');
    if (!isFirst) return `the tool results of message ${index} are not at its beginning`;
    if (JSON.stringify([...results].sort()) !== JSON.stringify([...open].sort())) {
      return `message ${index} answers ${results.join() || 'no call'} where ${open.join() || 'no call'} is open`;
    }
    open = content.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []));
    if (open.length > 0 && role === 'user') return `the user calls a tool in message ${index}`;
    for (const id of open) {
      if (seen.has(id)) return `the id ${id} comes twice`;
      seen.add(id);
    }
  }
  if (messages.length % 2 === 0) return 'the conversation does not end with the user';
  return null;
}

/** Objects must be closed for the API to guarantee them. */
const isClosed = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return true;
  if ('type' in schema && schema.type === 'object') {
    if (!('additionalProperties' in schema) || schema.additionalProperties !== false) return false;
  }
  return Object.values(schema).every(isClosed);
};

/** What both ways to Claude would refuse. */
function asked(request: ClaudeRequest, model: string): Asked<ClaudeRequest> | string {
  const wrong = wrongTurns(request.messages);
  if (wrong) return wrong;
  if (!isClosed(request.output_config?.format.schema)) return 'an object of the output schema is open';
  const marks = JSON.stringify(request).split('"cache_control"').length - 1;
  if (marks > 4) return `${marks} blocks are marked for the cache`;
  return {
    model,
    stream: true,
    position: request.messages.filter((message) => message.role === 'assistant').length,
    opening: JSON.stringify(request.messages[0]?.content),
    request,
  };
}

const FINISHES: Record<string, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

function events({ model, position, pieces, tool_calls, usage, finish_reason }: Said): object[] {
  const { input = 0, output = 0, cached = 0, cache_write = 0 } = usage ?? {};
  const counted = {
    input_tokens: input - cached - cache_write,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cache_write,
  };
  const text = pieces.length === 0 ? [] : [pieces];
  const message = { id: `msg_${position}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  return [
    { type: 'message_start', message: { ...message, ...(usage ? { usage: { ...counted, output_tokens: 1 } } : {}) } },
    { type: 'ping' },
    ...text.flatMap((words) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...words.map((word) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: word },
      })),
      { type: 'content_block_stop', index: 0 },
    ]),
    ...tool_calls.flatMap(({ id, name, arguments: args, signature }, number) => {
      const index = text.length + 2 * number;
      const half = Math.ceil(args.length / 2);
      const delta = (at: number, piece: object) => ({ type: 'content_block_delta', index: at, delta: piece });
      const thought = [
        { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } },
        delta(index, { type: 'thinking_delta', thinking: 'I should ' }),
        delta(index, { type: 'thinking_delta', thinking: 'call it.' }),
        delta(index, { type: 'signature_delta', signature }),
        { type: 'content_block_stop', index },
      ];
      const at = index + 1;
      return [
        ...(signature ? thought : []),
        { type: 'content_block_start', index: at, content_block: { type: 'tool_use', id, name, input: {} } },
        ...['', args.slice(0, half), args.slice(half)].map((partial_json) =>
          delta(at, { type: 'input_json_delta', partial_json }),
        ),
        { type: 'content_block_stop', index: at },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: FINISHES[finish_reason] ?? finish_reason, stop_sequence: null },
      ...(usage ? { usage: { output_tokens: output } } : {}),
    },
    { type: 'message_stop' },
  ];
}

const sse = (event: object): string =>
  `event: ${'type' in event ? event.type : ''}\ndata: ${JSON.stringify(event)}\n\n`;

const ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
};

export const anthropicWire: Wire<ClaudeRequest> = {
  base: '',
  contentType: 'text/event-stream; charset=utf-8',
  end: '',
  read: (incoming, sent) => {
    if (incoming.method !== 'POST' || incoming.url !== '/v1/messages') return `${incoming.url} is no messages request`;
    if (!incoming.headers['x-api-key'] && !incoming.headers.authorization) return 'there is no key';
    if (!incoming.headers['anthropic-version']) return 'there is no anthropic-version';
    const parsed = anthropicBody.safeParse(sent);
    if (!parsed.success) return z.prettifyError(parsed.error);
    const { model, stream: _, ...request } = parsed.data;
    return asked({ anthropic_version: 'bedrock-2023-05-31', ...request }, model);
  },
  frames: (said) => events(said).map(sse),
  frameOf: (payload) => `event: content_block_delta\ndata: ${payload}\n\n`,
  errorFrame: ({ type, code }) =>
    sse({ type: 'error', error: { type: type ?? code ?? 'api_error', message: 'The server had an error.' } }),
  error: (status, message, code) => ({
    body: { type: 'error', error: { type: code ?? ERRORS[status] ?? 'api_error', message }, request_id: 'req_1' },
  }),
};

export { asked as askedOfClaude, bedrockBody, events as claudeEvents };
