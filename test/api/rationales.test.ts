import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, startServed } from '../served-system.ts';

let system: Served;
beforeAll(async () => {
  system = await startServed();
});
afterAll(() => system.stop());

const READ = { tool_calls: [{ name: 'read_file', arguments: { path: '/notes.md' } }], text: 'I read the notes.' };
const REASON = { text: 'It wanted to know what is in the notes.' };

/** The prompt holds the task, and with it the name of the script: the first turn is asked for a second time. */
async function endedRun(script: string, ...explanations: object[]): Promise<string> {
  system.model.script(script, [[READ, ...(explanations as (typeof REASON)[])], { text: 'Done.' }]);
  const id = await system.start(script);
  await system.ended(id);
  return id;
}
const ask = (id: string, step: number | string = 2, token = system.ownerKey) =>
  system.call('POST', `/runs/${id}/steps/${step}/rationale`, { token });
const read = (id: string, step: number | string = 2, token = system.ownerKey) =>
  system.call('GET', `/runs/${id}/steps/${step}/rationale`, { token });

describe('[3] the rationale of a step', () => {
  it('is there once somebody has asked for it, and shows with the steps', async () => {
    const id = await endedRun('explained', REASON);
    expect((await read(id)).status).toBe(404);
    const { status, body } = await ask(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ run_id: id, step_number: 2, text: REASON.text, model: 'gpt-test' });
    expect(body.tokens.output).toBeGreaterThan(0);
    expect((await read(id)).body).toEqual(body);
    const { items } = (await system.call('GET', `/runs/${id}/steps`)).body;
    expect(items.map(({ rationale }: { rationale: string | null }) => rationale)).toEqual([
      null,
      REASON.text,
      null,
      null,
    ]);
    const [, asked] = system.model.callsOf('explained', 0);
    expect(asked?.request.tools).toEqual([]);
    expect(JSON.stringify(asked?.request.messages)).toContain('The step:\\n2. tool_call');
  });

  it('is bought once, however many ask, at once or later', async () => {
    const id = await endedRun('once', REASON);
    const release = system.model.hold('once', 0, 1);
    const asking = [ask(id), ask(id), ask(id)];
    await system.model.reached('once', 0, 1);
    release();
    const answers = await Promise.all(asking);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await ask(id)).body).toEqual(answers[0]?.body);
    expect(system.model.callsOf('once', 0)).toHaveLength(2);
  });

  it('is tried again where that can help, and says what is wrong where it cannot', async () => {
    const id = await endedRun('retried', { fault: '500' }, REASON);
    expect((await ask(id)).status).toBe(200);
    const refused = await endedRun('refused', { fault: '401' }, REASON);
    expect(await ask(refused)).toMatchObject({ status: 502, body: { error: 'bad_model_key' } });
    expect((await ask(refused)).status).toBe(200);
  });

  it('is for who sees the run, of a step that it has', async () => {
    const id = await endedRun('seen', REASON);
    const [reader, foreigner] = [await system.member('read'), await system.foreigner()];
    for (const act of [ask, read]) {
      expect((await act(id, 2, foreigner)).status).toBe(404);
      expect((await act(id, 99)).status).toBe(404);
      expect((await act(id, 0)).status).toBe(400);
      expect((await act(id, 'x')).status).toBe(400);
    }
    expect(system.model.callsOf('seen', 0)).toHaveLength(1);
    expect((await ask(id, 2, reader)).status).toBe(200);
  });
});
