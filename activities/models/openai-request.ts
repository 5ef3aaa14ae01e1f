import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { isRecord } from '../../domain/json-value.ts';
import type { ModelMessage, StepRequest } from '../../domain/model.ts';
import { withWireIds } from './wire-ids.ts';

const WIRE_ID = /^.{1,40}$/s;

function wireMessage(message: ModelMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: message.content };
    case 'assistant':
      if (message.tool_calls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.tool_calls.map((call) => ({
          id: call.tool_call_id,
          type: 'function',
          // Never the malformed text: several servers parse this and answer 500 to a conversation that holds it.
          function: { name: call.name, arguments: JSON.stringify(call.arguments) },
        })),
      };
  }
}

const STRICT_KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'],
  ...['$defs', '$ref', '$schema', 'title', 'description'],
]);

/**
 * Whether the provider can guarantee the schema: strict mode answers 400 to any keyword it does not know and to
 * objects that leave a property optional. Other schemas are sent all the same, as a wish; the run validates both.
 */
function isStrictSchema(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  if (Object.keys(schema).some((keyword) => !STRICT_KEYWORDS.has(keyword))) return false;
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (schema.type === 'object' || properties !== undefined) {
    if (!isRecord(properties) || additionalProperties !== false || !Array.isArray(required)) return false;
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
  }
  const below = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(isRecord($defs) ? Object.values($defs) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return below.every(isStrictSchema);
}

/** OpenAI's newer models refuse `max_tokens`; most servers that speak its API know nothing else. */
export type TokenLimitField = 'max_tokens' | 'max_completion_tokens';

export function wireRequest(request: StepRequest, limit: TokenLimitField): ChatCompletionCreateParamsStreaming {
  const tools = request.tools.map(
    (tool): ChatCompletionTool => ({
      type: 'function',
      function: { name: tool.name, description: tool.description, parameters: tool.parameters },
    }),
  );
  const schema = request.output_schema;
  return {
    model: request.model,
    messages: withWireIds(request.messages, WIRE_ID).map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    [limit]: request.max_tokens,
    ...(tools.length > 0 ? { tools } : {}),
    ...(schema
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'output', schema, strict: schema.type === 'object' && isStrictSchema(schema) },
          },
        }
      : {}),
  };
}
