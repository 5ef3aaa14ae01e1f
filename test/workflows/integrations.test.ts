import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Agent, createAgentBody } from '../../domain/agent.ts';
import type { DefinitionKind } from '../../domain/definition.ts';
import { DEFINITIONS } from '../../domain/definition-kinds.ts';
import { changeAgent } from '../../store/agent-changes.ts';
import { createAgent } from '../../store/agents.ts';
import { changeDefinition } from '../../store/definition-changes.ts';
import { createDefinition, listDefinitions } from '../../store/definitions.ts';
import { newId } from '../../store/ids.ts';
import { setIntegrationCredential } from '../../store/integration-credentials.ts';
import { entriesAfter } from '../../store/log-reading.ts';
import { AGENT, SECRET_KEY, type System, startSystem } from '../running-system.ts';

const TOKEN = 'tk-a-token-that-nobody-shall-see';

interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** Another system, which answers with what it was sent, secrets and all. */
let seen: Seen[] = [];
const desk = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  if (url.includes('/broken')) json(503, { error: `no ${headers.authorization}` });
  else if (url.includes('/large')) json(200, { id: 'x'.repeat(20_000) });
  else if (url.includes('/odd')) json(200, { number: 7 });
  else if (url.includes('/deep')) json(200, { id: 'deep', more: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) });
  else if (url.includes('/slow')) return;
  else json(200, { id: url.split('/').at(-1), said: headers.authorization });
});

let system: System;
beforeAll(async () => {
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  system = await startSystem();
  await make('integration', {
    name: 'desk',
    base_url: `http://127.0.0.1:${(desk.address() as AddressInfo).port}/v1`,
    allow_private: true,
    credential: { key: 'token' },
    limits: { max_response_bytes: 10_000, timeout_ms: 1_000 },
    endpoints: [
      { name: 'get', path: '/tickets/{id}', output_schema: { type: 'object', required: ['id'] } },
      { name: 'close', method: 'POST', path: '/tickets/{id}/close', body: { because: '{{ input.reason }}' } },
    ],
  }).then(({ id }) =>
    setIntegrationCredential(system.caller, [SECRET_KEY], { integration_id: id, key: 'token', value: TOKEN }),
  );
  const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  await make('tool', { name: 'get_ticket', entrypoint: 'integration:desk/get', schema: { input } });
  await make('tool', { name: 'close_ticket', entrypoint: 'integration:desk/close' });
  await make('tool', {
    name: 'look_into',
    description: 'Reads.',
    entrypoint: 'builtin:read_file',
    schema: { input: { type: 'object', properties: { path: { type: 'string', pattern: '^/notes' } } } },
  });
});
afterAll(async () => {
  desk.closeAllConnections();
  desk.close();
  await system.stop();
});
beforeEach(() => {
  seen = [];
});

function make(kind: DefinitionKind, body: object) {
  const {
    name,
    description,
    is_active: _on,
    ...content
  } = DEFINITIONS[kind].create.parse(body) as Record<string, unknown>;
  const { workspace } = system;
  const named = { name: String(name), description: String(description) };
  return createDefinition(system.caller, kind, { id: newId('x'), workspace_id: workspace.id, ...named, content });
}

const TOOLS = ['get_ticket', 'close_ticket', 'look_into'];
const agentWith = (more: Partial<Agent> = {}): Promise<Agent> =>
  createAgent(system.caller, {
    ...createAgentBody.parse({
      ...AGENT,
      workspace_id: system.workspace.id,
      name: newId('agt'),
      can_access_integrations: true,
      tools: TOOLS,
      ...more,
    }),
    id: newId('agt'),
  });
const toolsIn = z.array(z.object({ function: z.object({ name: z.string() }) }));
const offered = (script: string): string[] =>
  toolsIn.parse(system.model.callsOf(script, 0)[0]?.request.tools).map((tool) => tool.function.name);
const resultsOf = async (id: string) =>
  (await entriesAfter(id, 0)).flatMap(({ facts }) =>
    facts.flatMap((fact) => (fact.kind === 'tool_finished' ? [fact] : [])),
  );
const calling = (script: string, name: string, args: Record<string, unknown>) =>
  system.model.script(script, [{ tool_calls: [{ name, arguments: args }] }, { text: 'Done.' }]);

