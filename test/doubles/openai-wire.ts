import type http from 'node:http';
import { z } from 'zod';
import { chunks, completion, sse, type WireAnswer, wireError } from '../../demo/wire.ts';
import type { Said, Wire } from './wire.ts';

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.unknown()).default([]),
});
export type OpenAiRequest = z.infer<typeof requestSchema>;

const callsSchema = z.array(z.looseObject({ id: z.string().min(1).max(40) })).default([]);

/** As OpenAI does: every call is answered right after the message that made it, and nothing else is. */
function wrongTools(messages: OpenAiRequest['messages']): string | null {
  const open = new Set<unknown>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return `the result of ${message.tool_call_id} follows no such call`;
      continue;
    }
    if (open.size > 0) return `the call ${[...open][0]} has no result`;
    const calls = callsSchema.safeParse(message.tool_calls);
    if (!calls.success) return 'a tool call has no id, or one of more than 40 characters';
    for (const { id } of calls.data) open.add(id);
  }
  return open.size > 0 ? `the call ${[...open][0]} has no result` : null;
}

function answerOf(said: Said): WireAnswer {
  const { usage, position, finish_reason, ...same } = said;
  return {
    ...same,
    id: `chatcmpl-${position}`,
    created: 1,
    finish_reason,
    usage: usage && {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    },
  };
}

export const openAiWire: Wire<OpenAiRequest> = {
  base: '/v1',
  contentType: 'text/event-stream',
  end: sse('[DONE]'),
  read: (incoming, body) => {
    const parsed = requestSchema.safeParse(body);
    if (incoming.url !== '/v1/chat/completions' || !parsed.success) {
      return `${incoming.method} ${incoming.url} is no chat completion request`;
    }
    const request = parsed.data;
    const wrong = wrongTools(request.messages);
    if (wrong) return wrong;
    const first = request.messages.find((message) => message.role === 'user');
    return {
      model: request.model,
      stream: request.stream,
      position: request.messages.filter((message) => message.role === 'assistant').length,
      opening: JSON.stringify(first?.content ?? ''),
      request,
    };
  },
  frames: (said) => chunks(answerOf(said), true).map(sse),
  whole: (said) => completion(answerOf(said)),
  frameOf: (payload) => `data: ${payload}\n\n`,
  errorFrame: ({ type, code }) => sse(wireError('The server had an error.', type ?? 'server_error', code ?? null)),
  error: (status, message, code) => ({
    body: wireError(message, status === 429 ? 'requests' : 'scripted_error', code ?? null),
  }),
};

/** Azure's dialect: the deployment is in the path, the key in a header of its own, and a first chunk says nothing. */
export const azureWire: Wire<OpenAiRequest> = {
  ...openAiWire,
  base: '',
  read: (incoming: http.IncomingMessage, body: unknown) => {
    const url = new URL(incoming.url ?? '', 'http://localhost');
    const deployment = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/.exec(url.pathname)?.[1];
    if (!deployment || !url.searchParams.get('api-version')) return `${incoming.url} is no address of a deployment`;
    if (!incoming.headers['api-key']) return 'there is no api-key';
    incoming.url = '/v1/chat/completions';
    return openAiWire.read(incoming, body);
  },
  frames: (said) => [
    sse({ choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] }),
    ...openAiWire.frames(said),
  ],
};
