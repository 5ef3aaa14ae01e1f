import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../domain/session.ts';
import { createClient } from '../../sdk/client.ts';
import { type Served, startServed } from '../served-system.ts';
import { canMakeTerminals, startProgram } from './terminal-program.ts';

let system: Served;
beforeAll(async () => {
  system = await startServed();
});
afterAll(() => system.stop());

const place = () => ({ url: system.url, key: system.ownerKey, home: join(system.home, 'nobody') });
const run = (...args: string[]) => startProgram(place(), args).ended;
const onTerminal = (...args: string[]) => startProgram(place(), args, { terminal: true });
const SESSION_ID = /ses_[0-9a-z]{26}/;
const ENTER = '\r';
const DOWN = '\x1b[B';

const write = (name: string) => ({
  text: 'I write it down.',
  tool_calls: [{ name: 'write_file', arguments: { path: `/${name}.md`, content: `${name}\n` } }],
});

describe('[12] a conversation in a pipe', () => {
  it('is one message and its answer, gone on with by its id, and listed', async () => {
    system.model.script('piped', [{ text: 'Hello there.' }, { text: 'Still here.' }]);
    const first = await run('chat', '--agent', 'worker', '[script:piped] Hello?');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^Worker · ses_\w+\n[\s\S]*Hello there\.\n/);
    const id = SESSION_ID.exec(first.out)?.[0] ?? '';
    const second = await run('chat', '--session', id, 'And now?');
    expect(second.out).toMatch(/» \[script:piped\] Hello\?\nHello there\.\n[\s\S]*Still here\.\n/);
    system.model.assertDone('piped');

    const listed = await run('sessions');
    expect(listed.out).toMatch(new RegExp(`^STATUS .*\\n✓ completed +${id} +Worker +\\[script:piped\\] Hello\\?`));
    const [session] = (await run('sessions', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(session satisfies SessionSummary).toMatchObject({ id, api_calls_made: 2 });
  });

  it('says what is missing: something to say, or the right session', async () => {
    expect(await run('chat')).toMatchObject({ code: 1, err: expect.stringContaining('longhaul chat "') });
    expect(await run('chat', '-s', 'run_1', 'Hi')).toMatchObject({
      code: 1,
      err: expect.stringContaining('longhaul sessions'),
    });
  });
});

describe.runIf(canMakeTerminals)('[12] a conversation on a terminal', () => {
  it('goes on message by message; what is allowed once for all is not asked about again', async () => {
    system.model.script('typed', [
      write('typed-1'),
      { text: 'One written.' },
      write('typed-2'),
      { text: 'Two written.' },
    ]);
    const talk = onTerminal('chat', '--agent', 'worker');
    await talk.printed('You');
    talk.type(`[script:typed] Write it.${ENTER}`);
    await talk.printed('Allow write_file');
    talk.type(DOWN + DOWN + DOWN + ENTER);
    await talk.printed('One written.');
    await talk.printed(/✓ completed[\s\S]*You/);
    talk.type(`And another.${ENTER}`);
    await talk.printed('Two written.');
    await talk.printed(/Two written\.[\s\S]*✓ completed[\s\S]*You/);
    talk.type(ENTER);
    const { code, out } = await talk.ended;
    expect({ code, id: SESSION_ID.test(out) }).toEqual({ code: 0, id: true });
    expect(await readFile(join(system.root, 'typed-2.md'), 'utf8')).toBe('typed-2\n');
    system.model.assertDone('typed');
  });
});

it('[12] a program talks through the SDK: it is answered, allows, and reads what was done', async () => {
  system.model.script('program', [write('program'), { text: 'Written.' }]);
  const client = createClient({ url: system.url, apiKey: system.ownerKey });
  const agents = await client.agents.list();
  const agent = agents.items.find(({ slug }) => slug === 'worker');
  const [notebook] = (await client.notebooks.list({ workspace_id: agent?.workspace_id ?? '' })).items;
  const { id } = await client.sessions.create(agent?.id ?? '', { notebook_id: notebook?.id ?? '' });
  const asked = await client.sessions.message(id, '[script:program] Write it.', { wait: 60 });
  const [action] = asked.pending_actions;
  expect(asked.status).toBe('awaiting_confirmation');
  await client.sessions.confirm(id, { action_id: action?.id ?? '', digest: action?.digest, confirmed: true });
  await system.ended(asked.run_id ?? '');
  expect(await client.sessions.get(id)).toMatchObject({ status: 'completed', files_modified: ['/program.md'] });
  const { items } = await client.sessions.logs(id);
  expect(items.map(({ action_type }) => action_type)).toContain('tool.write_file');
  expect((await client.sessions.change(id, { archived: true })).archived).toBe(true);
  expect((await client.sessions.list({ archived: true })).items.map((session) => session.id)).toEqual([id]);
});
