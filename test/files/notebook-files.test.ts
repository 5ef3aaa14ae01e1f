import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentHash, NotebookFiles } from '../../files/notebook-files.ts';

let home: string;
let root: string;
let files: NotebookFiles;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  root = join(home, 'notebook');
  await mkdir(join(root, 'docs'), { recursive: true });
  await mkdir(join(home, 'notebook-other'));
  await writeFile(join(home, 'secret.txt'), 'secret');
  await writeFile(join(home, 'notebook-other', 'secret.txt'), 'secret');
  await writeFile(join(root, 'a.md'), 'one\n');
  await writeFile(join(root, 'docs', 'b.md'), 'two\n');
  files = await NotebookFiles.at(root);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const put = (path: string) => join(root, path);

describe('[2] no path leads out of the notebook', () => {
  const TRICKS: Record<string, () => Promise<string>> = {
    'dot-dot': async () => '/../secret.txt',
    'a folder whose name begins like the root': async () => '/../notebook-other/secret.txt',
    'a link to a file outside': async () => {
      await symlink(join(home, 'secret.txt'), put('link.txt'));
      return '/link.txt';
    },
    'a link to a folder outside': async () => {
      await symlink(home, put('out'));
      return '/out/secret.txt';
    },
    'a link to a neighbour with a longer name': async () => {
      await symlink(join(home, 'notebook-other'), put('out'));
      return '/out/secret.txt';
    },
    'a relative link': async () => {
      await symlink('../../secret.txt', put('docs/link.txt'));
      return '/docs/link.txt';
    },
    'a link to a link': async () => {
      await symlink(home, put('one'));
      await symlink('one', put('two'));
      return '/two/secret.txt';
    },
    'a host path': async () => join(home, 'secret.txt'),
    'a NUL': async () => '/a.md\0/../../secret.txt',
    'an encoded path': async () => '/%2e%2e/secret.txt',
  };
  it.each(Object.entries(TRICKS))('%s', async (_what, make) => {
    const path = await make();
    await expect(files.read(path)).rejects.toMatchObject({
      code: expect.stringMatching(/scope_violation|no_such_file/),
    });
    await files.stage(path, 'changed', 'key').then(
      ({ staged, target }) => files.land(staged, target),
      (error: Error) => expect(error).toMatchObject({ code: 'scope_violation' }),
    );
    expect(await readFile(join(home, 'secret.txt'), 'utf8')).toBe('secret');
    expect(await readdir(home)).toEqual(['notebook', 'notebook-other', 'secret.txt']);
    expect(await readdir(join(home, 'notebook-other'))).toEqual(['secret.txt']);
  });

  it('nothing is made through a link to a folder outside', async () => {
    await symlink(home, put('out'));
    await expect(files.stage('/out/new/file.md', 'x', 'key')).rejects.toMatchObject({ code: 'scope_violation' });
    expect(await readdir(home)).toEqual(['notebook', 'notebook-other', 'secret.txt']);
  });

  it('a link to nowhere outside is never written through', async () => {
    await symlink(join(home, 'new.txt'), put('dangling.txt'));
    const { staged, target } = await files.stage('/dangling.txt', 'x', 'key');
    await files.land(staged, target);
    expect(await readdir(home)).not.toContain('new.txt');
    await rm(put('dangling.txt'));
    await symlink(join(home, 'new.txt'), put('dangling.txt'));
    // Not taken for a file that is not there yet: what it points to could appear between the look and the write.
    await expect(files.hash('/dangling.txt')).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('links within it are followed, and told as what they lead to', async () => {
    await symlink('docs', put('same'));
    expect((await files.read('/same/b.md')).text).toBe('two\n');
    expect([await files.actual('/same/b.md'), await files.actual('/same/new.md')]).toEqual([
      '/docs/b.md',
      '/docs/new.md',
    ]);
    expect([await files.actual('/'), await files.actual('a.md')]).toEqual(['/', '/a.md']);
  });

  it('the root itself may be reached by a link', async () => {
    await symlink(root, join(home, 'alias'));
    expect((await (await NotebookFiles.at(join(home, 'alias'))).read('/a.md')).text).toBe('one\n');
  });
});

describe('reading', () => {
  it('gives text and hash, byte for byte', async () => {
    await writeFile(put('bom.md'), '\ufeffüber\r\n');
    const { text, hash } = await files.read('bom.md');
    expect(text).toBe('\ufeffüber\r\n');
    expect(hash).toBe(contentHash(await readFile(put('bom.md'))));
    expect(await files.hash('/bom.md')).toBe(hash);
  });

  it.each<[string, Buffer | string]>([
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x41])],
    ['text with a NUL in it', 'a\0b'],
    ['half a character', Buffer.from('ü').subarray(0, 1)],
  ])('refuses %s', async (_what, content) => {
    await writeFile(put('odd.bin'), content);
    await expect(files.read('/odd.bin')).rejects.toMatchObject({ code: 'not_a_text_file' });
  });

  it('takes 10 MB and refuses a byte more', async () => {
    await writeFile(put('large.txt'), Buffer.alloc(10 * 1024 * 1024, 'a'));
    expect((await files.read('/large.txt')).text.length).toBe(10 * 1024 * 1024);
    await truncate(put('large.txt'), 10 * 1024 * 1024 + 1);
    await expect(files.read('/large.txt')).rejects.toMatchObject({ code: 'not_a_text_file' });
  });

  it('refuses folders and pipes, and does not wait for them', async () => {
    execFileSync('mkfifo', [put('pipe')]);
    for (const path of ['/', '/docs', '/pipe']) {
      await expect(files.read(path)).rejects.toMatchObject({ code: 'not_a_text_file' });
    }
  });

  it.each(['/nothing.md', '/nothing/at/all.md', '/a.md/below.md'])('says that %s is not there', async (path) => {
    await expect(files.read(path)).rejects.toMatchObject({ code: 'no_such_file' });
    expect(await files.hash(path)).toBeNull();
  });
});

