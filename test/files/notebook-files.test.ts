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
import { HAS_DESCRIPTORS } from '../../files/open-folder.ts';

/** Everything holds on systems that name descriptors, and on those that do not. */
const WAYS: [string, boolean][] = [
  ['by looking again', false],
  ...(HAS_DESCRIPTORS ? [['by descriptor', true] as [string, boolean]] : []),
];

describe.each(WAYS)('files reached %s', (_way, byDescriptor) => {
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
    files = await NotebookFiles.at(root, byDescriptor);
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
      'a link that leads to itself': async () => {
        await symlink('loop', put('loop'));
        return '/loop/secret.txt';
      },
      'a link to nowhere in the middle': async () => {
        await symlink(join(home, 'nothing'), put('gap'));
        return '/gap/secret.txt';
      },
      'a link over the root and back out': async () => {
        await symlink('../notebook/../secret.txt', put('round.txt'));
        return '/round.txt';
      },
      'what the process holds open': async () => {
        await symlink('/proc/self/root', put('proc'));
        return `/proc${join(home, 'secret.txt')}`;
      },
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
      await expect(files.hash('/dangling.txt')).rejects.toMatchObject({ code: 'scope_violation' });
    });

    it('links within it are told as what they lead to, and only that is opened', async () => {
      await symlink('docs', put('same'));
      await symlink('b.md', put('docs/again.md'));
      expect((await files.read(await files.actual('/same/again.md'))).text).toBe('two\n');
      const uses = [
        files.read('/same/b.md'),
        files.hash('/same/b.md'),
        files.entry('/same/b.md'),
        files.list('/same', 9),
        files.entries('/same'),
        files.stage('/same/b.md', '', 'k'),
      ];
      const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'scope_violation' }) };
      expect(await Promise.allSettled(uses)).toEqual(uses.map(() => refused));
      await expect(files.read('/docs/again.md')).rejects.toMatchObject({ code: 'scope_violation' });
      expect([await files.actual('/same/b.md'), await files.actual('/same/new.md')]).toEqual([
        '/docs/b.md',
        '/docs/new.md',
      ]);
      expect([await files.actual('/'), await files.actual('a.md')]).toEqual(['/', '/a.md']);
    });

    it('the root itself may be reached by a link', async () => {
      await symlink(root, join(home, 'alias'));
      expect((await (await NotebookFiles.at(join(home, 'alias'), byDescriptor)).read('/a.md')).text).toBe('one\n');
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

  describe('what is known without reading', () => {
    it('is type, size and time, one level at a time, folders first, without what is hidden', async () => {
      await writeFile(put('.env'), 'x');
      await writeFile(put('docs/.hidden'), 'x');
      await symlink('a.md', put('link.md'));
      await mkdir(put('zoo'));
      execFileSync('mkfifo', [put('pipe')]);
      await writeFile(put('trick\u200b.md'), '');
      await files.stage('/new.md', 'x', 'key');
      const { mtime } = await stat(put('a.md'));
      const entries = await files.entries('/');
      expect(entries.map(({ name, path, type, size }) => [name, path, type, size])).toEqual([
        ['docs', '/docs', 'folder', 0],
        ['zoo', '/zoo', 'folder', 0],
        ['a.md', '/a.md', 'file', 4],
      ]);
      expect(entries.at(-1)).toEqual(await files.entry('/a.md'));
      expect(await files.entry('/a.md')).toMatchObject({ size: 4, modified_at: mtime.toISOString() });
      expect(await files.entry('/')).toMatchObject({ path: '/', type: 'folder' });
      expect(await files.entries('/zoo')).toEqual([]);
    });

    it.each(['/nothing', '/a.md/b', '/nothing/at/all'])('is nothing for %s', async (path) => {
      await expect(files.entry(path)).rejects.toMatchObject({ code: 'no_such_file' });
      await expect(files.entries(path)).rejects.toMatchObject({ code: 'no_such_file' });
    });

    it('is nothing for a pipe', async () => {
      execFileSync('mkfifo', [put('pipe')]);
      await expect(files.entry('/pipe')).rejects.toMatchObject({ code: 'no_such_file' });
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

  describe('[15.2] a new file', () => {
    it('is made once, and never in the place of another', async () => {
      const { staged, target, after_hash } = await files.stage('/new/c.md', 'x', 'key');
      expect([await files.create(staged, target), await files.create(staged, target)]).toEqual([true, false]);
      expect([await files.hash('/new/c.md'), await readdir(put('new'))]).toEqual([after_hash, ['c.md']]);
      const other = await files.stage('/new/c.md', 'y', 'key-2');
      await expect(files.create(other.staged, other.target)).rejects.toMatchObject({ code: 'file_exists' });
      expect([await readFile(put('new/c.md'), 'utf8'), await readdir(put('new'))]).toEqual(['x', ['c.md']]);
    });

    it('that was cut off between its two names is finished', async () => {
      const { staged, target } = await files.stage('/c.md', 'x', 'key');
      await link(put(staged), put('c.md'));
      expect(await files.create(staged, target)).toBe(true);
      expect(await readdir(root)).toEqual(['a.md', 'c.md', 'docs']);
    });

    it('of ten who make it at once is there once', async () => {
      const { staged, target } = await files.stage('/c.md', 'x', 'key');
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => files.create(staged, target)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await readdir(root)).toEqual(['a.md', 'c.md', 'docs']);
    });

    it('is no larger than what could be read again', async () => {
      await expect(files.stage('/c.md', 'x'.repeat(10 * 1024 * 1024 + 1), 'key')).rejects.toMatchObject({
        code: 'too_large',
      });
      expect(await readdir(root)).toEqual(['a.md', 'docs']);
    });
  });

  describe('[15.2] a removal', () => {
    it('changes nothing until it is made, and is made once', async () => {
      const removal = await files.stageRemoval('/a.md', 'key');
      expect(await readFile(put('a.md'), 'utf8')).toBe('one\n');
      expect(await files.remove(removal)).toBe(true);
      expect(await readdir(root)).toEqual(['docs']);
      await writeFile(put('a.md'), 'one\n');
      expect(await files.remove(removal)).toBe(false);
      expect(await readdir(root)).toEqual(['a.md', 'docs']);
    });

    it('that was cut off with the file already away is finished', async () => {
      const removal = await files.stageRemoval('/a.md', 'key');
      await rename(put('a.md'), put(removal.staged));
      expect(await files.remove(removal)).toBe(true);
      expect(await readdir(root)).toEqual(['docs']);
    });

    it('leaves alone what changed since, also where a link was put in its place', async () => {
      const removal = await files.stageRemoval('/a.md', 'key');
      await writeFile(put('a.md'), 'changed');
      await expect(files.remove(removal)).rejects.toMatchObject({ code: 'file_changed' });
      expect([await readFile(put('a.md'), 'utf8'), await readdir(root)]).toEqual(['changed', ['a.md', 'docs']]);

      const again = await files.stageRemoval('/a.md', 'key');
      await rm(put('a.md'));
      await symlink(join(home, 'secret.txt'), put('a.md'));
      await expect(files.remove(again)).rejects.toMatchObject({ code: 'file_changed' });
      expect(await readFile(join(home, 'secret.txt'), 'utf8')).toBe('secret');
    });

    it('of what somebody else removed says so, and leaves nothing behind', async () => {
      const removal = await files.stageRemoval('/a.md', 'key');
      await rm(put('a.md'));
      await expect(files.remove(removal)).rejects.toMatchObject({ code: 'no_such_file' });
      expect(await readdir(root)).toEqual(['docs']);
    });

    it.each(['/', '/docs', '/nothing.md', '/link.txt'])('is not prepared for %s', async (path) => {
      await symlink(join(home, 'secret.txt'), put('link.txt'));
      await expect(files.stageRemoval(path, 'key')).rejects.toMatchObject({
        code: expect.stringMatching(/not_a_text_file|no_such_file|scope_violation/),
      });
      expect(await readdir(root)).toEqual(['a.md', 'docs', 'link.txt']);
    });
  });

  describe('a change', () => {
    it.each([
      ['/docs/.longhaul-staged-key', '/a.md'],
      ['/secret.txt', '/a.md'],
      ['/../secret.txt', '/../a.md'],
    ])('from %s to %s is refused: it is made within one folder, from what was staged', async (staged, target) => {
      await expect(files.land(staged, target)).rejects.toMatchObject({ code: 'scope_violation' });
      await expect(files.create(staged, target)).rejects.toMatchObject({ code: 'scope_violation' });
    });
  });
});
