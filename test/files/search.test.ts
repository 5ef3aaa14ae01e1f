import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { ripgrep } from '../../files/ripgrep.ts';
import { filesWithText, searchedFiles, searchText, type TextSearch } from '../../files/search.ts';

const program = await ripgrep();
/** Everything holds with the search program, and without it. */
const WAYS: [string, string | null][] = [
  ['by itself', null],
  ...(program ? [['with ripgrep', program] as [string, string]] : []),
];

let home: string;
let root: string;
let files: NotebookFiles;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-search-'));
  root = join(home, 'notebook');
  await mkdir(root);
  files = await NotebookFiles.at(root);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, content: string | Buffer): Promise<void> {
  const place = join(root, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
}

const where = (more: Partial<TextSearch> = {}): TextSearch => ({
  query: 'needle',
  sees: () => true,
  signal: new AbortController().signal,
  ...more,
});

async function hits(way: string | null, more: Partial<TextSearch> = {}): Promise<string[]> {
  const search = where(more);
  const found: string[] = [];
  const paths = await filesWithText(files, search, Promise.resolve(way));
  for await (const { path, line } of searchText(files, paths, search)) found.push(`${path}:${line}`);
  return found;
}

it('the search program comes with the installation on the systems it is built for', () => {
  if (process.platform === 'linux' && process.arch === 'x64') expect(program).toMatch(/rg$/);
});

describe.each(WAYS)('[5] a search %s', (_way, way) => {
  it('finds text in any case and alphabet, folder by folder, in the order of names', async () => {
    await put('b.md', 'a needle');
    await put('a/z.md', 'nothing\nNEEDLE');
    await put('a.md', 'Needle\n\n\n\n\nneedle');
    await put('c/ünï.md', 'NADEL MIT Ö');
    expect(await hits(way)).toEqual(['/a/z.md:2', '/a.md:1', '/a.md:6', '/b.md:1']);
    expect(await hits(way, { query: 'mit ö' })).toEqual(['/c/ünï.md:1']);
  });

  it('takes the query as it is: no pattern, no option, no line end', async () => {
    await put('a.md', '--help .* $1 (x\n-e\n');
    for (const query of ['--help', '.*', '$1', '(x', '-e']) expect(await hits(way, { query })).toHaveLength(1);
    expect(await hits(way, { query: 'x\n-e' })).toEqual([]);
    expect(await hits(way, { query: 'x\0' })).toEqual([]);
  });

  it('leaves out hidden files, links, what is no text, what is too large and what no path can name', async () => {
    await put('.hidden', 'needle');
    await put('.git/config', 'needle');
    await put('a/.env', 'needle');
    await put('bin', Buffer.from('needle\0'));
    await put('latin', Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0xff]));
    await put('large', Buffer.alloc(10 * 1024 * 1024 + 1, 'needle '));
    await put('back\\slash', 'needle');
    await put('line\nend', 'needle');
    await put('x\n./y.md', 'needle');
    await writeFile(join(home, 'secret'), 'needle');
    await symlink(join(home, 'secret'), join(root, 'link'));
    await symlink(home, join(root, 'out'));
    expect(await hits(way)).toEqual([]);
  });

  it('keeps to glob and to what may be seen', async () => {
    for (const path of ['a.md', 'a.txt', 'd/b.md', 'd/e/c.md', 'd/(x)+.md', 'd/[1].md']) await put(path, 'needle');
    const found = async (glob: string) => (await hits(way, { glob })).map((hit) => hit.replace(/:1$/, ''));
    expect(await found('*.md')).toEqual(['/a.md']);
    expect(await found('**/*.md')).toEqual(['/a.md', '/d/(x)+.md', '/d/[1].md', '/d/b.md', '/d/e/c.md']);
    expect(await found('/d/*')).toEqual(['/d/(x)+.md', '/d/[1].md', '/d/b.md']);
    expect(await found('d/**')).toHaveLength(4);
    expect(await found('**/(x)+.md')).toEqual(['/d/(x)+.md']);
    expect(await found('*.{md,txt}')).toEqual(['/a.md', '/a.txt']);
    expect(await found('**/[bc].md')).toEqual(['/d/b.md', '/d/e/c.md']);
    expect(await found('[')).toEqual([]);
    expect(await hits(way, { sees: (path) => path.startsWith('/d/e') })).toEqual(['/d/e/c.md:1']);
  });

  it('leaves out what .gitignore and .ignore name, with or without git, and asks nobody above the notebook', async () => {
    await writeFile(join(home, '.gitignore'), '*');
    await put('.gitignore', '# built\nbuild/\n*.log\n!keep.log\n/top.md\n');
    await put('sub/.gitignore', '!deep.log\nonly.md\n');
    await put('.ignore', 'other.md\n');
    const all = ['build/x.md', 'sub/build/y.md', 'a.log', 'keep.log', 'top.md', 'sub/top.md', 'sub/deep.log'];
    for (const path of [...all, 'sub/only.md', 'only.md', 'other.md', 'sub/other.md', 'plain.md'])
      await put(path, 'needle');
    const shown = ['/keep.log', '/only.md', '/plain.md', '/sub/deep.log', '/sub/top.md'];
    expect(await hits(way)).toEqual(shown.map((path) => `${path}:1`));
    expect(await searchedFiles(files, where(), Promise.resolve(way))).toEqual(shown);
  });

  it('stops when it is told to', async () => {
    await put('a.md', 'needle');
    await expect(hits(way, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

it('[2] whatever the search program claims to have found, nothing outside of the notebook is shown', async () => {
  await writeFile(join(home, 'secret.md'), 'needle outside');
  await put('a.md', 'needle');
  await put('gone.md', 'nothing here');
  await symlink(join(home, 'secret.md'), join(root, 'link.md'));
  await symlink(home, join(root, 'out'));
  const claims = [
    './link.md',
    './out/secret.md',
    './../secret.md',
    join(home, 'secret.md'),
    './gone.md',
    './missing.md',
    './a.md',
  ];
  const liar = join(home, 'liar');
  await writeFile(liar, `#!/bin/sh\nprintf '${claims.map((path) => `${path}\\n`).join('')}'\n`, { mode: 0o755 });
  expect(await hits(liar)).toEqual(['/a.md:1']);
});

it('a search program that cannot be run, or fails, is done without', async () => {
  await put('a.md', 'needle');
  const broken = join(home, 'broken');
  await writeFile(broken, '#!/bin/sh\nexit 70\n', { mode: 0o755 });
  expect(await hits(broken)).toEqual(['/a.md:1']);
  expect(await hits(join(home, 'nowhere'))).toEqual(['/a.md:1']);
});

it.runIf(program)('both ways find the same in any tree', async () => {
  const NAMES = ['a', 'b.md', 'c.txt', 'build', 'D', '.x', 'e e.md'];
  const anyPath = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const RULES = ['build', 'build/', '*.md', '!b.md', '/a', 'a/**', '**/D', 'D/*.md', '# no', '', '!/a/b.md', 'c.*'];
  const anyTree = fc.record({
    paths: fc.uniqueArray(anyPath, { minLength: 1, maxLength: 12 }),
    rules: fc.array(fc.tuple(fc.constantFrom('', 'a/', 'build/', 'D/'), fc.subarray(RULES)), { maxLength: 2 }),
    glob: fc.constantFrom(undefined, '**/*.md', 'a/**', '*', '**/[bc].*', '**/e e.md'),
  });
  await fc.assert(
    fc.asyncProperty(anyTree, async ({ paths, rules, glob }) => {
      await rm(root, { recursive: true });
      await mkdir(root);
      for (const path of paths) await put(path, 'a needle').catch(() => undefined);
      for (const [folder, lines] of rules) await put(`${folder}.gitignore`, lines.join('\n')).catch(() => undefined);
      expect(await hits(program, { glob })).toEqual(await hits(null, { glob }));
    }),
    { numRuns: 40 },
  );
});
