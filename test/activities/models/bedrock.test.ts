import { describe, expect, it } from 'vitest';
import { createBedrockProvider } from '../../../activities/models/anthropic.ts';
import { CAPABILITIES } from '../../../domain/model.ts';
import { bedrockWire } from '../../doubles/bedrock-wire.ts';
import { ScriptedModel } from '../../doubles/scripted-model.ts';
import { describeAdapter } from './adapter-contract.ts';
import { request } from './provider-contract.ts';

const MODEL = 'us.anthropic.claude-sonnet-4-6-20260101-v1:0';
const common = { region: 'us-test-1', capabilities: CAPABILITIES.bedrock };

const { ask } = describeAdapter({
  name: 'bedrock',
  wire: bedrockWire,
  model: MODEL,
  create: (baseURL, secretAccessKey) =>
    createBedrockProvider({ ...common, baseURL, accessKeyId: 'AKIDEXAMPLE', secretAccessKey, sessionToken: 'token' }),
  argumentsAreText: true,
  wholeAfter: 7,
  stray: 'stream_cut',
  overflow: { fault: '400', message: 'Input is too long for requested model.' },
});

describe('what the bedrock adapter makes of failures', () => {
  it('a model id that does not exist is told as that', async () => {
    const { answer } = ask([{ fault: '400', message: 'The provided model identifier is invalid.' }]);
    await expect(answer).rejects.toMatchObject({ code: 'model_not_found', details: { retryable: false } });
  });
});

describe('what the bedrock adapter signs with', () => {
  it('a Bedrock API key instead of a signature, where there is one', async () => {
    const model = await ScriptedModel.speaking(bedrockWire, { keyed: [{ text: 'fine' }] });
    const provider = createBedrockProvider({ ...common, baseURL: model.url, apiKey: 'a-bedrock-key' });
    const answer = provider.streamStep(request('[script:keyed]', { model: MODEL }), {
      signal: new AbortController().signal,
      idleMs: 5_000,
    });
    expect(await answer).toMatchObject({ assistant_message: 'fine' });
    await model.close();
  });
});
