import { describe, expect, it } from 'vitest';
import type { Usage } from '../../domain/model.ts';
import { contextWindow, costMicros } from '../../domain/prices.ts';

const usage = (more: Partial<Usage>): Usage => ({ input: 0, output: 0, cached: 0, ...more });

describe('[4] the cost of a call', () => {
  it.each<[string, Partial<Usage>, number]>([
    ['gpt-4o', { input: 1_000_000 }, 2_500_000],
    ['gpt-4o', { output: 1_000_000 }, 10_000_000],
    ['gpt-4o', { input: 1_000_000, cached: 1_000_000 }, 1_250_000],
    ['gpt-4o', { input: 1000, output: 100, cached: 500 }, 2875],
    ['openai:gpt-4o', { input: 1000, output: 100, cached: 500 }, 2875],
    ['claude-sonnet-4-5', { input: 1000, output: 100 }, 4500],
    ['claude-sonnet-4-5', { input: 1000, cached: 1000 }, 300],
    ['claude-sonnet-4-5', { input: 1000, cache_write: 1000 }, 3750],
    ['claude-sonnet-4-5', { input: 1000, cached: 400, cache_write: 500 }, 120 + 1875 + 300],
    ['gemini-2.5-pro', { input: 1000, output: 100 }, 2250],
    ['gemini-2.5-pro', { input: 300_000 }, 750_000],
    ['azure/gpt-4o', { input: 1000, output: 100 }, 3500],
    ['bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0', { input: 1000, output: 100 }, 4500],
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', { input: 1000, output: 100 }, 4950],
  ])('%s with %j costs %i millionths', (model, more, micros) => {
    expect(costMicros(model, usage(more))).toBe(micros);
  });

  it.each(['demo/longhaul-demo', 'ollama/llama3', 'openai-compatible/whatever'])('%s costs nothing', (model) => {
    expect(costMicros(model, usage({ input: 1_000_000, output: 1_000_000 }))).toBe(0);
  });

  it.each(['gpt-99-unheard-of', 'azure/my-deployment', 'bedrock/mine'])('of %s is not known', (model) => {
    expect(costMicros(model, usage({ input: 1 }))).toBeNull();
  });

  it('is rounded up to a whole number', () => {
    expect(costMicros('gpt-4o-mini', usage({ input: 1 }))).toBe(1);
    expect(costMicros('gpt-4o', usage({ input: 3 }))).toBe(8);
    for (let input = 0; input < 2000; input += 2) expect(costMicros('gpt-4o', usage({ input }))).toBe(2.5 * input);
  });

  it('never fails over a provider that counts more in its cache than in all', () => {
    expect(costMicros('gpt-4o', usage({ input: 1000, cached: 5000 }))).toBe(1250);
    expect(costMicros('claude-sonnet-4-5', usage({ input: 1000, cached: 800, cache_write: 800 }))).toBe(240 + 750);
  });

  it('follows the day, where prices changed', () => {
    const sameTokens = usage({ input: 1_000_000, output: 1_000_000 });
    expect(costMicros('o3', sameTokens, new Date('2025-05-01'))).toBe(50_000_000);
    expect(costMicros('o3', sameTokens, new Date('2025-12-01'))).toBe(10_000_000);
  });
});

describe('[4] the context window', () => {
  it.each([
    ['gpt-4o', 128_000],
    ['claude-sonnet-4-5', 200_000],
    ['azure/gpt-4o', 128_000],
    ['bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0', 200_000],
    ['gemini-2.5-pro', 1_048_576],
    ['gemini-2.5-flash', 1_048_576],
    ['ollama/llama3', null],
    ['demo/longhaul-demo', null],
    ['azure/my-deployment', null],
  ])('of %s is %s', (model, tokens) => expect(contextWindow(model)).toBe(tokens));
});
