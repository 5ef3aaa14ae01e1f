import type { Content, GenerateContentParameters, Part } from '@google/genai';
import { isRecord } from '../../domain/json-value.ts';
import type { ModelMessage, StepRequest } from '../../domain/model.ts';
import { signatureFor } from './signatures.ts';
import { withWireIds } from './wire-ids.ts';

const WIRE_ID = /^[\w.:-]{1,64}$/;

/** What Google names for calls that no model of its own made, which have no signature to show. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** The tool through which models that cannot have tools and a response format at once give their result. */
export const FINAL_ANSWER = 'give_final_answer';

/** Gemini 3 and later check signatures, and take tools together with a response format; those before do neither. */
const isThirdGeneration = (model: string): boolean => Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;

export const asksThroughTool = (request: StepRequest): boolean =>
  request.output_schema !== undefined && request.tools.length > 0 && !isThirdGeneration(request.model);

function response(content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content);
    if (isRecord(value)) return value;
  } catch {
    // Text is as good an output as any.
  }
  return { output: content };
}

function callParts(message: Extract<ModelMessage, { role: 'assistant' }>, model: string): Part[] {
  return message.tool_calls.map((call, position): Part => {
    const genuine = signatureFor(model, call.signature);
    // Of parallel calls only the first is signed.
    const stand_in = position === 0 && isThirdGeneration(model) ? NO_SIGNATURE : undefined;
    const thoughtSignature = genuine ?? stand_in;
    return {
      functionCall: { id: call.tool_call_id, name: call.name, args: call.arguments },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    };
  });
}

/** Results of parallel calls belong in one turn; what people said meanwhile is the next one. */
function contents(messages: ModelMessage[], model: string): Content[] {
  const wire: Content[] = [];
  let results: Part[] | null = null;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!results) {
        results = [];
        wire.push({ role: 'user', parts: results });
      }
      const { tool_call_id: id, name, content } = message;
      results.push({ functionResponse: { id, name, response: response(content) } });
      continue;
    }
    results = null;
    const text = message.content === '' ? [] : [{ text: message.content }];
    if (message.role === 'user' && text.length > 0) wire.push({ role: 'user', parts: text });
    if (message.role !== 'assistant') continue;
    const parts = [...text, ...callParts(message, model)];
    if (parts.length > 0) wire.push({ role: 'model', parts });
  }
  return wire;
}

function finalAnswerTool(schema: Record<string, unknown>) {
  const parameters =
    schema.type === 'object'
      ? schema
      : { type: 'object', properties: { output: schema }, required: ['output'], additionalProperties: false };
  return {
    name: FINAL_ANSWER,
    description: 'Give the final result. Call it once, alone, when all other work is done.',
    parametersJsonSchema: parameters,
  };
}

export function wireRequest(request: StepRequest): GenerateContentParameters {
  const { model, output_schema } = request;
  const throughTool = asksThroughTool(request);
  const declarations = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  if (throughTool && output_schema) declarations.push(finalAnswerTool(output_schema));
  const instructions = request.messages
    .flatMap((message) => (message.role === 'system' && message.content !== '' ? [message.content] : []))
    .concat(throughTool ? [`Give your final result by calling ${FINAL_ANSWER}.`] : []);
  return {
    model,
    contents: contents(withWireIds(request.messages, WIRE_ID), model),
    config: {
      maxOutputTokens: request.max_tokens,
      // Both would make calls that nobody decided on.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      ...(instructions.length > 0 ? { systemInstruction: instructions.join('\n\n') } : {}),
      ...(declarations.length > 0 ? { tools: [{ functionDeclarations: declarations }] } : {}),
      ...(output_schema && !throughTool
        ? { responseMimeType: 'application/json', responseJsonSchema: output_schema }
        : {}),
    },
  };
}
