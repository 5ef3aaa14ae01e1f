import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import { hookSignature } from '../../api/hooks.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { createAgent } from '../../store/agents.ts';
import { newId } from '../../store/ids.ts';
import { AGENT, SECRET_KEY } from '../running-system.ts';
import { openTestSandbox } from '../sandbox-here.ts';
import { type Answer, type Call, type Served, startServed } from '../served-system.ts';
import { INDISCREET_PROGRAM, startIndiscreetDesk } from './indiscreet-desk.ts';
import { documentsSaid, found, historiesSaid, type Said } from './scan.ts';

const KEY = 'sk-own-4f9a0c7e/B+d2"e8%1c';
const WORDS = 'blue whales sing at nine o clock';
const CHILD_KEY = 'sk-child-91b2c3d4e5f60718';
const SHARED_KEY = 'sk-shared-0a1b2c3d4e5f6789';
const DESK_TOKEN = 'tk-desk-5e6f7a8b9c0d';
const HEADER_KEY = 'hk-mcp-11aa22bb33cc44';
const ENV_KEY = 'ek-mcp-55dd66ee77ff88';
/** Those that are told once are added when they are. */
const SECRETS = [KEY, WORDS, CHILD_KEY, SHARED_KEY, SECRET_KEY, DESK_TOKEN, HEADER_KEY, ENV_KEY];

let system: Served;
let sandbox: Sandbox;
let desk: Awaited<ReturnType<typeof startIndiscreetDesk>>;
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
  [sandbox, desk] = await Promise.all([openTestSandbox(), startIndiscreetDesk()]);
  system = await startServed({ modelKey: SHARED_KEY, sandbox, lines: { write: (line) => logged.push(line) } });
  const child = await makeAgent({ name: 'Child', slug: 'child' });
  lead = await makeAgent({ name: 'Lead', delegated_agents: [{ agent_id: child.id }] });
  const file = `key: ${KEY}\nwords: ${WORDS}\nshared: ${SHARED_KEY}\nBasic ${Buffer.from(`me:${KEY}`).toString('base64')}\n`;
  await writeFile(join(system.root, 'keys.md'), file);
  await set(lead, 'api_key', KEY);
  await set(lead, 'pass_phrase', WORDS);
  await set(child, 'api_key', CHILD_KEY);
});
afterAll(async () => {
  await system.stop();
  desk.close();
  await sandbox.close();
});

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

  it('in a run that uses an integration and MCP servers which repeat what they were opened with', async () => {
    const workspace_id = system.workspace.id;
    const made = async (path: string, body: object) =>
      (await call('POST', path, { body: { workspace_id, ...body } })).body;
    const integration = await made('/integrations', {
      ...{ name: 'desk', base_url: desk.url, allow_private: true, credential: { key: 'token' } },
      endpoints: [
        { name: 'get', path: '/tickets' },
        { name: 'broken', path: '/broken' },
      ],
    });
    const secretOf = (path: string, key: string, value: string) =>
      call('POST', `${path}/credentials`, { body: { key, value }, headers: { 'Idempotency-Key': newId('k') } });
    await secretOf(`/integrations/${integration.id}`, 'token', DESK_TOKEN);
    for (const name of ['get', 'broken']) {
      await made('/agents/tools', { name: `desk_${name}`, entrypoint: `integration:desk/${name}` });
    }
    for (const [name, key, value, transport] of [
      ['over_http', 'header_x_desk_key', HEADER_KEY, { kind: 'http', url: `${desk.url}/mcp`, allow_private: true }],
      [
        'program',
        'env_desk_key',
        ENV_KEY,
        { kind: 'stdio', command: process.execPath, args: ['-e', INDISCREET_PROGRAM] },
      ],
    ] as const) {
      const { id } = await made('/mcp-servers', { name, transport });
      await secretOf(`/mcp-servers/${id}`, key, value);
      const looked = await call('PUT', `/mcp-servers/${id}`, { body: { transport } });
      expect(looked.body.findings).toMatchObject({
        server: 'desk [secret] 1',
        tools: [{ description: 'Lets you in with [secret].' }],
      });
    }
    const caller = await makeAgent({
      ...{ name: 'Caller', can_access_integrations: true, tools: ['desk_get', 'desk_broken'] },
      mcp_servers: ['over_http', 'program'],
    });
    const names = ['desk_get', 'desk_broken', 'over_http__tell', 'program__tell'];
    system.model.script('desk', [
      { tool_calls: names.map((name) => ({ name, arguments: {} })) },
      { text: `They were ${DESK_TOKEN}, ${HEADER_KEY} and ${ENV_KEY}.` },
    ]);
    const { id } = (await call('POST', '/runs', { body: { agent_id: caller.id, input: '[script:desk] Do it.' } })).body;
    runs.push(id);
    expect(await system.ended(id)).toMatchObject({
      status: 'completed',
      output: 'They were [secret], [secret] and [secret].',
    });
    const told = JSON.stringify(system.model.callsOf('desk', 1)[0]?.request.messages);
    expect(told.match(/Bearer \[secret\] at|opened with \[secret\]/g)).toHaveLength(4);
    await readAll(id);
    for (const path of ['/mcp-servers', '/integrations', '/audit?limit=100']) await call('GET', path);
  });

  it('in a webhook, whose secret is told once, and in what it starts', async () => {
    const body = { workspace_id: system.workspace.id, name: 'Hook' };
    const { id: source_id, secret, url } = (await system.call('POST', '/events/sources', { body })).body;
    SECRETS.push(secret);
    system.model.script('hook', [{ text: 'Heard.' }]);
    const shared = await system.sharedAgent();
    const subscription = { source_id, target_type: 'agent', agent_id: shared.id, input_mapping: '[script:hook] Hear.' };
    await call('POST', '/events/subscriptions', { body: subscription });
    const at = String(Math.floor(Date.now() / 1000));
    const send = (signature: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-longhaul-timestamp': at,
          'x-longhaul-signature': `v1=${signature}`,
          'x-hub-token': secret,
          authorization: `Bearer ${secret}`,
        },
        body: '{}',
      });
    const refused = await send(secret);
    said.push(['a refused webhook', await refused.text()]);
    const taken = await send(hookSignature(secret, at, Buffer.from('{}')));
    expect([refused.status, taken.status]).toEqual([401, 202]);
    const { delivery_id } = await taken.json();
    const path = `/events/deliveries/${delivery_id}`;
    await expect.poll(async () => (await call('GET', path)).body.output).toBe('Heard.');
    const { run_id } = (await call('GET', path)).body;
    runs.push(run_id);
    await readAll(run_id);
    for (const list of ['/events/sources', '/events/deliveries']) await call('GET', list);
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
    const kept = [
      'credentials',
      'log',
      'runs',
      'deltas',
      'idempotency',
      'rationales',
      'mcp_servers',
      'event_deliveries',
    ];
    for (const name of [...kept, 'definitions']) {
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
