import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedModel } from './scripted-model.ts';

let model: ScriptedModel;
beforeEach(async () => {
  model = await ScriptedModel.start();
});
afterEach(() => model.close());

/** A call at a position: as many assistant messages as were answered before. */
function call(script: string, position = 0, signal = new AbortController().signal) {
  const client = new OpenAI({ apiKey: 'none', baseURL: model.url, maxRetries: 0 });
  const messages = [
    { role: 'user' as const, content: `Do it. [script:${script}]` },
    ...Array.from({ length: position }, () => ({ role: 'assistant' as const, content: 'x' })),
  ];
  return client.chat.completions.create({ model: 'm', messages }, { signal });
}
const textOf = async (answer: ReturnType<typeof call>) => (await answer).choices[0]?.message.content;

describe('the scripted model', () => {
  it('plays several scripts at once, each by its own position', async () => {
    model.script('a', [{ text: 'a0' }, { text: 'a1' }]);
    model.script('b', [{ text: 'b0' }]);
    expect(await Promise.all([textOf(call('a', 1)), textOf(call('b')), textOf(call('a'))])).toEqual(['a1', 'b0', 'a0']);
    model.assertDone();
  });

  it('gives out the turns of one position call by call', async () => {
    model.script('a', [[{ fault: '500' }, { fault: '429' }, { text: 'third time' }]]);
    await expect(call('a')).rejects.toMatchObject({ status: 500 });
    await expect(call('a')).rejects.toMatchObject({ status: 429 });
    expect(() => model.assertDone('a')).toThrow('a[0] was not played to its end (2 calls)');
    expect(await textOf(call('a'))).toBe('third time');
    expect(model.count('a')).toEqual({ calls: 3, open: 0, finished: 1, aborted: 0, fault: 2, repeats: 0 });
    model.assertDone('a');
  });

  it('fails the test on a call too many, and on one nobody scripted', async () => {
    model.script('a', [{ text: 'all' }]);
    await call('a');
    await expect(call('a', 1)).rejects.toMatchObject({ status: 400 });
    expect(() => model.assertDone()).toThrow('a[1] was called, but is not scripted');
    await expect(call('nobody')).rejects.toMatchObject({ status: 400 });
    expect(model.unexpected).toHaveLength(2);
  });

  it('sees a finished answer asked for again', async () => {
    model.script('a', [{ text: 'once' }]);
    await call('a');
    await model.settled('a');
    await call('a');
    expect(model.count('a', 0)).toMatchObject({ calls: 2, repeats: 1 });
    expect(() => model.assertDone()).toThrow('a[0] was asked for again 1 times');
  });

  it('holds an answer until it is released; one given up meanwhile is no finished one', async () => {
    model.script('a', [{ text: 'at last' }]);
    const release = model.hold('a', 0, 1);
    const controller = new AbortController();
    const first = call('a', 0, controller.signal);
    await model.reached('a', 0);
    controller.abort();
    await expect(first).rejects.toThrow();
    await model.settled('a');

    const second = call('a');
    await model.reached('a', 0, 2);
    release();
    expect(await textOf(second)).toBe('at last');
    await model.settled('a', 2);
    expect(model.count('a')).toMatchObject({ calls: 2, aborted: 1, finished: 1, repeats: 0 });
    model.assertDone();
  });
});
