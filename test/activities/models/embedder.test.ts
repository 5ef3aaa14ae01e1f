import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmbedder } from '../../../activities/models/embedder.ts';
import { embeddingModel, readConfig } from '../../../config.ts';
import { embeddingModelFrom } from '../../../domain/embedding.ts';
import { dot } from '../../../domain/meaning.ts';
import type { ModelSettings } from '../../../domain/model-settings.ts';
import { EmbeddingServer } from '../../doubles/embedding-server.ts';

const KEY = 'a-key-of-some-length';
let server: EmbeddingServer;
let settings: ModelSettings;
beforeAll(async () => {
  server = await EmbeddingServer.start();
  settings = {
    openai_api_key: KEY,
    openai_base_url: `${server.url}/v1`,
    gemini_api_key: KEY,
    gemini_base_url: server.url,
    azure_endpoint: server.url,
    azure_api_key: KEY,
    ollama_base_url: `${server.url}/v1`,
    ollama_api_key: KEY,
  };
});
afterAll(() => server.close());
beforeEach(() => {
  server.calls.length = 0;
  server.faults.length = 0;
});

const options = (timeoutMs = 10_000, signal = new AbortController().signal) => ({ signal, timeoutMs });
const embedder = (model: string, clean = (text: string) => text) =>
  createEmbedder(embeddingModelFrom(model, settings), settings, clean);

const MODELS: [string, string, string][] = [
  ['text-embedding-3-small', 'openai/text-embedding-3-small', '/v1/embeddings'],
  ['openai-compatible/e5', 'openai-compatible/e5', '/v1/embeddings'],
  ['ollama/nomic-embed-text', 'ollama/nomic-embed-text', '/v1/embeddings'],
  ['azure/mine', 'azure/mine', '/openai/deployments/mine/embeddings?api-version=2024-10-21'],
  ['gemini-embedding-001', 'gemini/gemini-embedding-001', '/v1beta/models/gemini-embedding-001:batchEmbedContents'],
];

describe.each(MODELS)('[3] embeddings of %s', (model, name, path) => {
  it('are asked for in one call, and come in the order of the texts, with length 1', async () => {
    const ours = embedder(model);
    expect(ours.model).toBe(name);
    const texts = ['The car is here.', 'An automobile.', 'Bread and butter.'];
    const [car, auto, bread] = await ours.embed(texts, 'document', options());
    expect(server.calls.map((call) => [call.path, call.texts])).toEqual([[path, texts]]);
    if (!car || !auto || !bread) throw new Error('a vector is missing');
    expect(dot(car, car)).toBeCloseTo(1, 5);
    expect(dot(car, auto)).toBeGreaterThan(0.3);
    expect(dot(car, bread)).toBeLessThan(0.1);
  });

  it('go out without what no provider may see', async () => {
    await embedder(model, (text) => text.replace('hunter2', '***')).embed(['it is hunter2'], 'document', options());
    expect(server.calls[0]?.texts).toEqual(['it is ***']);
  });

  it('that are refused for a while are a failure that may pass, told once and without the key', async () => {
    server.faults.push({
      status: 429,
      body: { error: { message: `slow down, ${KEY}`, code: 429, status: 'RESOURCE_EXHAUSTED' } },
      headers: { 'retry-after': '7' },
    });
    const failed = embedder(model).embed(['a text'], 'document', options());
    await expect(failed).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryable: true, retry_after_ms: 7_000 },
    });
    await expect(failed).rejects.not.toThrow(KEY);
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    [401, 'bad_model_key', false],
    [404, 'model_not_found', false],
    [503, 'provider_unavailable', true],
  ])('that are answered with %d fail as %s', async (status, code, retryable) => {
    server.faults.push({ status, body: { error: { message: 'no', code: status } } });
    await expect(embedder(model).embed(['a text'], 'document', options())).rejects.toMatchObject({
      code,
      details: { retryable },
    });
  });

  it('that are late are given up, and those nobody waits for are let go', async () => {
    server.faults.push('hang', 'hang');
    await expect(embedder(model).embed(['a text'], 'query', options(50))).rejects.toMatchObject({
      code: 'model_timeout',
      details: { retryable: true },
    });
    const gone = new AbortController();
    const left = embedder(model).embed(['a text'], 'query', options(10_000, gone.signal));
    await server.called(2);
    gone.abort(new Error('nobody waits'));
    await expect(left).rejects.toThrow('nobody waits');
  });

  it('that are not there, or not all, are no answer', async () => {
    const one = { data: [{ index: 0, embedding: [1, 0] }], embeddings: [{ values: [1, 0] }] };
    const nothing = { data: [{ index: 0, embedding: [0, 0] }], embeddings: [{ values: [0, 0] }] };
    server.faults.push({ status: 200, body: one }, { status: 200, body: nothing });
    await expect(embedder(model).embed(['a', 'b'], 'document', options())).rejects.toMatchObject({
      code: 'malformed_answer',
    });
    await expect(embedder(model).embed(['a'], 'document', options())).rejects.toMatchObject({
      code: 'malformed_answer',
    });
  });
});

it('[3] Gemini is told which text is a question', async () => {
  await embedder('gemini-embedding-001').embed(['why'], 'query', options());
  await embedder('gemini-embedding-001').embed(['because'], 'document', options());
  expect(server.calls.map(({ task }) => task)).toEqual(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT']);
});

it('[3] the second generation of Gemini is told in words', async () => {
  await embedder('gemini-embedding-2').embed(['why'], 'query', options());
  await embedder('gemini-embedding-2').embed(['because', 'so'], 'document', options());
  expect(server.calls.map(({ task, texts }) => [task, texts])).toEqual([
    [undefined, ['task: search result | query: why']],
    [undefined, ['title: none | text: because', 'title: none | text: so']],
  ]);
});

it('[3] a provider that is not there is a failure that may pass', async () => {
  const nowhere = { ...settings, openai_base_url: 'http://127.0.0.1:1/v1' };
  const ours = createEmbedder(embeddingModelFrom('openai-compatible/e5', nowhere), nowhere, (text) => text);
  await expect(ours.embed(['a'], 'document', options())).rejects.toMatchObject({
    code: 'provider_unavailable',
    details: { retryable: true },
  });
});

it.each([
  ['claude-opus-5', 'anthropic has no embeddings'],
  ['bedrock/us.anthropic.claude-opus-5', 'bedrock has no embeddings'],
  ['demo/longhaul-demo', 'demo has no embeddings'],
  ['text-embedding-3-small', 'OPENAI_API_KEY'],
  ['unheard-of', 'No provider is known'],
])('[3] the embedding model %s is refused at the start', (model, why) => {
  expect(() => embeddingModel(readConfig({ LONGHAUL_EMBEDDING_MODEL: model }))).toThrow(
    new RegExp(`LONGHAUL_EMBEDDING_MODEL cannot be used: .*${why}`),
  );
});

it('[3] without an embedding model there is none', () => {
  expect(embeddingModel(readConfig({}))).toBeNull();
});