describe('[7] a tool that leads to an integration', () => {
  it('calls what is registered, with the credential added on the way, which nobody is told', async () => {
    calling('get', 'get_ticket', { id: 'T 7/../8' });
    const agent = await agentWith();
    const id = await system.start('get', { agent_id: agent.id });
    expect((await system.ended(id)).status).toBe('completed');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/v1/tickets/T%207%2F..%2F8', body: '' });
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const [result] = await resultsOf(id);
    expect(result).toMatchObject({ ok: true, was_allowed: true, result: { said: 'Bearer [secret]' } });
    const { db } = mongoose.connection;
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      expect([name, JSON.stringify(await db?.collection(name).find().toArray()).includes(TOKEN)]).toEqual([
        name,
        false,
      ]);
    }
    for (const call of system.model.calls) expect(JSON.stringify(call.request)).not.toContain(TOKEN);
  });

  it('gives an answer that is nested deeper than the log can hold as text, and the run goes on', async () => {
    calling('deep', 'get_ticket', { id: 'deep' });
    const id = await system.start('deep', { agent_id: (await agentWith()).id });
    expect((await system.ended(id)).status).toBe('completed');
    const [result] = await resultsOf(id);
    expect([result?.ok, result?.result]).toEqual([true, expect.stringMatching(/^\{"id":"deep","more":\[{200}/)]);
  });

  it('that changes something waits for a person with what would be sent, and is sent once under a key', async () => {
    calling('close', 'close_ticket', { id: 'T-1', reason: 'fixed' });
    const agent = await agentWith();
    const id = await system.start('close', { agent_id: agent.id });
    const waiting = await system.until(id, (run) => run.pending_actions.length > 0);
    const [action] = waiting.pending_actions;
    expect(action?.preview).toMatch(
      /^POST http:\/\/127.0.0.1:\d+\/v1\/tickets\/T-1\/close\n\n\{\n {2}"because": "fixed"\n\}$/,
    );
    expect(seen).toEqual([]);
    await system.commands.confirm(system.caller, id, { action_id: action?.id ?? '', confirmed: true });
    expect((await system.ended(id)).status).toBe('completed');
    expect(seen.map(({ body }) => body)).toEqual(['{"because":"fixed"}']);
    expect(seen[0]?.headers['idempotency-key']).toMatch(new RegExp(`^${id}-1-`));
  });

  it.each([
    ['arguments that do not fit', { id: 7 }, 'invalid_arguments', 0],
    ['a path that would lead elsewhere', { id: '..' }, 'invalid_arguments', 0],
    ['a refusal of the other side', { id: 'broken' }, 'integration_failed', 1],
    ['an answer that is too large', { id: 'large' }, 'integration_failed', 1],
    ['an answer that does not fit its schema', { id: 'odd' }, 'integration_failed', 1],
    ['no answer in time', { id: 'slow' }, 'integration_timeout', 1],
  ])('tells the model of %s, and the run goes on', async (what, args, code, times) => {
    calling(what, 'get_ticket', args);
    const agent = await agentWith();
    const id = await system.start(what, { agent_id: agent.id });
    expect((await system.ended(id)).status).toBe('completed');
    const [result] = await resultsOf(id);
    expect([result?.ok, result?.error?.code, seen.length]).toEqual([false, code, times]);
    expect(JSON.stringify(result)).not.toContain(TOKEN);
  });

  it('is not there for an agent without that right, nor for whoever is below one that does not pass it on', async () => {
    system.model.script('none', [{ text: 'Done.' }]);
    const agent = await agentWith({ can_access_integrations: false });
    await system.ended(await system.start('none', { agent_id: agent.id }));
    expect(offered('none')).toContain('look_into');
    expect(offered('none')).not.toContain('get_ticket');

    const child = await agentWith({ slug: 'child' });
    for (const [script, passes, given] of [
      ['passes', true, { can_access_integrations: true, tools: ['get_ticket'] }],
      ['passes all', true, { can_access_integrations: true, tools: ['*'] }],
      ['keeps', false, { can_access_integrations: false, tools: ['*'] }],
      ['passes another', false, { can_access_integrations: true, tools: ['close_ticket'] }],
      ['names none', false, { can_access_integrations: true }],
      ['says nothing', true, null],
    ] as const) {
      const grants = given && { can_read: true, scope: { notebooks: ['*'] }, ...given };
      const lead = await agentWith({
        tools: [],
        delegated_agents: [{ agent_id: child.id }],
        grants: createAgentBody.shape.grants.parse(grants) ?? null,
        confirmation: { delegate_to_child: 'never' },
      });
      system.model.script(script, [
        { tool_calls: [{ name: 'delegate_to_child', arguments: { task: `[script:${script} below] Look.` } }] },
        { text: 'Done.' },
      ]);
      system.model.script(`${script} below`, [{ text: 'Looked.' }]);
      await system.ended(await system.start(script, { agent_id: lead.id }));
      expect([script, offered(`${script} below`).includes('get_ticket')]).toEqual([script, passes]);
    }
  });

  it('stays for a run what it was when the run began; what the integration has become holds at once', async () => {
    calling('begun', 'close_ticket', { id: 'T-2' });
    const agent = await agentWith();
    const id = await system.start('begun', { agent_id: agent.id });
    const waiting = await system.until(id, (run) => run.pending_actions.length > 0);
    await changeAgent(system.caller, agent.id, { tools: [] }, null);
    const { items } = await listDefinitions(
      system.caller,
      'integration',
      { workspace_id: system.workspace.id },
      { limit: 10 },
    );
    const [desk] = items;
    const headers = { content: { headers: { 'X-From': 'longhaul' } } };
    await changeDefinition(system.caller, 'integration', desk?.id ?? '', headers, null);
    await system.commands.confirm(system.caller, id, {
      action_id: waiting.pending_actions[0]?.id ?? '',
      confirmed: true,
    });
    expect((await system.ended(id)).status).toBe('completed');
    expect(seen.map((each) => each.headers['x-from'])).toEqual(['longhaul']);
  });
});

it('[7] a built-in tool under another name is held to its own schema, and to the rights of the agent', async () => {
  system.model.script('alias', [
    { tool_calls: [{ name: 'look_into', arguments: { path: '/other.md' } }] },
    { tool_calls: [{ name: 'look_into', arguments: { path: '/notes.md' } }] },
    { text: 'Done.' },
  ]);
  const agent = await agentWith();
  const id = await system.start('alias', { agent_id: agent.id });
  await system.ended(id);
  const results = await resultsOf(id);
  expect(results.map(({ ok, error }) => [ok, error?.code])).toEqual([
    [false, 'invalid_arguments'],
    [true, undefined],
  ]);
  system.model.script('blind', [{ text: 'Done.' }]);
  const blind = await agentWith({ can_read: false });
  await system.ended(await system.start('blind', { agent_id: blind.id }));
  expect(offered('blind')).not.toContain('look_into');
});
