import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import type { Run } from '../../domain/run.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { openTestSandbox } from '../sandbox-here.ts';
import { type Served, startServed } from '../served-system.ts';
import { libraries, program, serveEverything } from './everything-server.ts';

let sandbox: Sandbox;
let served: Served;
let folder: string;
let everything: Awaited<ReturnType<typeof serveEverything>>;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  folder = await mkdtemp(join(tmpdir(), 'longhaul-mcp-'));
  [served, everything] = await Promise.all([
    startServed({ sandbox, programRoots: [folder, libraries] }),
    serveEverything(),
  ]);
  await writeFile(join(folder, 'a.txt'), 'from the folder\n');
});
afterAll(async () => {
  await Promise.all([served.stop(), everything.stop()]);
  await sandbox.close();
  await rm(folder, { recursive: true });
});

const http = (more: object = {}) => ({ kind: 'http', url: everything.url, allow_private: true, ...more });
const stdio = (name: 'everything' | 'filesystem', args: string[], more: object = {}) => ({
  kind: 'stdio',
  command: process.execPath,
  args: [program(name), ...args],
  folders: [
    { path: libraries, writable: false },
    { path: folder, writable: true },
  ],
  ...more,
});

const register = (body: object) =>
  served.call('POST', '/mcp-servers', { body: { workspace_id: served.workspace.id, ...body } });

let agents = 0;
/** A run whose model makes these calls, and the results they came to. */
async function use(
  mcp_servers: string[],
  calls: { name: string; arguments: Record<string, unknown> }[],
  more: object = {},
) {
  agents += 1;
  const made = await served.call('POST', '/agents', {
    body: {
      workspace_id: served.workspace.id,
      name: `Caller ${agents}`,
      model: 'gpt-test',
      can_access_integrations: true,
      mcp_servers,
      ...more,
    },
  });
  expect(made.status).toBe(201);
  served.model.script(`mcp-${agents}`, [{ tool_calls: calls }, { text: 'Done.' }]);
  const started = await served.call('POST', '/runs', {
    body: { agent_id: made.body.id, input: `[script:mcp-${agents}] Go.` },
  });
  return { id: started.body.id as string, agent: made.body };
}
async function resultsOf(id: string) {
  const entries = await entriesAfter(id, 0);
  return entries.flatMap(({ facts }) => facts.flatMap((fact) => (fact.kind === 'tool_finished' ? [fact] : [])));
}
const allow = async (run: Run) => {
  for (const { id, digest } of run.pending_actions) {
    await served.call('POST', `/runs/${run.id}/confirm`, { body: { action_id: id, confirmed: true, digest } });
  }
};
const never = (...names: string[]) => ({ confirmation: Object.fromEntries(names.map((name) => [name, 'never'])) });

