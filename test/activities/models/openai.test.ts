import { describe, expect, it } from 'vitest';
import { createOpenAiProvider } from '../../../activities/models/openai.ts';
import { CAPABILITIES } from '../../../domain/model.ts';
import { azureWire, openAiWire } from '../../doubles/openai-wire.ts';
import { describeAdapter } from './adapter-contract.ts';
import { OUTPUT_SCHEMA, READ_FILE } from './provider-contract.ts';

const OVERFLOW = {
  fault: '400',
  code: 'context_length_exceeded',
  message: "This model's maximum context length is 128000 tokens.",
} as const;
const same = { argumentsAreText: true, wholeAfter: 4, stray: 'malformed_answer', overflow: OVERFLOW } as const;

const { ask, sent } = describeAdapter({
  ...same,
  name: 'openai',
  wire: openAiWire,
  model: 'gpt-4o',
  create: (baseURL, apiKey) =>
    createOpenAiProvider({
      name: 'openai',
      apiKey,
      baseURL,
      capabilities: CAPABILITIES.openai,
      tokenLimitField: 'max_completion_tokens',
    }),
});

describeAdapter({
  ...same,
  name: 'azure',
  wire: azureWire,
  model: 'my-deployment',
  wholeAfter: 5,
  create: (baseURL, apiKey) =>
    createOpenAiProvider({
      name: 'azure',
      apiKey,
      baseURL,
      azureApiVersion: '2024-10-21',
      capabilities: CAPABILITIES.azure,
      tokenLimitField: 'max_completion_tokens',
    }),
});

describe('what the OpenAI adapter sends', () => {
  it('sends conversation, tools, limit and schema in the wire format, and asks for usage', async () => {
    const { script, answer } = ask([[], { text: 'x' }], {
      messages: [
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { tool_call_id: 'c1', name: 'read_file', arguments: { path: '/a' } },
            { tool_call_id: 'c2', name: 'read_file', arguments: {}, malformed: '{"path' },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: 'text of a' },
        { role: 'tool', tool_call_id: 'c2', name: 'read_file', content: '{"error": "no JSON"}' },
      ],
      tools: [READ_FILE],
      max_tokens: 77,
      output_schema: OUTPUT_SCHEMA,
    });
    await answer;
    expect(sent(script)).toEqual({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 77,
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: `[script:${script}]` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"/a"}' } },
            { id: 'c2', type: 'function', function: { name: 'read_file', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'text of a' },
        { role: 'tool', tool_call_id: 'c2', content: '{"error": "no JSON"}' },
      ],
      tools: [{ type: 'function', function: READ_FILE }],
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: OUTPUT_SCHEMA, strict: true } },
    });
  });

  it.each([
    ['an optional property', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
    [
      'a keyword strict mode does not know',
      {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^x' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    ['an open object', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    ['no object at its root', { type: 'array', items: { type: 'string' } }],
  ])('does not demand strictness of a schema with %s, which would be answered with 400', async (_, output_schema) => {
    const { script, answer } = ask([{ text: '{}' }], { output_schema });
    await answer;
    expect(sent(script)).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });
});

describe('what the OpenAI adapter makes of failures', () => {
  it('an exhausted quota is told as final', async () => {
    const { answer } = ask([{ fault: '429', code: 'insufficient_quota' }]);
    await expect(answer).rejects.toMatchObject({ code: 'rate_limited', details: { retryable: false } });
  });
});
