import { chmod, link, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Checkout } from '../../activities/checkout.ts';
import { targetOf } from '../../activities/steps/call-outcome.ts';
import { toolbox } from '../../activities/tools/index.ts';
import type { Agent } from '../../domain/agent.ts';
import { agentWith, answered, begun, tool as called, called as calledModel, stateOf } from '../domain/told.ts';
import { GitRemote } from '../doubles/git-remote.ts';
import { type CallOptions, checkOut, contextOf, use } from './own-checkout.ts';

let remote: GitRemote;
let checkout: Checkout & { remove(): Promise<void> };
const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'four\nfive\n', 'crlf.txt': 'x\r\ny\r\n' };
beforeAll(async () => {
  remote = await GitRemote.start(FILES);
});
afterAll(() => remote.close());
beforeEach(async () => {
  checkout = await checkOut(remote);
});
afterEach(() => checkout.remove());

const workspace = (operation: string, args: object, options: CallOptions = {}) =>
  use(checkout, 'workspace', operation, args, options);
const text = (path: string) => readFile(join(checkout.dir, path), 'utf8');
const everything = async () => (await readdir(checkout.dir, { recursive: true })).sort();
const patch = (diff: string, options: CallOptions = {}) => workspace('apply_patch', { patch: diff }, options);

const EDIT = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
const MAKE =
  'diff --git a/new/c.sh b/new/c.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new/c.sh\n@@ -0,0 +1 @@\n+#!/bin/sh\n';
const REMOVE =
  'diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-four\n-five\n';
const RENAME =
  'diff --git a/b.txt b/d.txt\nsimilarity index 50%\nrename from b.txt\nrename to d.txt\n--- a/b.txt\n+++ b/d.txt\n@@ -1,2 +1,2 @@\n four\n-five\n+5\n';

