import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { Answer } from '../../../activities/models/answer.ts';
import { addChunk } from '../../../activities/models/openai-answer.ts';
import { request } from './provider-contract.ts';

type Delta = ChatCompletionChunk.Choice.Delta;

function answerOf(...deltas: Delta[]) {
  const answer = new Answer('some server');
  const chunk = (delta: Delta, finish_reason: 'tool_calls' | null): ChatCompletionChunk => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  for (const delta of deltas) addChunk(answer, chunk(delta, null));
  addChunk(answer, chunk({}, 'tool_calls'));
  return answer.result(request('go')).tool_calls.map((call) => [call.name, call.arguments]);
}

describe('the dialects in which servers stream tool calls', () => {
  it.each<[string, Delta[]]>([
    [
      'arguments in small pieces, the calls one after the other',
      [
        { tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"n"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
        { tool_calls: [{ index: 1, id: 'y', function: { name: 'b', arguments: '{"n":' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '2}' } }] },
      ],
    ],
    [
      'pieces of two calls interleaved',
      [
        { tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"n"' } }] },
        { tool_calls: [{ index: 1, id: 'y', function: { name: 'b', arguments: '{"n"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
        { tool_calls: [{ index: 1, function: { arguments: ':2}' } }] },
      ],
    ],
    [
      'whole calls that are all numbered 0',
      [
        { tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"n":1}' } }] },
        { tool_calls: [{ index: 0, id: 'y', function: { name: 'b', arguments: '{"n":2}' } }] },
      ],
    ],
    [
      'the id and name repeated with every piece',
      [
        { tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"n"' } }] },
        { tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: ':1}' } }] },
        { tool_calls: [{ index: 1, id: 'y', function: { name: 'b', arguments: '{"n":2}' } }] },
      ],
    ],
  ])('%s', (_, deltas) => {
    expect(answerOf(...deltas)).toEqual([
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ]);
  });
});

describe('arguments that no log could hold', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  it.each([
    ['nested too deep', nested(200)],
    ['nested far too deep', nested(100_000)],
    ['nested too deep in lists', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['a NUL in a name', '{"a\\u0000b":1}'],
    ['a NUL in an inner name', '{"a":[{"b\\u0000":1}]}'],
  ])('count as malformed: %s', (_what, text) => {
    const answer = new Answer('some server');
    const tool_calls = [{ index: 0, id: 'x', function: { name: 'a', arguments: text } }];
    addChunk(answer, {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { tool_calls }, finish_reason: 'tool_calls' }],
    });
    expect(answer.result(request('go')).tool_calls).toEqual([
      { tool_call_id: 'x', name: 'a', arguments: {}, malformed: text },
    ]);
  });

  it('are not those with a NUL in a value, or nested as deep as anybody needs', () => {
    const calls = [`{"a":"x\\u0000y"}`, nested(50)].map((args, index) => ({
      index,
      id: `${index}`,
      function: { name: 'a', arguments: args },
    }));
    expect(answerOf({ tool_calls: calls })).toEqual([
      ['a', { a: 'x\0y' }],
      ['a', JSON.parse(nested(50))],
    ]);
  });
});
