import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { AGENT, SECRET_KEY } from '../running-system.ts';
import { type Answer, type Call, type Served, startServed } from '../served-system.ts';
import { documentsSaid, found, historiesSaid, type Said } from './scan.ts';

const KEY = 'sk-own-4f9a0c7e/B+d2"e8%1c';
const WORDS = 'blue whales sing at nine o clock';
const CHILD_KEY = 'sk-child-91b2c3d4e5f60718';
const SHARED_KEY = 'sk-shared-0a1b2c3d4e5f6789';
const SECRETS = [KEY, WORDS, CHILD_KEY, SHARED_KEY, SECRET_KEY];

let system: Served;
let lead: { id: string };
/** Everything that anybody was told, by where it was said. */
const said: Said[] = [];
const logged: string[] = [];
const runs: string[] = [];

async function call(method: string, path: string, more: Call = {}): Promise<Answer> {
  const answer = await system.call(method, path, more);
  said.push([`${method} ${path}`, JSON.stringify([answer.body, [...answer.headers]])]);
  return answer;
}

const set = (agent: { id: string }, key: string, value: string) =>
  call('POST', `/agents/${agent.id}/credentials`, { body: { key, value }, headers: { 'Idempotency-Key': newId('k') } });

const makeAgent = (more: Record<string, unknown>) =>
  createAgent(system.caller, {
    ...createAgentBody.parse({ ...AGENT, workspace_id: system.workspace.id, ...more }),
    id: newId('agt'),
  });

async function start(script: string): Promise<string> {
  const body = { agent_id: lead.id, notebook_id: system.notebook.id, input: `[script:${script}] Do it.` };
  const { id } = (await call('POST', '/runs', { body })).body;
  runs.push(id);
  return id;
}

/** All that a client can read about a run, as whoever reads it sees it. */
async function readAll(id: string): Promise<void> {
  for (const path of ['', '/steps', '/events', '/tree']) await call('GET', `/runs/${id}${path}`);
  const headers = { authorization: `Bearer ${system.ownerKey}`, accept: 'text/event-stream' };
  const stream = await fetch(`${system.url}/api/v1/runs/${id}/events?cursor=1`, { headers });
  said.push(['SSE', await stream.text()]);
}

/** Follows a run live, as the page does. */
function listen(): { watch(id: string): Promise<void>; stop(): void } {
  const options = { auth: { token: system.ownerKey }, forceNew: true, transports: ['websocket'] };
  const socket = io(system.url, options);
  socket.onAny((type, data) => said.push([`socket ${type}`, JSON.stringify(data)]));
  return {
    watch: async (id) => {
      await socket.timeout(10_000).emitWithAck('watch', { run_id: id, cursor: 1 });
    },
    stop: () => void socket.disconnect(),
  };
}

beforeAll(async () => {
  system = await startServed({ modelKey: SHARED_KEY, lines: { write: (line) => logged.push(line) } });
  const child = await makeAgent({ name: 'Child', slug: 'child' });
  lead = await makeAgent({ name: 'Lead', delegated_agents: [{ agent_id: child.id }] });
  const file = `key: ${KEY}\nwords: ${WORDS}\nshared: ${SHARED_KEY}\nBasic ${Buffer.from(`me:${KEY}`).toString('base64')}\n`;
  await writeFile(join(system.root, 'keys.md'), file);
  await set(lead, 'api_key', KEY);
  await set(lead, 'pass_phrase', WORDS);
  await set(child, 'api_key', CHILD_KEY);
});
afterAll(() => system.stop());

