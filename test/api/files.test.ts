import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileEntry, FileHit } from '../../domain/file.ts';
import { contentHash } from '../../files/notebook-files.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let base: string;
let root: string;
let workspace: string;
let notebook: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-files-')));
  root = join(base, 'notes');
  await mkdir(join(root, 'drafts', 'deep'), { recursive: true });
  await mkdir(join(root, '.git'));
  await writeFile(join(base, 'secret.md'), 'outside\n');
  await writeFile(join(root, '.env'), 'KEY=1\n');
  await writeFile(join(root, 'drafts', 'deep', 'soak.md'), '# Soak\n\nSix hours of soaking.\n');
  await writeFile(join(root, 'image.bin'), Buffer.from([0, 1, 2, 3]));
  await symlink(base, join(root, 'way-out'));
  api = await startApi({ notebookRoots: [base] });
  workspace = await api.workspace();
  const place = { workspace_id: workspace, name: 'Notes', kind: 'folder', path: root };
  notebook = (await api.call('POST', '/notebooks', { body: place })).body.id;
});
afterAll(async () => {
  await api.stop();
  await rm(base, { recursive: true });
});

const at = (query: Record<string, string>, rest = '') =>
  `/notebooks/${notebook}/files${rest}?${new URLSearchParams(query)}`;
const read = (path: string, token?: string) => api.call('GET', at({ path }, '/content'), token ? { token } : {});
const write = (path: string, content: string, expected_hash: string | null, token?: string) =>
  api.call('PUT', `/notebooks/${notebook}/files/content`, {
    body: { path, content, expected_hash },
    ...(token ? { token } : {}),
  });
const remove = (path: string, expected_hash: string) => api.call('DELETE', at({ path, expected_hash }, '/content'));
const onDisk = (path: string) => readFile(join(root, path), 'utf8');

describe('a folder', () => {
  it('is listed one level at a time, folders first, without hidden files and links', async () => {
    const { status, body } = await api.call('GET', at({ path: '/' }));
    expect(status).toBe(200);
    const seen = body.items.map(({ name, type, path }: FileEntry) => [name, type, path]);
    expect(seen).toEqual([
      ['drafts', 'folder', '/drafts'],
      ['image.bin', 'file', '/image.bin'],
    ]);
    expect(body.items[1]).toMatchObject({ size: 4, modified_at: expect.stringMatching(/Z$/) });
    expect(body.items[0].size).toBeNull();
    expect((await api.call('GET', at({ path: '/nowhere' }))).body.error).toBe('no_such_file');
  });

  it('of many files is read in pages, each file once, as people count', async () => {
    await mkdir(join(root, 'many'));
    const names = Array.from({ length: 25 }, (_, n) => `entry ${n + 1}.md`);
    await Promise.all(names.map((name) => writeFile(join(root, 'many', name), '')));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { path: '/many', limit: '10', ...(cursor ? { cursor } : {}) };
      const { body } = await api.call('GET', at(query));
      seen.push(...body.items.map(({ name }: FileEntry) => name));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(names);
    expect((await api.call('GET', at({ path: '/many', cursor: 'made-up' }))).status).toBe(400);
    await rm(join(root, 'many'), { recursive: true });
  });

  it('is made with those above it, and never in the place of a file', async () => {
    const make = (path: string) => api.call('POST', `/notebooks/${notebook}/files/folder`, { body: { path } });
    expect((await make('/new/and/deep')).status).toBe(201);
    expect((await stat(join(root, 'new/and/deep'))).isDirectory()).toBe(true);
    expect((await make('/new/and/deep')).status).toBe(201);
    expect((await make('/image.bin')).status).toBe(400);
    expect((await make('/image.bin/below')).status).toBe(400);
    await rm(join(root, 'new'), { recursive: true });
  });
});

