import { describe, expect, it } from 'vitest';
import { createGeminiProvider } from '../../../activities/models/gemini.ts';
import { CAPABILITIES, type StepRequest } from '../../../domain/model.ts';
import { geminiWire } from '../../doubles/gemini-wire.ts';
import { describeAdapter } from './adapter-contract.ts';
import { OUTPUT_SCHEMA, READ_FILE } from './provider-contract.ts';

const { ask, sent } = describeAdapter({
  name: 'gemini',
  wire: geminiWire,
  model: 'gemini-2.5-pro',
  create: (baseURL, apiKey) => createGeminiProvider({ apiKey, baseURL, capabilities: CAPABILITIES.gemini }),
  argumentsAreText: false,
  wholeAfter: 4,
  stray: 'malformed_answer',
  overflow: {
    fault: '400',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
});

const asked = (signature?: string): StepRequest['messages'] => [
  {
    role: 'assistant',
    content: '',
    tool_calls: ['/a', '/b'].map((path, index) => ({
      tool_call_id: `c${index}`,
      name: 'read_file',
      arguments: { path },
      ...(signature && index === 0 ? { signature } : {}),
    })),
  },
  { role: 'tool', tool_call_id: 'c0', name: 'read_file', content: 'text of a' },
  { role: 'tool', tool_call_id: 'c1', name: 'read_file', content: '{"error": "no such file"}' },
];

describe('what the gemini adapter sends', () => {
  it('sends instruction, turns, tools and limit in the wire format', async () => {
    const { script, answer } = ask([[], { text: 'x' }], { messages: asked(), tools: [READ_FILE], max_tokens: 77 });
    await answer;
    expect(sent(script)).toEqual({
      systemInstruction: expect.objectContaining({ parts: [{ text: 'You are an agent.' }] }),
      contents: [
        { role: 'user', parts: [{ text: `[script:${script}]` }] },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'c0', name: 'read_file', args: { path: '/a' } } },
            { functionCall: { id: 'c1', name: 'read_file', args: { path: '/b' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c0', name: 'read_file', response: { output: 'text of a' } } },
            { functionResponse: { id: 'c1', name: 'read_file', response: { error: 'no such file' } } },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'read_file', description: READ_FILE.description, parametersJsonSchema: READ_FILE.parameters },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 77 },
    });
  });

  it('asks for the schema as the response format', async () => {
    const { script, answer } = ask([{ text: '{}' }], { output_schema: OUTPUT_SCHEMA });
    await answer;
    expect(sent(script)?.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: OUTPUT_SCHEMA,
    });
  });

  it('asks for schema and tools at once where the model takes both', async () => {
    const { script, answer } = ask([{ text: '{}' }], {
      model: 'gemini-3-pro-preview',
      output_schema: OUTPUT_SCHEMA,
      tools: [READ_FILE],
    });
    await answer;
    expect(sent(script)?.generationConfig.responseJsonSchema).toEqual(OUTPUT_SCHEMA);
    expect(sent(script)?.tools?.[0]?.functionDeclarations).toHaveLength(1);
  });
});

describe('the thought signatures of Gemini', () => {
  const model = 'gemini-3-pro-preview';

  it('go back with the call they came with', async () => {
    const call = { name: 'read_file', arguments: { path: '/a' }, signature: 'c2lnbmF0dXJl' };
    const { tool_calls } = await ask([{ tool_calls: [call] }], { model }).answer;
    const { script, answer } = ask([[], { text: 'x' }], { model, messages: asked(tool_calls[0]?.signature) });
    await answer;
    expect(sent(script)?.contents[1]?.parts).toMatchObject([
      { thoughtSignature: 'c2lnbmF0dXJl' },
      { functionCall: { id: 'c1' } },
    ]);
  });

  it('are replaced by the word for "none" where another model made the call', async () => {
    for (const signature of [undefined, 'gemini-2.5-pro c2lnbmF0dXJl']) {
      const { script, answer } = ask([[], { text: 'x' }], { model, messages: asked(signature) });
      await answer;
      const [first, second] = sent(script)?.contents[1]?.parts ?? [];
      expect(first).toMatchObject({ thoughtSignature: 'skip_thought_signature_validator' });
      expect(second).not.toHaveProperty('thoughtSignature');
    }
  });
});

describe('a schema beside tools, for models that take one or the other', () => {
  const both = { output_schema: OUTPUT_SCHEMA, tools: [READ_FILE] };
  const result = { answer: 'yes', files: 3 };
  const final = { name: 'give_final_answer', arguments: result };

  it('is given through a tool and comes back as the text of the answer', async () => {
    const { script, answer } = ask([{ tool_calls: [final] }], both);
    expect(await answer).toMatchObject({
      assistant_message: JSON.stringify(result),
      tool_calls: [],
      stop_reason: 'done',
    });
    expect(sent(script)?.generationConfig).toEqual({ maxOutputTokens: 1000 });
    expect(sent(script)?.tools?.[0]?.functionDeclarations.map((tool) => tool.name)).toEqual([
      'read_file',
      'give_final_answer',
    ]);
  });

  it('is left out of an answer that calls other tools too', async () => {
    const { answer } = ask([{ tool_calls: [final, { name: 'read_file', arguments: { path: '/a' } }] }], both);
    expect((await answer).tool_calls.map((call) => call.name)).toEqual(['read_file']);
  });

  it('may be of any type', async () => {
    const { answer } = ask([{ tool_calls: [{ name: 'give_final_answer', arguments: { output: [1, 2] } }] }], {
      ...both,
      output_schema: { type: 'array', items: { type: 'integer' } },
    });
    expect((await answer).assistant_message).toBe('[1,2]');
  });
});

describe('what the gemini adapter makes of failures', () => {
  it('a bad key is told as that, whatever the status', async () => {
    const { answer } = ask([{ fault: '400', message: 'API key not valid.', code: 'API_KEY_INVALID' }]);
    await expect(answer).rejects.toMatchObject({
      code: 'bad_model_key',
      message: 'gemini answered 400 API key not valid.',
    });
  });

  it('a rate limit tells its wait in the body, where no header does', async () => {
    const { answer } = ask([{ fault: '429' }]);
    await expect(answer).rejects.toMatchObject({ code: 'rate_limited', details: { retry_after_ms: 3500 } });
  });

  it('a call that Gemini itself found malformed can be tried again', async () => {
    const { answer } = ask([{ finish_reason: 'MALFORMED_FUNCTION_CALL' }]);
    await expect(answer).rejects.toMatchObject({ code: 'malformed_answer', details: { retryable: true } });
  });
});
