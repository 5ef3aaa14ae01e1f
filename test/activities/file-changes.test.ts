import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toolContext } from '../../activities/segment.ts';
import type { EffectTool, Preview, ToolContext } from '../../activities/tools/contract.ts';
import { toolbox } from '../../activities/tools/index.ts';
import type { Agent } from '../../domain/agent.ts';
import { boundOfCaller } from '../../domain/rights.ts';
import { contentHash, NotebookFiles } from '../../files/notebook-files.ts';
import { agentWith, tool as called } from '../domain/told.ts';

let root: string;
let files: NotebookFiles;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-changes-'));
  await mkdir(join(root, 'docs'));
  await mkdir(join(root, 'secret'));
  await writeFile(join(root, 'docs/a.md'), '---\nstatus: draft # for now\n---\none\n');
  await writeFile(join(root, 'secret/key.md'), 'key\n');
  await symlink('../secret/key.md', join(root, 'docs/link.md'));
  files = await NotebookFiles.at(root);
  return () => rm(root, { recursive: true, force: true });
});

const ALL: Partial<Agent> = { can_write: true, can_create: true, can_delete: true };
const IN_DOCS = { scope: { notebooks: ['*'], folders: ['/docs'] } };

interface Effect {
  tool: EffectTool;
  input: unknown;
  context: ToolContext;
}
function effect(name: string, args: object, more: Partial<Agent> = {}): Effect {
  const agent = agentWith({ ...ALL, ...more });
  const { tool, input } = toolbox(agent, 'folder').resolve(called('c', name, { ...args }));
  if (!tool.effect || 'act' in tool) throw new Error(`${name} changes nothing`);
  const run = { agent, notebook_id: 'nb_1', bound: boundOfCaller(true) };
  return { tool, input, context: toolContext(run, files, new AbortController().signal) };
}
const preview = ({ tool, input, context }: Effect): Promise<Preview> => tool.preview(input, context);
const carryOut = async ({ tool, input, context }: Effect, approved?: Preview): Promise<unknown> =>
  tool.perform(await tool.prepare(input, context, 'key', approved), context);
const content = (path: string) => readFile(join(root, path), 'utf8');

