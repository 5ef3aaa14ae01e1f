import { z } from 'zod';
import type { ModelMessage, ToolSchema } from '../domain/model.ts';

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() })), z.null()])
  .default(null)
  .transform((value) => (Array.isArray(value) ? value.map((part) => part.text ?? '').join('') : (value ?? '')));

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content,
  tool_call_id: z.string().default(''),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .default([]),
});

/** What the demo model reads of a request; other fields are accepted and have no effect on fixed rules. */
export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().default(''),
          parameters: z.record(z.string(), z.unknown()).default({}),
        }),
      }),
    )
    .default([]),
  stream: z.boolean().nullable().default(false),
  stream_options: z.looseObject({ include_usage: z.boolean().default(false) }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).default({}) }).optional(),
    })
    .nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

function parsedArguments(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    return {};
  }
}

export const modelMessages = (request: ChatRequest): ModelMessage[] =>
  request.messages.map(({ role, content: text, tool_call_id, tool_calls }): ModelMessage => {
    switch (role) {
      case 'assistant':
        return {
          role,
          content: text,
          tool_calls: tool_calls.map((call) => ({
            tool_call_id: call.id,
            name: call.function.name,
            arguments: parsedArguments(call.function.arguments),
          })),
        };
      case 'tool':
        return { role, tool_call_id, name: '', content: text };
      case 'user':
        return { role, content: text };
      default:
        return { role: 'system', content: text };
    }
  });

export const toolSchemas = (request: ChatRequest): ToolSchema[] =>
  request.tools.map(({ function: { name, description, parameters } }) => ({ name, description, parameters }));