describe('[6] workspace apply_patch', () => {
  it('changes, makes and deletes files in one go', async () => {
    const { changed } = await patch(`${EDIT}${MAKE}${REMOVE}`);
    expect(changed.map(({ path }: { path: string }) => path)).toEqual(['/a.txt', '/new/c.sh', '/b.txt']);
    expect(await text('a.txt')).toBe('one\n2\nthree\n');
    expect((await stat(join(checkout.dir, 'new/c.sh'))).mode & 0o777).toBe(0o755);
    expect(await everything()).toEqual(['a.txt', 'crlf.txt', 'new', 'new/c.sh']);
  });

  it('renames with its mode, and leaves other line ends as they are', async () => {
    await chmod(join(checkout.dir, 'b.txt'), 0o755);
    await patch(RENAME);
    expect(await text('d.txt')).toBe('four\n5\n');
    expect((await stat(join(checkout.dir, 'd.txt'))).mode & 0o777).toBe(0o755);
    await patch('--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n');
    expect(await text('crlf.txt')).toBe('x\r\nz\r\n');
  });

  it('fits where the lines have moved, and may change one file twice', async () => {
    await writeFile(join(checkout.dir, 'a.txt'), 'zero\none\ntwo\nthree\n');
    await patch(`${EDIT}--- a/a.txt\n+++ b/a.txt\n@@ -3,2 +3,2 @@\n 2\n-three\n+3\n`);
    expect(await text('a.txt')).toBe('zero\none\n2\n3\n');
  });

  const elsewhere = EDIT.replaceAll('a.txt', 'b.txt');
  it.each<[string, string, string]>([
    ['does not fit', `${EDIT}${elsewhere}`, 'patch_rejected'],
    ['is no diff', 'please change a.txt', 'patch_rejected'],
    ['has a hunk cut short', '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n', 'patch_rejected'],
    ['changes what is not there', EDIT.replaceAll('a.txt', 'no.txt'), 'patch_rejected'],
    ['makes what is there', MAKE.replaceAll('new/c.sh', 'a.txt'), 'patch_rejected'],
    [
      'is binary',
      'diff --git a/x.bin b/x.bin\nnew file mode 100644\nBinary files /dev/null and b/x.bin differ\n',
      'patch_rejected',
    ],
    ['leads out', `${EDIT}${EDIT.replaceAll('/a.txt', '/../../etc/passwd')}`, 'scope_violation'],
    ['changes the files of git', `${EDIT}${MAKE.replaceAll('new/c.sh', '.git/hooks/post-commit')}`, 'scope_violation'],
  ])('that %s changes nothing', async (_why, diff, code) => {
    const before = await everything();
    await expect(patch(diff)).rejects.toMatchObject({ code });
    expect([await everything(), await text('a.txt')]).toEqual([before, FILES['a.txt']]);
  });

  it('is bounded by folders, file types and rights, for every file of it', async () => {
    const scoped: Partial<Agent>[] = [
      { scope: { notebooks: ['*'], folders: ['/a.txt'] } },
      { can_create: false },
      { scope: { notebooks: ['*'], operations: ['read', 'write'] } },
    ];
    for (const agent of scoped) {
      await expect(patch(`${EDIT}${MAKE}`, { agent })).rejects.toMatchObject({ code: 'scope_violation' });
      expect(await text('a.txt')).toBe(FILES['a.txt']);
    }
  });

  it('does not follow a link', async () => {
    await symlink('/etc/hostname', join(checkout.dir, 'link.txt'));
    await expect(patch(EDIT.replaceAll('a.txt', 'link.txt'))).rejects.toMatchObject({ code: 'scope_violation' });
  });

  it('approved is held to what was shown: what comes between makes it void, also where it would still fit', async () => {
    const { agent, context, outside } = await contextOf(checkout);
    const call = called('c', 'workspace', { operation: 'apply_patch', args: { patch: `${MAKE}${EDIT}` } });
    const { tool, input } = toolbox(agent, 'git').resolve(call);
    if (!('prepare' in tool)) throw new Error('it is staged first');
    const shown = await tool.preview(input, context);
    await writeFile(join(checkout.dir, 'a.txt'), 'zero\none\ntwo\nthree\n');
    const before = await everything();
    await expect(tool.prepare(input, context, outside.key, shown)).rejects.toMatchObject({ code: 'file_changed' });
    expect(await everything()).toEqual(before);
    await writeFile(join(checkout.dir, 'a.txt'), FILES['a.txt']);
    await tool.perform(await tool.prepare(input, context, outside.key, shown), context);
    expect(await text('a.txt')).toBe('one\n2\nthree\n');
  });

  it('cut off halfway is carried to its end by who comes after', async () => {
    const { agent, context, outside } = await contextOf(checkout);
    const call = called('c', 'workspace', { operation: 'apply_patch', args: { patch: `${EDIT}${MAKE}${REMOVE}` } });
    const { tool, input } = toolbox(agent, 'git').resolve(call);
    if (!('prepare' in tool)) throw new Error('it is staged first');
    const intent = await tool.prepare(input, context, outside.key, undefined);
    expect(await text('a.txt')).toBe(FILES['a.txt']);
    const [first] = intent.effect === 'several' ? intent.changes : [];
    if (first?.effect === 'rename') await context.files.land(first.staged, first.target);
    await tool.perform(intent, context);
    await tool.perform(intent, context);
    expect([await text('a.txt'), await everything()]).toEqual([
      'one\n2\nthree\n',
      ['a.txt', 'crlf.txt', 'new', 'new/c.sh'],
    ]);
  });
});

describe('[6] workspace move', () => {
  it('takes a file to a place that is free, with all it is', async () => {
    await chmod(join(checkout.dir, 'a.txt'), 0o755);
    expect(await workspace('move', { from: '/a.txt', to: '/deep/down/z.txt' })).toMatchObject({
      to: '/deep/down/z.txt',
    });
    expect((await stat(join(checkout.dir, 'deep/down/z.txt'))).mode & 0o777).toBe(0o755);
    expect(await everything()).not.toContain('a.txt');
  });

  it('needs the right to delete there and to create here, and never goes over a file', async () => {
    await expect(workspace('move', { from: '/a.txt', to: '/b.txt' })).rejects.toMatchObject({ code: 'file_exists' });
    await expect(workspace('move', { from: '/no.txt', to: '/z.txt' })).rejects.toMatchObject({ code: 'no_such_file' });
    await expect(workspace('move', { from: '/a.txt', to: '/.git/x' })).rejects.toMatchObject({
      code: 'scope_violation',
    });
    const agent = { can_delete: false };
    await expect(workspace('move', { from: '/a.txt', to: '/z' }, { agent })).rejects.toMatchObject({
      code: 'scope_violation',
    });
  });

  it.each<[string, string, object]>([
    ['from', 'workspace', { from: '/a.txt', to: '/z.txt' }],
    ['another spelling', 'deterministic.workspace', { source: '/a.txt', destination: '/z.txt' }],
    ['the file tools’ word', 'workspace', { path: '/a.txt', new_path: '/z.txt' }],
  ])('is told in the audit log with the place it takes the file from, given as %s', (_how, name, args) => {
    const call = called('c', name, { operation: 'move', args: { ...args } });
    const moved = stateOf(begun, [calledModel(1), answered(1, { calls: [call] })]);
    expect(moved.turns[0]?.calls.map(targetOf)).toEqual(['/a.txt']);
  });

  it.each<[string, (dir: string) => Promise<unknown>, object]>([
    ['not begun', async () => undefined, { state: 'not_done' }],
    ['between the two names', (dir) => link(join(dir, 'a.txt'), join(dir, 'z.txt')), { state: 'done' }],
    ['done', (dir) => rename(join(dir, 'a.txt'), join(dir, 'z.txt')), { state: 'done' }],
    ['overtaken', (dir) => writeFile(join(dir, 'z.txt'), 'another'), { state: 'unknown' }],
  ])('cut off, is found to be %s', async (_what, leave, found) => {
    await leave(checkout.dir);
    const { agent, outside } = await contextOf(checkout);
    const call = called('c', 'workspace', { operation: 'move', args: { from: 'a.txt', to: 'z.txt' } });
    const { tool, input } = toolbox(agent, 'git').resolve(call);
    if (!('act' in tool) || !tool.findOut) throw new Error('it is found out about');
    expect(await tool.findOut(input, outside)).toMatchObject(found);
    if ('state' in found && found.state === 'done') {
      expect(await everything()).toEqual(['b.txt', 'crlf.txt', 'z.txt']);
    }
  });
});