describe('[2] a change is shown as a diff and made as it was shown', () => {
  it.each<[string, object, RegExp, string, string | null]>([
    [
      'write_file',
      { path: 'docs/a.md', content: 'two\n' },
      /--- a\/docs\/a\.md[\s\S]*-one\n\+two/,
      'docs/a.md',
      'two\n',
    ],
    ['write_file', { path: '/docs/b.md', content: 'b\n' }, /--- \/dev\/null[\s\S]*\+b/, 'docs/b.md', 'b\n'],
    [
      'write_file',
      { path: '/docs/b.md', content: 'b\n', properties: { tag: 'x', gone: null } },
      /\+tag: x/,
      'docs/b.md',
      '---\ntag: x\n---\n\nb\n',
    ],
    [
      'create_file',
      { path: '/docs/b.md', content: 'b\n' },
      /--- \/dev\/null\n\+\+\+ b\/docs\/b\.md/,
      'docs/b.md',
      'b\n',
    ],
    ['create_file', { path: '/docs/b.md' }, /docs\/b\.md/, 'docs/b.md', ''],
    ['create_file', { path: '/new/b.md', template: 'note', content: 'Hi' }, /\+# b/, 'new/b.md', '# b\n\nHi\n'],
    ['delete_file', { path: '/docs/a.md' }, /\+\+\+ \/dev\/null[\s\S]*-one/, 'docs/a.md', null],
    [
      'update_file_properties',
      { path: '/docs/a.md', properties: { status: 'final', by: 'Ana' } },
      /-status: draft # for now\n\+status: final # for now\n\+by: Ana/,
      'docs/a.md',
      '---\nstatus: final # for now\nby: Ana\n---\none\n',
    ],
  ])('%s %j', async (name, args, shown, path, after) => {
    const wanted = effect(name, args);
    const asked = await preview(wanted);
    expect(asked.preview).toMatch(shown);
    expect(asked.path).toBe(`/${path}`);
    await carryOut(wanted, asked);
    const there = await content(path).catch(() => null);
    expect(there).toBe(after);
    expect((await readdir(root, { recursive: true })).filter((name) => name.includes('longhaul'))).toEqual([]);
  });

  it('tells what came of it', async () => {
    const hash = contentHash('x');
    expect(await carryOut(effect('create_file', { path: 'docs/b.md', content: 'x' }))).toEqual({
      path: '/docs/b.md',
      hash,
      written: true,
      created: true,
    });
    expect(await carryOut(effect('write_file', { path: 'docs/a.md', content: 'x' }))).toEqual({
      path: '/docs/a.md',
      hash,
      written: true,
    });
    expect(await carryOut(effect('delete_file', { path: 'docs/a.md' }))).toEqual({ path: '/docs/a.md', deleted: true });
  });

  it('of what is no text is shown by its size', async () => {
    await writeFile(join(root, 'docs/picture.bin'), Buffer.from([0xff, 0]));
    const wanted = effect('delete_file', { path: '/docs/picture.bin' });
    expect((await preview(wanted)).preview).toContain('2 bytes');
    await carryOut(wanted, await preview(wanted));
    expect(await readdir(join(root, 'docs'))).toEqual(['a.md', 'link.md']);
  });
});

describe('[15.5] an approval is for what was shown', () => {
  const CHANGES: [string, object][] = [
    ['write_file', { path: '/docs/a.md', content: 'x' }],
    ['delete_file', { path: '/docs/a.md' }],
    ['update_file_properties', { path: '/docs/a.md', properties: { a: 1 } }],
  ];
  it.each(CHANGES)('%s of a file that changed since is refused', async (name, args) => {
    const asked = await preview(effect(name, args));
    await writeFile(join(root, 'docs/a.md'), 'by a person\n');
    await expect(carryOut(effect(name, args), asked)).rejects.toMatchObject({ code: 'file_changed' });
    expect([await content('docs/a.md'), await readdir(join(root, 'docs'))]).toEqual([
      'by a person\n',
      ['a.md', 'link.md'],
    ]);
  });

  it.each<[string, object]>([
    ['write_file', { path: '/way/b.md', content: 'x' }],
    ['create_file', { path: '/way/b.md', content: 'x' }],
  ])('%s by a link that leads elsewhere since is refused', async (name, args) => {
    await symlink('docs', join(root, 'way'));
    const asked = await preview(effect(name, args));
    expect(asked.path).toBe('/docs/b.md');
    await rm(join(root, 'way'));
    await symlink('secret', join(root, 'way'));
    await expect(carryOut(effect(name, args), asked)).rejects.toMatchObject({ code: 'file_changed' });
    expect(await readdir(join(root, 'secret'))).toEqual(['key.md']);
  });

  it('create_file where somebody made the file since is refused, before and after it is prepared', async () => {
    const wanted = effect('create_file', { path: '/docs/b.md', content: 'x' });
    const asked = await preview(wanted);
    const intent = await wanted.tool.prepare(wanted.input, wanted.context, 'key', asked);
    await writeFile(join(root, 'docs/b.md'), 'by a person\n');
    await expect(wanted.tool.perform(intent, wanted.context)).rejects.toMatchObject({ code: 'file_exists' });
    await expect(carryOut(wanted, asked)).rejects.toMatchObject({ code: 'file_exists' });
    expect(await content('docs/b.md')).toBe('by a person\n');
    await expect(preview(wanted)).rejects.toMatchObject({ code: 'file_exists' });
  });

  it('create_file from a template that changed since is refused', async () => {
    await mkdir(join(root, 'templates'));
    await writeFile(join(root, 'templates/trial.md'), '# {{title}}\n');
    const wanted = effect('create_file', { path: '/docs/b.md', template: 'trial' });
    const asked = await preview(wanted);
    await writeFile(join(root, 'templates/trial.md'), '# Something else\n');
    await expect(carryOut(wanted, asked)).rejects.toMatchObject({ code: 'file_changed' });
  });
});

describe('[2] a change is held to the scope by where its path really leads', () => {
  it.each<[string, object]>([
    ['write_file', { path: '/secret/key.md', content: 'x' }],
    ['write_file', { path: '/docs/link.md', content: 'x' }],
    ['write_file', { path: '/secret/new.md', content: 'x' }],
    ['create_file', { path: '/secret/new.md' }],
    ['create_file', { path: '/docs/../secret/new.md' }],
    ['delete_file', { path: '/secret/key.md' }],
    ['delete_file', { path: '/docs/link.md' }],
    ['delete_file', { path: '/' }],
    ['update_file_properties', { path: '/docs/link.md', properties: { a: 1 } }],
  ])('%s %j', async (name, args) => {
    const wanted = effect(name, args, IN_DOCS);
    await expect(preview(wanted)).rejects.toMatchObject({ code: 'scope_violation' });
    await expect(carryOut(wanted)).rejects.toMatchObject({ code: 'scope_violation' });
    expect([await content('secret/key.md'), await readdir(join(root, 'secret'))]).toEqual(['key\n', ['key.md']]);
  });

  it('does not tell who may do nothing there whether there is such a file', async () => {
    const refusal = (path: string) =>
      preview(effect('write_file', { path, content: '' }, IN_DOCS)).catch((error: Error) =>
        error.message.replaceAll(path, 'it'),
      );
    expect(await refusal('/secret/key.md')).toBe(await refusal('/secret/none.md'));
  });

  it.each<[string, Partial<Agent>, object]>([
    ['making needs the right to create', { can_create: false }, { path: '/docs/b.md', content: '' }],
    ['changing needs the right to write', { can_write: false }, { path: '/docs/a.md', content: '' }],
    ['git is left alone', {}, { path: '/.git/hooks/pre-commit', content: '' }],
  ])('%s', async (_what, more, args) => {
    await expect(preview(effect('write_file', args, more))).rejects.toMatchObject({ code: 'scope_violation' });
  });
});

describe('[2] a template', () => {
  beforeEach(async () => {
    await mkdir(join(root, '.templates'));
    await writeFile(join(root, '.templates/trial.md'), '# {{title}}\n\nTrial of {{title}}.\n');
    await writeFile(join(root, '.templates/note.md'), 'Own note: {{content}}');
  });
  const made = async (args: object, more: Partial<Agent> = {}) => {
    await carryOut(effect('create_file', { path: '/docs/T9.md', ...args }, more));
    return content('docs/T9.md');
  };

  it.each<[string, object, string]>([
    ['is found by its name', { template: 'trial' }, '# T9\n\nTrial of T9.\n'],
    ['is found by its whole name', { template: 'trial.md' }, '# T9\n\nTrial of T9.\n'],
    ['has the content behind it', { template: 'trial', content: 'More.\n' }, '# T9\n\nTrial of T9.\nMore.\n'],
    ['of the notebook goes before one that is built in', { template: 'note', content: 'x' }, 'Own note: x'],
    ['takes the content as text', { template: 'note', content: '{{title}} $&' }, 'Own note: {{title}} $&'],
  ])('%s', async (_what, args, expected) => expect(await made(args)).toBe(expected));

  it('is read only where the agent may read it', async () => {
    await expect(made({ template: 'trial' }, IN_DOCS)).rejects.toMatchObject({ code: 'no_such_file' });
    expect(await made({ template: 'note', content: 'x' }, IN_DOCS)).toBe('# T9\n\nx\n');
  });

  it.each(['nothing', '../docs/a', '/docs/a.md', 'constructor'])(
    '%s is none, and those there are are named',
    async (template) => {
      await expect(made({ template })).rejects.toMatchObject({
        code: 'no_such_file',
        details: { templates: ['note', 'trial', 'meeting', 'experiment'] },
      });
    },
  );
});