describe('[2] a secret is seen by nobody but the provider it is for', () => {
  it('in a run that reads it, repeats it, writes it and streams it in pieces', async () => {
    const live = listen();
    const echo = `My key is ${KEY}, or ${encodeURIComponent(KEY)}; the words are ${WORDS}, as everybody knows.`;
    system.model.script('echo', [
      [
        {
          text: `Reading ${KEY}.`,
          tool_calls: [
            { name: 'read_file', arguments: { path: '/keys.md' } },
            { name: 'search_project', arguments: { query: 'sing at nine' } },
          ],
        },
        { text: `It was for the sake of ${KEY}.` },
      ],
      { tool_calls: [{ name: 'write_file', arguments: { path: '/copy.md', content: `${KEY}\n${WORDS}\n` } }] },
      { text: echo },
    ]);
    const release = system.model.hold('echo', 2, 9);
    const id = await start('echo');
    await live.watch(id);
    const waiting = await system.until(id, (run) => run.status === 'awaiting_confirmation');
    const [action] = waiting.pending_actions;
    await call('GET', `/runs/${id}`);
    await call('GET', '/inbox');
    await call('POST', `/runs/${id}/confirm`, { body: { action_id: action?.id, confirmed: true } });
    await system.model.reached('echo', 2);
    await expect.poll(() => said.some(([place]) => place === 'socket delta')).toBe(true);
    release();
    const run = await system.ended(id);
    expect(run).toMatchObject({
      status: 'completed',
      output: 'My key is [secret], or [secret]; the words are [secret], as everybody knows.',
    });
    await call('POST', `/runs/${id}/steps/3/rationale`);
    await readAll(id);
    live.stop();
  });

  it('in a run whose provider repeats the key in its error, and in those that go on from it', async () => {
    system.model.script('bad', [
      { tool_calls: [{ name: 'read_file', arguments: { path: '/keys.md' } }] },
      [{ fault: '401', message: `Incorrect API key provided: ${KEY}.` }, { text: `Now ${KEY} works.` }],
    ]);
    const id = await start('bad');
    expect(await system.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'bad_model_key', message: expect.stringContaining('Incorrect API key provided: [secret].') },
    });
    await readAll(id);
    for (const [how, body] of [
      ['resume', {}],
      ['fork', { step: 2 }],
    ] as const) {
      const again = (await call('POST', `/runs/${id}/${how}`, { body })).body.id;
      runs.push(again);
      expect(await system.ended(again)).toMatchObject({ status: 'completed', output: 'Now [secret] works.' });
      await readAll(again);
    }
  });

  it('in a run below, which has a key of its own', async () => {
    system.model.script('lead', [
      { tool_calls: [{ name: 'delegate_to_child', arguments: { task: '[script:child] Do your part.' } }] },
      { text: 'Handed over.' },
    ]);
    system.model.script('child', [{ text: `I have ${CHILD_KEY}, and ${SHARED_KEY} is everybody's.` }]);
    const id = await start('lead');
    expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'Handed over.' });
    const below = (await call('GET', `/runs/${id}/tree`)).body.runs.filter((run: { id: string }) => run.id !== id);
    for (const run of below) {
      runs.push(run.id);
      await readAll(run.id);
    }
    expect(below).toHaveLength(1);
    await readAll(id);
  });

  it('in a line of the log, whoever writes it', async () => {
    system.logger.error({ err: new Error(`refused: ${KEY}`), said: { deep: CHILD_KEY } }, `with ${SHARED_KEY}`);
    expect(logged.at(-1)).toContain('refused: [secret]');
  });

  it('when all of it is looked through: responses, events, log lines, prompts, documents, files and histories', async () => {
    await call('GET', `/agents/${lead.id}/credentials`);
    await call('GET', `/agents/${lead.id}`);
    const prompts = system.model.calls.map((made): Said => ['a prompt', JSON.stringify(made.request)]);
    const lines = logged.map((line): Said => ['a log line', line]);
    const everything = [
      ...said,
      ...prompts,
      ...lines,
      ...(await documentsSaid()),
      ...(await historiesSaid(system.client, runs)),
    ];
    expect(found(everything, SECRETS)).toEqual([]);
    const places = new Set(everything.map(([place]) => place));
    for (const place of ['socket delta', 'socket events', 'SSE', 'a prompt', 'a log line', 'a payload', 'a history']) {
      expect(places).toContain(place);
    }
    for (const name of ['credentials', 'log', 'runs', 'deltas', 'idempotency', 'rationales']) {
      expect(places).toContain(`collection ${name}`);
    }
  });

  it('while each provider was sent the key of the agent that called it', () => {
    const sentBy = (script: string) =>
      new Set(system.model.callsOf(script).map(({ headers }) => headers.authorization));
    for (const script of ['echo', 'bad', 'lead']) expect(sentBy(script)).toEqual(new Set([`Bearer ${KEY}`]));
    expect(sentBy('child')).toEqual(new Set([`Bearer ${CHILD_KEY}`]));
  });
});

describe('the scan', () => {
  const plain = ['as it is', `x ${KEY} y`];
  it.each([
    plain,
    ['in JSON', JSON.stringify({ text: KEY })],
    ['in base64', Buffer.from(`me:${KEY}!`).toString('base64')],
    ['in an address', `?k=${encodeURIComponent(KEY)}`],
  ])('finds a secret that was planted %s', async (_how, text) => {
    const planted = mongoose.connection.collection('planted');
    await planted.insertOne({ deep: [{ said: text }], bytes: Buffer.from(text) });
    expect(found(await documentsSaid(), SECRETS)).toContain('collection planted: sk-own-4…');
    await planted.drop();
  });

  it('finds one in a file, a history and a log line', async () => {
    const bucket = new mongoose.mongo.GridFSBucket(mongoose.connection.db ?? raise(), { bucketName: 'planted' });
    const upload = bucket.openUploadStream('planted');
    await new Promise((done) => upload.on('finish', done).end(`a file with ${WORDS}`));
    expect(found(await documentsSaid(), SECRETS)).toEqual(['collection planted.chunks: blue wha…']);
    await bucket.drop();
    expect(found([['a log line', `"err":"${SHARED_KEY}"`]], SECRETS)).toEqual(['a log line: sk-share…']);
    const [run = ''] = runs;
    expect(found(await historiesSaid(system.client, runs), [run])).toContain(`a payload: ${run.slice(0, 8)}…`);
  });
});

const raise = (): never => {
  throw new Error('the store is not connected');
};

describe('[2] what people say', () => {
  it('reaches no model with a secret in it', async () => {
    system.model.script('told', [{ text: 'Understood.' }]);
    const body = { agent_id: lead.id, input: `[script:told] The key is ${KEY}.` };
    const { id } = (await system.call('POST', '/runs', { body })).body;
    await system.ended(id);
    expect(JSON.stringify(system.model.callsOf('told')[0]?.request.messages)).toContain('The key is [secret].');
  });
});
