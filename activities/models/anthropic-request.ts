import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { ModelMessage, StepRequest, ToolCall, ToolSchema } from '../../domain/model.ts';
import { signatureFor } from './signatures.ts';
import { withWireIds } from './wire-ids.ts';

const WIRE_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * A conversation is sent again with every turn: all of it but the newest words is then read from the cache. Marked
 * by hand on blocks, because Bedrock does not know the mark for a whole request.
 */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

/** Blank text is refused with 400, wherever it stands. */
const textBlocks = (text: string): ContentBlockParam[] => (text.trim() === '' ? [] : [{ type: 'text', text }]);

const thoughtSchema = z.array(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  ]),
);

/** What the model thought before it called, as it came: it goes on from there. */
function thoughts(call: ToolCall, model: string): ContentBlockParam[] {
  const kept = signatureFor(model, call.signature);
  return kept === undefined ? [] : thoughtSchema.parse(JSON.parse(kept));
}

function blocks(message: ModelMessage, model: string): ContentBlockParam[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return textBlocks(message.content);
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content }];
    case 'assistant':
      return [
        ...message.tool_calls.slice(0, 1).flatMap((call) => thoughts(call, model)),
        ...textBlocks(message.content),
        ...message.tool_calls.flatMap((call, position): ContentBlockParam[] => [
          ...(position > 0 ? thoughts(call, model) : []),
          { type: 'tool_use', id: call.tool_call_id, name: call.name, input: call.arguments },
        ]),
      ];
  }
}

function markNewest(wire: MessageParam[]): void {
  const newest = wire.at(-1)?.content;
  const block = Array.isArray(newest) ? newest.at(-1) : undefined;
  if (block?.type === 'text' || block?.type === 'tool_result') Object.assign(block, CACHED);
}

/** User and assistant take turns: the results of parallel calls, and what people said meanwhile, are one turn. */
function turns(messages: ModelMessage[], model: string): MessageParam[] {
  const wire: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const content = blocks(message, model);
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  if (wire[0]?.role === 'assistant') {
    wire.unshift({ role: 'user', content: [{ type: 'text', text: 'Go on from here.' }] });
  }
  markNewest(wire);
  return wire;
}

const wireTool = ({ name, description, parameters }: ToolSchema): Tool => ({
  name,
  description,
  input_schema: { ...parameters, type: 'object' },
});

export function wireRequest(
  request: StepRequest,
  outputSchema: Record<string, unknown> | null,
): MessageCreateParamsStreaming {
  const instructions = request.messages
    .flatMap((message) => (message.role === 'system' && message.content.trim() !== '' ? [message.content] : []))
    .join('\n\n');
  return {
    model: request.model,
    max_tokens: request.max_tokens,
    stream: true,
    ...(instructions === '' ? {} : { system: [{ type: 'text', text: instructions, ...CACHED }] }),
    messages: turns(withWireIds(request.messages, WIRE_ID), request.model),
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    ...(outputSchema ? { output_config: { format: { type: 'json_schema', schema: outputSchema } } } : {}),
  };
}