describe('[6] an MCP server', () => {
  it('over HTTP is looked at when it is registered, and its tools and resources are used in runs', async () => {
    const made = await register({ name: 'all', transport: http() });
    expect(made).toMatchObject({
      status: 201,
      body: {
        findings: {
          state: 'reached',
          has_resources: true,
          tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]),
        },
      },
    });
    const { id } = await use(
      ['all/echo', 'all/get-sum', 'all/resources'],
      [
        { name: 'all__echo', arguments: { message: 'hello' } },
        { name: 'all__get-sum', arguments: { a: 2, b: 'three' } },
        { name: 'all__list_resources', arguments: {} },
        { name: 'all__get-env', arguments: {} },
      ],
      never('all__echo', 'all__get-sum'),
    );
    expect((await served.ended(id)).status).toBe('completed');
    const [offered] = served.model.calls.filter(({ script }) => script === `mcp-${agents}`);
    const names = z
      .array(z.object({ function: z.object({ name: z.string() }) }))
      .parse(offered?.request.tools)
      .map((tool) => tool.function.name);
    expect(names.filter((name) => name.startsWith('all__'))).toEqual([
      'all__echo',
      'all__get-sum',
      'all__list_resources',
      'all__read_resource',
    ]);
    const results = await resultsOf(id);
    const by = (name: string) => results.find((each) => each.name === name);
    expect(by('all__echo')).toMatchObject({ ok: true, result: expect.stringContaining('hello') });
    expect(by('all__get-sum')).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(by('all__list_resources')?.result).toMatchObject({ resources: expect.any(Array) });
    expect(by('all__get-env'), 'what the agent was not given').toMatchObject({ error: { code: 'unknown_tool' } });
  });

  it('that is a program is spoken to over its standard streams; what changes something waits for a person', async () => {
    await register({ name: 'files', transport: stdio('filesystem', [folder]) });
    const path = join(folder, 'b.txt');
    const { id } = await use(
      ['files'],
      [
        { name: 'files__read_text_file', arguments: { path: join(folder, 'a.txt') } },
        { name: 'files__write_file', arguments: { path, content: 'written' } },
      ],
    );
    const waiting = await served.until(id, ({ status }) => status === 'awaiting_confirmation');
    expect(waiting.pending_actions).toMatchObject([
      { type: 'files__write_file', preview: expect.stringContaining('write_file of the MCP server files') },
    ]);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
    await allow(waiting);
    expect((await served.ended(id)).status).toBe('completed');
    expect(await readFile(path, 'utf8')).toBe('written');
    expect(await resultsOf(id)).toMatchObject([
      { name: 'files__read_text_file', ok: true, was_allowed: true },
      { name: 'files__write_file', ok: true },
    ]);
  });

  it('that is a program sees and changes nothing but what it was given', async () => {
    const script = [
      "const fs = require('fs');",
      "const seen = ['/etc/shadow', process.argv[1]].map((path) => { try { fs.readFileSync(path); return 'read'; } catch { return 'no'; } });",
      "console.error(seen.join(' '), Object.keys(process.env).includes('LONGHAUL_TEST_SECRET'));",
      'process.exit(1);',
    ].join('\n');
    const secret = join(folder, '..', `${basename(folder)}-secret`);
    await writeFile(secret, 'not for programs');
    process.env.LONGHAUL_TEST_SECRET = 'x';
    const made = await register({
      name: 'nosy',
      transport: { kind: 'stdio', command: process.execPath, args: ['-e', script, secret] },
    });
    delete process.env.LONGHAUL_TEST_SECRET;
    await rm(secret);
    expect(made.body.findings.error).toContain('no no false');
  });

  it('that is a program is given no folder of the machine but those that are allowed, nor a link out of them', async () => {
    await symlink('/etc', join(folder, 'way-out'));
    for (const [name, path] of [
      ['system', '/etc'],
      ['around', `${folder}/../`],
      ['beside', `${folder}-other`],
      ['linked', join(folder, 'way-out')],
    ] as const) {
      const transport = { ...stdio('filesystem', [path]), folders: [{ path, writable: true }] };
      const made = await register({ name, transport });
      expect([name, made.status, made.body.findings]).toMatchObject([
        name,
        201,
        { state: 'failed', error: expect.stringMatching(/may not be given .* must lie under one of/) },
      ]);
    }
  });

  it('keeps what is secret out of what all members see: such headers and addresses are refused', async () => {
    const cases = [
      http({ headers: { Authorization: 'Bearer abc' } }),
      http({ headers: { 'X-Api-Key': 'abc' } }),
      http({ headers: { 'X-Team': 'a\r\nX-Admin: yes' } }),
      http({ url: 'https://me:password@mcp.example.org/mcp' }),
    ];
    for (const transport of cases) {
      expect(await register({ name: 'leaky', transport })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      });
    }
  });

  it('that tells a secret of its own where it describes itself is kept without it', async () => {
    const secret = 'told-by-the-server-0815';
    const script = [
      "const lines = require('readline').createInterface({ input: process.stdin });",
      'const answers = {',
      "  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: process.env.API_TOKEN ?? 'plain', version: '1' } },",
      "  'tools/list': { tools: [{ name: 'a', description: 'Uses ' + process.env.API_TOKEN + '.', inputSchema: { type: 'object' } }] },",
      '};',
      "lines.on('line', (line) => { const { id, method } = JSON.parse(line); if (answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] })); });",
    ].join('\n');
    const transport = { kind: 'stdio', command: process.execPath, args: ['-e', script] };
    const { body: server } = await register({ name: 'chatty', transport });
    await served.call('POST', `/mcp-servers/${server.id}/credentials`, {
      body: { key: 'env_api_token', value: secret },
    });
    const looked = await served.call('POST', `/mcp-servers/${server.id}/refresh`);
    expect(looked.body.findings, 'looked at with what it was given since').toMatchObject({
      state: 'reached',
      server: '[secret] 1',
      tools: [{ description: 'Uses [secret].' }],
    });
  });

  it('that refuses a call is an error the model is told', async () => {
    const { id } = await use(['files'], [{ name: 'files__read_text_file', arguments: { path: '/etc/passwd' } }]);
    await served.ended(id);
    expect(await resultsOf(id)).toMatchObject([
      { ok: false, error: { code: 'tool_failed', message: expect.stringContaining('outside allowed directories') } },
    ]);
  });

  it('that was restarted is reached again', async () => {
    await everything.stop();
    everything = await serveEverything(everything.port);
    const { id } = await use(
      ['all/echo'],
      [{ name: 'all__echo', arguments: { message: 'again' } }],
      never('all__echo'),
    );
    await served.ended(id);
    expect(await resultsOf(id)).toMatchObject([{ ok: true, result: expect.stringContaining('again') }]);
  });

  it('that makes progress may take longer than its time-out; one that is silent may not', async () => {
    await register({ name: 'slow', transport: http(), timeout_s: 2 });
    const long = { name: 'slow__trigger-long-running-operation', arguments: { duration: 3, steps: 12 } };
    const silent = { ...long, arguments: { duration: 60, steps: 1 } };
    const first = await use(['slow'], [long], never(long.name));
    const second = await use(['slow'], [silent], never(long.name));
    await Promise.all([served.ended(first.id), served.ended(second.id)]);
    expect(await resultsOf(first.id)).toMatchObject([{ ok: true }]);
    expect(await resultsOf(second.id)).toMatchObject([
      { ok: false, error: { message: expect.stringMatching(/timed out/i) } },
    ]);
  });

  it('that cannot be reached or started says why, and is registered all the same', async () => {
    const away = await register({
      name: 'away',
      transport: { kind: 'http', url: 'http://127.0.0.1:1/mcp', allow_private: true },
    });
    expect(away).toMatchObject({
      status: 201,
      body: { findings: { state: 'failed', error: expect.stringContaining('cannot be reached') } },
    });
    const broken = await register({
      name: 'broken',
      transport: {
        kind: 'stdio',
        command: process.execPath,
        args: ['-e', 'console.error("no key given"); process.exit(3)'],
      },
    });
    expect(broken.body.findings).toMatchObject({ state: 'failed', error: expect.stringContaining('no key given') });
    const inside = await register({ name: 'inside', transport: http({ allow_private: false }) });
    expect(inside.body.findings, 'private addresses are reached only where an admin says so').toMatchObject({
      state: 'failed',
      error: expect.stringContaining('private network'),
    });
  });

  it('gets its secrets from credentials, which nothing ever shows', async () => {
    const secret = 'a-very-secret-token-4711';
    const { body: server } = await register({
      name: 'env',
      transport: stdio('everything', ['stdio'], { env: { OPEN: 'to all' } }),
    });
    const set = await served.call('POST', `/mcp-servers/${server.id}/credentials`, {
      body: { key: 'env_api_token', value: secret },
    });
    expect(set.status).toBe(201);
    const { id } = await use(['env/get-env'], [{ name: 'env__get-env', arguments: {} }], never('env__get-env'));
    await served.ended(id);
    const told = JSON.stringify(await resultsOf(id));
    expect(told).toContain('API_TOKEN');
    expect(told).toContain('to all');
    expect(told).not.toContain(secret);
    const shown = await served.call('GET', `/mcp-servers/${server.id}`);
    expect(JSON.stringify(shown.body)).not.toContain(secret);
    expect((await served.call('GET', `/mcp-servers/${server.id}/credentials`)).body.items).toMatchObject([
      { key: 'env_api_token' },
    ]);
    const elsewhere = { kind: 'http', url: 'https://attacker.example/mcp' };
    const moved = await served.call('PUT', `/mcp-servers/${server.id}`, { body: { transport: elsewhere } });
    expect([moved.status, moved.body.details], 'secrets are not taken along').toEqual([
      409,
      { credentials: ['env_api_token'] },
    ]);
  });

  it('is not for agents without the right to reach beyond, nor for those of callers who only read', async () => {
    const { id } = await use(['all/echo'], [{ name: 'all__echo', arguments: { message: 'x' } }], {
      can_access_integrations: false,
    });
    await served.ended(id);
    expect(await resultsOf(id)).toMatchObject([{ error: { code: 'unknown_tool' } }]);
  });

  it('is managed by admins alone, is nobody else’s, and is not taken away from agents that use it', async () => {
    const [writer, stranger] = await Promise.all([served.member('write'), served.foreigner()]);
    const { body: page } = await served.call('GET', '/mcp-servers', { token: writer });
    const all = page.items.find(({ name }: { name: string }) => name === 'all');
    const path = `/mcp-servers/${all.id}`;
    const body = { workspace_id: served.workspace.id, name: 'mine', transport: http() };
    expect((await served.call('POST', '/mcp-servers', { token: writer, body })).status).toBe(403);
    expect((await served.call('PUT', path, { token: writer, body: { timeout_s: 3 } })).status).toBe(403);
    expect((await served.call('GET', path, { token: stranger })).status).toBe(404);
    expect((await served.call('DELETE', path)).body).toMatchObject({
      error: 'in_use',
      details: { used_by: expect.any(Array) },
    });
    expect((await register({ name: 'all', transport: http() })).status).toBe(409);
    const stale = { headers: { 'if-match': '"99"' }, body: { timeout_s: 3 } };
    expect((await served.call('PUT', path, stale)).status).toBe(412);
  });
});
