import { describe, expect, it } from 'vitest';
import { conversation, inputText, systemPrompt } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import { agentWith, answered, begun, called, failed, finished, message, stateOf, tool } from './told.ts';

const agent = agentWith({ system_prompt: 'Be good.' });
const said = (...log: Fact[][]) =>
  conversation(agent, 'Go.', stateOf(begun, ...log)).map((one) =>
    one.role === 'assistant'
      ? `assistant: ${one.content} [${one.tool_calls.map((call) => call.tool_call_id).join(' ')}]`
      : `${one.role}: ${one.content}`,
  );
const OPENING = ['system: Be good.', 'user: Go.'];
const calls = [tool('a', 'read_file'), tool('b', 'read_file')];
const turnOne = [
  [called(1)],
  [answered(1, { text: 'Reading.', calls })],
  [finished(1, 'b', 'result b'), finished(1, 'a', { is: 'a' })],
];
const warned: Fact = { kind: 'budget_warned', turn: 2, limit: 'tokens', message: 'Finish now.' };

describe('[3] what a model is told', () => {
  it('begins with the prompt and the input', () => expect(said()).toEqual(OPENING));

  it('holds every answer with its results, in the order they were asked for', () => {
    expect(said(...turnOne, [called(2)])).toEqual([
      ...OPENING,
      'assistant: Reading. [a b]',
      'tool: {"is":"a"}',
      'tool: result b',
    ]);
  });

  it('leaves out tries that failed', () => {
    expect(said([called(1)], [failed(1)], [called(1, 2)])).toEqual(OPENING);
  });

  it('puts a message where it was read: before the turn that first saw it', () => {
    const log = [[message('one')], [called(1)], [message('two')], ...turnOne.slice(1), [message('three')], [called(2)]];
    expect(said(...log)).toEqual([
      ...OPENING,
      'user: one',
      'assistant: Reading. [a b]',
      'tool: {"is":"a"}',
      'tool: result b',
      'user: two',
      'user: three',
    ]);
  });

  it('puts the warning of a budget last, after what people said', () => {
    const log = [...turnOne, [message('hurry')], [warned, called(2)]];
    expect(said(...log).slice(-2)).toEqual(['user: hurry', 'user: Finish now.']);
  });

  it('tells a failure with its code and details, so that the model can do otherwise', () => {
    const refused: Fact = {
      ...(finished(1, 'a') as Extract<Fact, { kind: 'tool_finished' }>),
      ok: false,
      error: runError('scope_violation', 'Not there.', false, { scope_violation: true }),
    };
    const log = [[called(1)], [answered(1, { calls: [tool('a', 'read_file')] })], [refused], [called(2)]];
    const [last] = said(...log).slice(-1);
    expect(JSON.parse(last?.replace('tool: ', '') ?? '')).toMatchObject({
      error: expect.stringContaining('Not there.'),
      code: 'scope_violation',
      scope_violation: true,
    });
  });

  it('is never made while a result is missing', () => {
    expect(() => said(...turnOne.slice(0, 2), [finished(1, 'a')])).toThrow('b');
  });
});

it.each([
  ['plain', 'plain'],
  [{ message: 'hello', more: 1 }, 'hello'],
  [{ n: 1 }, '{\n  "n": 1\n}'],
  [[1], '[\n  1\n]'],
  [null, 'null'],
  [0, '0'],
])('the input %j is told as %j', (input, text) => expect(inputText(input)).toBe(text));

describe('a prompt made from the scope', () => {
  it('names what the agent may do and where, and nothing else', () => {
    const prompt = systemPrompt(
      agentWith({ can_write: true, scope: { notebooks: ['*'], folders: ['/docs'], file_types: ['*.md'] } }),
    );
    for (const words of ['Helper', 'read, list and search', 'change files', '/docs', '*.md'])
      expect(prompt).toContain(words);
    for (const words of ['delete files', 'create files', 'run commands']) expect(prompt).not.toContain(words);
  });

  it('gives way to one of its own, but not to an empty one', () => {
    expect(systemPrompt(agent)).toBe('Be good.');
    expect(systemPrompt(agentWith({ system_prompt: ' \n' }))).toContain('You are Helper');
  });
});