describe('[6] the domains', () => {
  const offered = (agent: Partial<Agent>, kind: 'git' | 'folder' = 'git') =>
    toolbox(agentWith(agent), kind).schemas.filter(({ name }) => name === 'workspace' || name === 'git');
  const operations = (agent: Partial<Agent>, domain: string) => {
    const found = offered(agent).find(({ name }) => name === domain);
    return (found?.parameters.properties as { operation: { enum: string[] } } | undefined)?.operation.enum ?? [];
  };
  const EVERYTHING = { can_write: true, can_create: true, can_delete: true };

  it('are offered on git notebooks, with the operations that the agent may use', () => {
    expect(offered(EVERYTHING, 'folder')).toEqual([]);
    expect(operations({}, 'workspace')).toEqual(['list', 'read', 'search']);
    expect(operations({}, 'git')).toEqual(['status', 'diff', 'log']);
    expect(operations(EVERYTHING, 'git')).toHaveLength(7);
    expect(operations(EVERYTHING, 'workspace')).toHaveLength(7);
    expect(operations({ ...EVERYTHING, system_tools: ['git.diff', 'workspace'] }, 'git')).toEqual(['diff']);
  });

  it('take part in a call as its operation does: only what changes something is an effect', () => {
    const { find } = toolbox(agentWith(EVERYTHING), 'git');
    const effects = (domain: string, names: string[]) =>
      names.filter((operation) => find(domain, { operation })?.effect);
    expect(effects('workspace', ['list', 'read', 'write', 'search', 'apply_patch', 'move', 'delete'])).toEqual([
      'write',
      'apply_patch',
      'move',
      'delete',
    ]);
    expect(effects('deterministic.git', ['status', 'diff', 'branch', 'commit', 'push', 'log', 'open_pr'])).toEqual([
      'branch',
      'commit',
      'push',
      'open_pr',
    ]);
  });

  it('refuse an operation that the agent may not use, and arguments that do not fit', async () => {
    const agent = { can_write: false, can_create: false, can_delete: false };
    const no = { code: 'scope_violation' };
    await expect(workspace('write', { path: 'a.txt', content: '' }, { agent })).rejects.toMatchObject(no);
    await expect(use(checkout, 'git', 'push', {}, { agent })).rejects.toMatchObject(no);
    await expect(workspace('read', { file: 'a.txt' })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(workspace('', {})).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('read, list, search, write and delete as the file tools do', async () => {
    await mkdir(join(checkout.dir, 'docs'));
    expect(await workspace('write', { path: 'docs/x.md', content: 'needle\n' })).toMatchObject({ created: true });
    expect(await workspace('read', { path: 'docs/x.md' })).toMatchObject({ content: 'needle\n' });
    expect(await workspace('list', {})).toMatchObject({ files: ['/a.txt', '/b.txt', '/crlf.txt', '/docs/x.md'] });
    expect(JSON.stringify(await workspace('search', { query: 'needle' }))).toContain('/docs/x.md');
    expect(await workspace('delete', { path: 'docs/x.md' })).toMatchObject({ deleted: true });
  });
});