describe('a file', () => {
  it('is written as it was sent, line ends and mode included, and read back with its hash', async () => {
    const text = '\uFEFFone\r\ntwo\nthree';
    const made = await write('/letters/a.md', text, null);
    expect([made.status, made.body]).toEqual([200, { path: '/letters/a.md', hash: contentHash(text) }]);
    expect(await onDisk('letters/a.md')).toBe(text);
    await chmod(join(root, 'letters/a.md'), 0o750);
    const again = await write('/letters/a.md', `${text}\r\n`, made.body.hash);
    expect(again.status).toBe(200);
    expect((await stat(join(root, 'letters/a.md'))).mode & 0o777).toBe(0o750);
    const back = await read('letters/a.md');
    expect(back.body).toMatchObject({ path: '/letters/a.md', text: `${text}\r\n`, hash: again.body.hash, size: 19 });
    expect(await readdir(join(root, 'letters'))).toEqual(['a.md']);
  });

  it('that changed since it was read is left alone, and its hash is told', async () => {
    const { hash } = (await write('/shared.md', 'first\n', null)).body;
    await writeFile(join(root, 'shared.md'), 'theirs\n');
    for (const refused of [
      await write('/shared.md', 'mine\n', hash),
      await write('/shared.md', 'mine\n', null),
      await remove('/shared.md', hash),
    ]) {
      expect([refused.status, refused.body.error]).toEqual([409, 'file_changed']);
      expect(refused.body.details.hash).toBe(contentHash('theirs\n'));
    }
    expect(await onDisk('shared.md')).toBe('theirs\n');
    const gone = await write('/never-there.md', 'x', hash);
    expect([gone.status, gone.body.details.hash]).toEqual([409, null]);
    expect(await readdir(root)).not.toContain('never-there.md');
  });

  it('is made by one of several who try at once', async () => {
    const tries = await Promise.all(Array.from({ length: 8 }, (_, n) => write('/race.md', `text of ${n}`, null)));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const winner = tries.findIndex(({ status }) => status === 200);
    expect(await onDisk('race.md')).toBe(`text of ${winner}`);
    expect((await readdir(root)).filter((name) => name.startsWith('.longhaul'))).toEqual([]);
  });

  it('is changed by one of several who saw the same text', async () => {
    const { hash } = (await write('/seen.md', 'seen', null)).body;
    const tries = await Promise.all(Array.from({ length: 8 }, (_, n) => write('/seen.md', `text of ${n}`, hash)));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(await onDisk('seen.md')).toBe(`text of ${tries.findIndex(({ status }) => status === 200)}`);
  });

  it('is deleted if it is the one that was read', async () => {
    const { hash } = (await write('/old.md', 'old', null)).body;
    expect((await remove('/old.md', hash)).status).toBe(204);
    expect((await read('/old.md')).status).toBe(404);
    expect((await remove('/old.md', hash)).body.error).toBe('file_changed');
  });

  it('is moved to where nothing is, and nowhere else', async () => {
    const move = (from: string, to: string, expected_hash: string) =>
      api.call('POST', `/notebooks/${notebook}/files/move`, { body: { from, to, expected_hash } });
    const { hash } = (await write('/from.md', 'moved\n', null)).body;
    await write('/taken.md', 'here first\n', null);
    const refused = await move('/from.md', '/taken.md', hash);
    expect([refused.status, refused.body.error]).toEqual([409, 'file_changed']);
    const moved = await move('/from.md', '/to/there.md', hash);
    expect([moved.status, moved.body]).toEqual([200, { path: '/to/there.md', hash }]);
    expect([await onDisk('to/there.md'), await onDisk('taken.md')]).toEqual(['moved\n', 'here first\n']);
    expect((await read('/from.md')).status).toBe(404);
  });

  it('that is no text or over 10 MB says so, and a larger body is not read', async () => {
    expect((await read('/image.bin')).body.error).toBe('not_a_text_file');
    await writeFile(join(root, 'large.txt'), Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
    const large = await read('/large.txt');
    expect([large.status, large.body.error]).toEqual([413, 'too_large']);
    await rm(join(root, 'large.txt'));
    const wide = await write('/wide.txt', 'ü'.repeat(6 * 1024 * 1024), null);
    expect([wide.status, wide.body.error]).toEqual([413, 'too_large']);
    expect((await write('/whole.txt', 'x'.repeat(9 * 1024 * 1024), null)).status).toBe(200);
  });
});

const PATHS = [
  '/../secret.md',
  '/way-out/secret.md',
  '/drafts/../../secret.md',
  '/%2e%2e/secret.md',
  '/a\\b',
  '/a\0b',
  '/.env',
  '/.git/config',
  '/drafts/.hidden/x.md',
  `/${'x'.repeat(300)}`,
];
it.each(PATHS)('[2] the path %j is refused, to read, to write and to delete', async (path) => {
  const hash = contentHash('outside\n');
  const folder = { body: { path: `${path}/new` } };
  const answers = [
    await read(path),
    await write(path, 'mine', null),
    await remove(path, hash),
    await api.call('POST', `/notebooks/${notebook}/files/folder`, folder),
  ];
  for (const { status } of answers) expect([400, 404, 409]).toContain(status);
  expect(answers[1]?.status).toBe(400);
  expect(await readFile(join(base, 'secret.md'), 'utf8')).toBe('outside\n');
});

it('[1] who may read sees files and changes none; a stranger finds nothing', async () => {
  const { hash } = (await write('/ours.md', 'ours', null)).body;
  const { token: reader } = await api.member(workspace, 'read');
  expect((await read('/ours.md', reader)).body.text).toBe('ours');
  expect((await write('/ours.md', 'theirs', hash, reader)).status).toBe(403);
  const { token: writer } = await api.member(workspace, 'write');
  expect((await write('/ours.md', 'theirs', hash, writer)).status).toBe(200);

  const other = await api.workspace('Elsewhere');
  for (const { token } of [await api.member(other, 'admin'), { token: await api.foreignOwner() }]) {
    expect((await read('/ours.md', token)).status).toBe(404);
    expect((await write('/ours.md', 'x', null, token)).status).toBe(404);
    expect((await api.call('GET', at({ path: '/' }), { token })).status).toBe(404);
    expect((await api.call('GET', at({ q: 'ours' }, '/search'), { token })).status).toBe(404);
  }
});

describe('a search', () => {
  const search = async (query: Record<string, string>) => (await api.call('GET', at(query, '/search'))).body;

  it('finds names first, then text with its line', async () => {
    const { results } = await search({ q: 'SOAK' });
    expect(results[0]).toEqual({ path: '/drafts/deep/soak.md', line: null, start_line: null, snippet: '' });
    const inText = results.filter(({ line }: FileHit) => line !== null);
    expect(inText[0]).toMatchObject({ path: '/drafts/deep/soak.md', line: 1, start_line: 1 });
    expect(inText[0].snippet).toContain('# Soak');
  });

  it('keeps to its pattern and its limit, and leaves hidden files out', async () => {
    expect((await search({ q: 'KEY' })).results).toEqual([]);
    expect((await search({ q: 'soaking', glob: '**/*.txt' })).results).toEqual([]);
    const few = await search({ q: 'o', limit: '1' });
    expect([few.results.length, few.limited]).toEqual([1, true]);
  });
});
