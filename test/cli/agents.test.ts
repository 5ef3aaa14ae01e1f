import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { AgentTemplate } from '../../domain/agent-templates.ts';
import { type Api, startApi } from '../api/running-api.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-agents-')));
  api = await startApi({ notebookRoots: [folder] });
  const workspace_id = await api.workspace('Lab');
  const notebook = { workspace_id, name: 'Notes', kind: 'folder', path: folder };
  const { id } = (await api.call('POST', '/notebooks', { body: notebook })).body;
  const agent = {
    workspace_id,
    name: 'Scribe',
    model: 'gpt-4o',
    system_prompt: 'Write it down.\n',
    scope: { notebooks: [id], folders: ['/drafts'] },
    can_write: true,
    confirmation: { write_file: 'first_time' },
  };
  expect((await api.call('POST', '/agents', { body: agent })).status).toBe(201);
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  startProgram({ url: api.url, key: api.ownerKey, home: folder }, ['agents', ...args]).ended;

it('[12] agents are listed and shown, for people and for programs', async () => {
  expect((await run()).out).toMatch(/^SLUG +NAME +MODEL +MAY\nscribe +Scribe +gpt-4o +read, write\n$/);
  const shown = await run('show', 'scribe');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(
    /^Scribe\nid +agt_\w{26}\nslug +scribe\nversion +1\n[\s\S]*where +in \/drafts\n[\s\S]*\nWrite it down\.\n$/,
  );
  const [listed, one] = [(await run('--json')).out, (await run('show', 'Scribe', '--json')).out];
  expect((JSON.parse(one) as Agent).slug).toBe('scribe');
  expect(JSON.parse(one)).toEqual(JSON.parse(listed));
  expect((await run('show', 'nobody')).err).toContain('There is no agent "nobody".');
});

it('[12] an agent goes through a file into another, and the line of a mistake is told', async () => {
  const file = join(folder, 'scribe.agent.yaml');
  expect((await run('export', 'scribe', '--output', file)).out).toBe(`Written to ${file}.\n`);
  const yaml = await readFile(file, 'utf8');
  expect((await run('export', 'scribe')).out).toBe(yaml);
  const made = await run(
    'import',
    file,
    '--workspace',
    'Lab',
    '--name',
    'Second',
    '--slug',
    'second',
    '--model',
    'ollama/llama3',
    '--json',
  );
  expect(JSON.parse(made.out)).toMatchObject({ name: 'Second', slug: 'second', provider: 'ollama', can_write: true });
  const bound = await run(
    'import',
    file,
    '--workspace',
    'Lab',
    '--binding',
    '{"notebooks": ["*"], "max_iterations": 2}',
  );
  expect(bound.out).toMatch(/^agt_\w{26} {2}Scribe \(scribe-2\)\n$/);
  await writeFile(file, `${yaml}can_fly: true\n`);
  const refused = await run('import', file, '--workspace', 'Lab');
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/line \d+: can_fly: unknown field/)]);
  expect((await run('import', join(folder, 'nowhere.yaml'))).err).toContain('ENOENT');
});

it('[12] a probe answers with a rule and its exit code', async () => {
  const yes = await run('probe', 'scribe', 'write', '/drafts/a.md');
  expect([yes.code, yes.out]).toEqual([
    0,
    expect.stringMatching(/^yes, after a person has allowed it once: .*folder rule 1 \(\/drafts\)/),
  ]);
  const no = await run('probe', 'scribe', 'delete', '/drafts/a.md', '--json');
  expect([no.code, JSON.parse(no.out)]).toMatchObject([1, { allowed: false, asks: null, path: '/drafts/a.md' }]);
  expect((await run('probe', 'scribe', 'paint', '/a')).err).toContain('"paint" is none of read, write');
});

it('[12] an agent is switched off and on, and deleted; templates are listed', async () => {
  expect((await run('deactivate', 'second')).out).toMatch(/^Second \(agt_\w+\) is inactive/);
  expect((await run()).out).toContain('Second (inactive)');
  expect((await run('activate', 'second')).out).toMatch(/is active\.\n$/);
  expect((await run('delete', 'second')).out).toMatch(/^Deleted Second \(agt_\w+\)\.\n$/);
  expect((await run('show', 'second')).code).toBe(1);
  expect((await run('templates')).out).toMatch(/^TEMPLATE +WHAT IT DOES\nsummarizer +\S/);
  const [first = ''] = (await run('templates', '--json')).out.split('\n');
  expect((JSON.parse(first) as AgentTemplate).agent.can_create).toBe(true);
});