describe('listing', () => {
  it('goes into folders in a stable order, without hidden files, links and staged ones', async () => {
    await mkdir(put('.git'));
    await writeFile(put('.git/config'), 'x');
    await writeFile(put('.env'), 'x');
    await symlink(join(home, 'secret.txt'), put('link.txt'));
    await symlink(home, put('out'));
    await writeFile(put('docs/a.md'), 'x');
    await files.stage('/docs/new.md', 'x', 'key');
    expect(await files.list('/', 100)).toEqual(['/a.md', '/docs/a.md', '/docs/b.md']);
    expect(await files.list('docs', 100)).toEqual(['/docs/a.md', '/docs/b.md']);
    expect(await files.list('/', 2)).toEqual(['/a.md', '/docs/a.md']);
  });

  it.each(['/nothing', '/a.md'])('says that %s is no folder', async (path) => {
    await expect(files.list(path, 100)).rejects.toMatchObject({ code: 'no_such_file' });
  });
});

describe('[15.2] a staged write', () => {
  it('changes nothing until it lands, and lands once', async () => {
    const { staged, target, after_hash } = await files.stage('/a.md', 'new\n', 'key');
    expect(await readFile(put('a.md'), 'utf8')).toBe('one\n');
    expect(await files.land(staged, target)).toBe(true);
    expect([await readFile(put('a.md'), 'utf8'), await files.hash('/a.md')]).toEqual(['new\n', after_hash]);
    await writeFile(put('a.md'), 'changed by a person\n');
    expect(await files.land(staged, target)).toBe(false);
    expect(await readFile(put('a.md'), 'utf8')).toBe('changed by a person\n');
    expect(await readdir(root)).toEqual(['a.md', 'docs']);
  });

  it('of two who land it at once, one does', async () => {
    const { staged, target } = await files.stage('/a.md', 'new\n', 'key');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => files.land(staged, target)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('makes the folders it needs', async () => {
    const { staged, target } = await files.stage('/new/deep/c.md', 'x', 'key');
    await files.land(staged, target);
    expect(await readFile(put('new/deep/c.md'), 'utf8')).toBe('x');
  });

  it('of a zombie that holds the old staged file open never reaches the target', async () => {
    await files.stage('/a.md', 'from the zombie', 'key');
    const [name] = (await readdir(root)).filter((entry) => entry.startsWith('.'));
    const zombie = await open(put(name ?? ''), 'r+');
    try {
      const { staged, target } = await files.stage('/a.md', 'from the successor', 'key');
      await zombie.write('zombie bytes', 0);
      await files.land(staged, target);
      await zombie.write('more zombie bytes', 0);
    } finally {
      await zombie.close();
    }
    expect(await readFile(put('a.md'), 'utf8')).toBe('from the successor');
  });

  it('replaces the file and leaves other names of the old one alone', async () => {
    await link(put('a.md'), put('hard.md'));
    const { staged, target } = await files.stage('/a.md', 'new', 'key');
    await files.land(staged, target);
    expect([await readFile(put('a.md'), 'utf8'), await readFile(put('hard.md'), 'utf8')]).toEqual(['new', 'one\n']);
  });

  it.each(['600', '644', '755', '666'])('keeps the mode of its target: %s', async (octal) => {
    const mode = Number.parseInt(octal, 8);
    await chmod(put('a.md'), mode);
    const { staged, target } = await files.stage('/a.md', 'new', 'key');
    await files.land(staged, target);
    expect((await stat(put('a.md'))).mode & 0o777).toBe(mode);
  });

  it('of one call never takes the place of another', async () => {
    const one = await files.stage('/a.md', 'one', 'key-1');
    const two = await files.stage('/a.md', 'two', 'key-2');
    await files.land(two.staged, two.target);
    await files.land(one.staged, one.target);
    expect(await readFile(put('a.md'), 'utf8')).toBe('one');
  });

  it('lands where its folder still is the notebook, not where the folder was moved to', async () => {
    const { staged, target } = await files.stage('/docs/b.md', 'new', 'key');
    await rename(put('docs'), join(home, 'elsewhere'));
    await symlink(join(home, 'elsewhere'), put('docs'));
    await expect(files.land(staged, target)).rejects.toMatchObject({ code: 'scope_violation' });
    expect(await readFile(join(home, 'elsewhere', 'b.md'), 'utf8')).toBe('two\n');
  });
});
