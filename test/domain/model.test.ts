import { describe, expect, it } from 'vitest';
import { isFailure } from '../../domain/failures.ts';
import { parseModel } from '../../domain/model.ts';

describe('[4] a model string', () => {
  it.each([
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['o3', 'openai', 'o3'],
    ['o4-mini', 'openai', 'o4-mini'],
    ['chatgpt-4o-latest', 'openai', 'chatgpt-4o-latest'],
    ['openai/gpt-4o', 'openai', 'gpt-4o'],
    ['openai:gpt-4o', 'openai', 'gpt-4o'],
    ['demo/longhaul-demo', 'demo', 'longhaul-demo'],
    ['ollama/llama3', 'ollama', 'llama3'],
    ['ollama:llama3:8b', 'ollama', 'llama3:8b'],
    ['ollama/library/llama3', 'ollama', 'library/llama3'],
    ['claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['anthropic:claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['gemini/gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['azure/my-deployment', 'azure', 'my-deployment'],
    ['bedrock/us.anthropic.claude-sonnet-4-6-v1:0', 'bedrock', 'us.anthropic.claude-sonnet-4-6-v1:0'],
    ['bedrock:us.anthropic.claude-opus-5', 'bedrock', 'us.anthropic.claude-opus-5'],
    ['openai-compatible/org/model:tag', 'openai-compatible', 'org/model:tag'],
  ])('%s is %s with %s', (text, provider, model) => expect(parseModel(text)).toEqual({ provider, model }));

  it.each([
    '',
    'opus',
    'claude',
    'nobody/x',
    'ollama/',
    'ollama:',
    '/x',
    'OpenAI/gpt-4o',
    'oscar',
    'my-gpt-4',
    'constructor/x',
  ])('%j is refused with the providers there are', (text) => {
    try {
      parseModel(text);
    } catch (error) {
      expect(isFailure(error) && [error.code, error.details.model]).toEqual(['unsupported_model', text]);
      expect(isFailure(error) && error.details.providers).toContain('openai');
      return;
    }
    throw new Error('it was taken');
  });
});
