import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelProvider } from '../../../activities/models/contract.ts';
import type { StepRequest, StepResult } from '../../../domain/model.ts';
import { type Script, ScriptedModel, type Turn } from '../../doubles/scripted-model.ts';
import type { Wire } from '../../doubles/wire.ts';
import { describeFailures } from './adapter-failures.ts';
import { describeProvider, request } from './provider-contract.ts';

export interface Adapter<Request> {
  /** As it names itself in failures. */
  name: string;
  wire: Wire<Request>;
  model: string;
  create: (url: string, key: string) => ModelProvider;
  /** Arguments come as text, which may be no JSON; elsewhere they come as values. */
  argumentsAreText: boolean;
  /** How many frames of "all there" make the answer whole. */
  wholeAfter: number;
  /** What comes of a chunk that is JSON and no answer: some SDKs pass over it, and the answer never ends. */
  stray: 'malformed_answer' | 'stream_cut';
  /** How the provider says that a conversation is too long. */
  overflow: Turn;
}

const KEY = 'a-key-of-some-length';

/** What every adapter makes of what its provider sends, each with its real SDK against a server that speaks its wire. */
export function describeAdapter<Request>(adapter: Adapter<Request>) {
  const { name, wire } = adapter;
  let model: ScriptedModel<Request>;
  beforeAll(async () => {
    model = await ScriptedModel.speaking(wire);
  });
  afterEach(() => {
    expect(model.unexpected).toEqual([]);
  });
  afterAll(() => model.close());

  const provider = (url = model.url, key = KEY) => adapter.create(url, key);
  let scripts = 0;
  /** One call to a script of its own. */
  function ask(
    script: Script,
    more: Partial<StepRequest> = {},
    idleMs = 5_000,
  ): { script: string; answer: Promise<StepResult> } {
    const own = `case-${++scripts}`;
    model.script(own, script);
    const wanted = request(`[script:${own}]`, { model: adapter.model });
    const [system, first] = wanted.messages;
    const messages = [...(system ? [system] : []), ...(first ? [first] : []), ...(more.messages ?? [])];
    const answer = provider().streamStep(
      { ...wanted, ...more, messages },
      { signal: new AbortController().signal, idleMs },
    );
    return { script: own, answer };
  }
  const scripted = (own: string, script: Script): string => {
    beforeAll(() => model.script(own, script));
    return `[script:${own}] go`;
  };

  describeProvider(`The ${name} adapter`, {
    provider,
    model: adapter.model,
    text: scripted('text', [{ text: 'Three short words.' }]),
    tool: scripted('tool', [{ tool_calls: [{ name: 'list_files', arguments: { path: '/' } }] }]),
    parallel: [
      {
        role: 'user',
        content: scripted('parallel', [
          { tool_calls: ['/a.md', '/b.md'].map((path) => ({ name: 'read_file', arguments: { path } })) },
        ]),
      },
    ],
    structured: scripted('structured', [{ text: JSON.stringify({ answer: 'yes', files: 3 }) }]),
    slow: scripted('slow', [{ fault: 'slow', delay_ms: 20, text: 'word '.repeat(500) }]),
  });

  describe(`what the ${name} adapter sends`, () => {
    it('is a conversation its provider takes: parallel results together, people in between, odd and repeated ids', async () => {
      const long = `toolu/${'x'.repeat(80)}`;
      const { answer } = ask([[], [], [], { text: 'fine' }], {
        messages: [
          {
            role: 'assistant',
            content: 'I look.',
            tool_calls: [
              { tool_call_id: long, name: 'read_file', arguments: { path: '/a' } },
              { tool_call_id: 'functions.list:0', name: 'list_files', arguments: {} },
              { tool_call_id: 'same', name: 'read_file', arguments: {}, malformed: '{"path' },
            ],
          },
          { role: 'tool', tool_call_id: long, name: 'read_file', content: 'text of a' },
          { role: 'tool', tool_call_id: 'functions.list:0', name: 'list_files', content: '["a", "b"]' },
          { role: 'tool', tool_call_id: 'same', name: 'read_file', content: '{"error": "no JSON"}' },
          { role: 'user', content: 'Be quick.' },
          { role: 'user', content: 'And exact.' },
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ tool_call_id: 'same', name: 'read_file', arguments: { path: '/b' } }],
          },
          { role: 'tool', tool_call_id: 'same', name: 'read_file', content: '' },
          { role: 'assistant', content: 'Done.', tool_calls: [] },
          { role: 'user', content: 'Once more.' },
        ],
      });
      expect(await answer).toMatchObject({ assistant_message: 'fine' });
    });
  });

  describe(`what the ${name} adapter makes of answers`, () => {
    it('counts cached tokens within the input', async () => {
      const { raw_usage } = await ask([{ text: 'x', usage: { input: 100, output: 5, cached: 64 } }]).answer;
      expect(raw_usage).toMatchObject({ input: 100, output: 5, cached: 64, estimated: false, model: adapter.model });
    });

    it('estimates usage where the server counts none, and says so', async () => {
      const { raw_usage } = await ask([{ text: 'x'.repeat(400), usage: null }]).answer;
      expect(raw_usage).toMatchObject({ output: 100, cached: 0, estimated: true });
      expect(raw_usage.input).toBeGreaterThan(10);
    });

    it.runIf(adapter.argumentsAreText).each(['{"path": "a', '[1, 2]', '"text"', 'null', 'path=a'])(
      'marks tool arguments that are no JSON object as malformed: %s',
      async (text) => {
        const { tool_calls, stop_reason } = await ask([{ fault: 'malformed-arguments', text }]).answer;
        expect(tool_calls).toEqual([{ tool_call_id: 'call_0_0', name: 'read_file', arguments: {}, malformed: text }]);
        expect(stop_reason).toBe('needs_tools');
      },
    );

    it('takes no arguments at all for an empty object', async () => {
      const { tool_calls } = await ask([{ tool_calls: [{ name: 'list_files', arguments: '' }] }]).answer;
      expect(tool_calls).toEqual([{ tool_call_id: 'call_0_0', name: 'list_files', arguments: {} }]);
    });

    it('gives calls without an id the same ids every time', async () => {
      const script: Script = [
        {
          tool_calls: [
            { id: null, name: 'a' },
            { id: null, name: 'b' },
          ],
        },
      ];
      const first = await ask(script).answer;
      const second = await ask(script).answer;
      expect(first.tool_calls.map((call) => call.tool_call_id)).toEqual(['call_1_1', 'call_1_2']);
      expect(second.tool_calls).toEqual(first.tool_calls);
    });

    it('makes ids unique that come twice in one answer', async () => {
      const { tool_calls } = await ask([
        { tool_calls: ['a', 'b', 'c'].map((tool) => ({ id: 'same', name: tool, arguments: { tool } })) },
      ]).answer;
      expect(tool_calls.map((call) => [call.tool_call_id, call.name, call.arguments.tool])).toEqual([
        ['same', 'a', 'a'],
        ['same_2', 'b', 'b'],
        ['same_3', 'c', 'c'],
      ]);
    });

    it('keeps text and calls of one answer', async () => {
      const result = await ask([{ text: 'I look.', tool_calls: [{ name: 'read_file', arguments: { path: '/a' } }] }])
        .answer;
      expect(result).toMatchObject({ assistant_message: 'I look.', tool_calls: [{ name: 'read_file' }] });
    });

    it.each([
      ['clarify_user', { question: 'Which?' }, 'needs_clarification', []],
      ['propose_edits', { edits: [{ op: 'delete' }] }, 'proposed_edits', [{ op: 'delete' }]],
    ])('names the reason to stop after %s', async (tool, args, stop_reason, proposed_edits) => {
      const result = await ask([{ tool_calls: [{ name: tool, arguments: args }] }]).answer;
      expect(result).toMatchObject({ stop_reason, proposed_edits });
    });

    it.each(['length', 'content_filter'])(
      'keeps the text of an answer that was ended early (%s), and says that it did not end by itself',
      async (finish_reason) => {
        const result = await ask([{ text: 'half a', finish_reason }]).answer;
        expect(result).toMatchObject({ assistant_message: 'half a', stop_reason: 'error' });
      },
    );

    it('keeps an answer that was whole when the connection broke: it is paid for', async () => {
      const { script, answer } = ask([{ fault: 'cut', text: 'all there', after_chunks: adapter.wholeAfter }]);
      expect(await answer).toMatchObject({ assistant_message: 'all there' });
      expect(model.count(script)).toMatchObject({ calls: 1 });
    });
  });

  describeFailures(adapter, { model: () => model, provider, ask });

  return {
    ask,
    /** The newest request of a script, as it came. */
    sent: (script: string) => model.callsOf(script).at(-1)?.request,
  };
}
