import { z } from 'zod';
import type { ModelMessage, StepRequest } from '../../domain/model.ts';
import type { Answer } from './answer.ts';

/**
 * Tools for servers that know nothing of them but can keep an answer to a schema: each answer is an envelope with
 * what the model says and the calls it would make.
 */
const envelope = z.looseObject({
  say: z.string().default(''),
  tool_calls: z.array(z.looseObject({ name: z.string(), arguments: z.unknown() })).default([]),
  output: z.unknown().optional(),
});

function envelopeSchema({ tools, output_schema }: StepRequest): Record<string, unknown> {
  const calls = tools.map((tool) => ({
    type: 'object',
    properties: { name: { const: tool.name }, arguments: tool.parameters },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }));
  const output = output_schema ? { output: { anyOf: [output_schema, { type: 'null' }] } } : {};
  return {
    type: 'object',
    properties: { say: { type: 'string' }, tool_calls: { type: 'array', items: { anyOf: calls } }, ...output },
    required: ['say', 'tool_calls', ...Object.keys(output)],
    additionalProperties: false,
  };
}

function instructions({ tools, output_schema }: StepRequest): string {
  return [
    'Answer with one JSON object: "say" is your text, "tool_calls" the tools you want to be called, each with "name" and "arguments". Their results come with the next message. An empty "tool_calls" ends your work.',
    ...(output_schema ? ['"output" is your final result; null as long as you call tools.'] : []),
    'The tools:',
    ...tools.map((tool) => `- ${tool.name}: ${tool.description} Arguments: ${JSON.stringify(tool.parameters)}`),
  ].join('\n');
}

function plainMessage(message: ModelMessage): ModelMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `Result of ${message.name} (${message.tool_call_id}):\n${message.content}` };
  }
  if (message.role !== 'assistant' || message.tool_calls.length === 0) return message;
  const tool_calls = message.tool_calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return { role: 'assistant', content: JSON.stringify({ say: message.content, tool_calls }), tool_calls: [] };
}

/** Chat templates of such servers often insist that user and assistant take turns. */
function inTurns(messages: ModelMessage[]): ModelMessage[] {
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      turns[turns.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` };
    } else turns.push(message);
  }
  return turns;
}

export function throughStructuredOutput(request: StepRequest): StepRequest {
  const messages = request.messages.map(plainMessage);
  const at = messages.findLastIndex((message) => message.role === 'system') + 1;
  messages.splice(at, 0, { role: 'system', content: instructions(request) });
  return { ...request, messages: inTurns(messages), tools: [], output_schema: envelopeSchema(request) };
}

/** Puts what is in the envelope where an answer with tools of its own would have it. */
export function readEnvelope(answer: Answer, onDelta: (text: string) => void = () => {}): void {
  const parsed = envelope.safeParse(parsedJson(answer.text));
  if (!parsed.success) throw answer.malformed('an answer that is not in the form it was asked for');
  const { say, tool_calls, output } = parsed.data;
  const isFinal = tool_calls.length === 0 && output !== undefined && output !== null;
  answer.text = isFinal ? JSON.stringify(output) : say;
  if (answer.text !== '') onDelta(answer.text);
  for (const [index, call] of tool_calls.entries()) {
    answer.openCall(index, '', call.name).arguments = JSON.stringify(call.arguments ?? {});
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
