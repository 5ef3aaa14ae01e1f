import { execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitWithAuth } from '../../files/git-process.ts';
import { withKeyAgent } from '../../files/ssh-agent.ts';
import { GitRemote } from '../doubles/git-remote.ts';
import { type Served, startServed } from '../served-system.ts';
import { documentsSaid, found, historiesSaid, type Said } from './scan.ts';

let system: Served;
let remote: GitRemote;
let aside: string;
const path = process.env.PATH ?? '';
const logged: string[] = [];
const calls = () => readFile(join(aside, 'calls'), 'utf8');

/** Before git itself: writes down how it was called. */
async function listenToGit(): Promise<void> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await mkdir(join(aside, 'bin'));
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${join(aside, 'calls')}'\nexec '${real}' "$@"\n`;
  await writeFile(join(aside, 'bin', 'git'), script);
  await chmod(join(aside, 'bin', 'git'), 0o755);
  process.env.PATH = `${join(aside, 'bin')}${delimiter}${path}`;
}

beforeAll(async () => {
  aside = await mkdtemp(join(tmpdir(), 'longhaul-listening-'));
  system = await startServed({ executors: 1, lines: { write: (line) => logged.push(line) } });
  remote = await GitRemote.start();
  await listenToGit();
});
afterAll(async () => {
  process.env.PATH = path;
  await remote.close();
  await system.stop();
  await rm(aside, { recursive: true });
});

/** Every file below a folder, as it is. */
async function filesSaid(folder: string): Promise<Said[]> {
  const said: Said[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const place = join(entry.parentPath, entry.name);
    said.push([place, (await readFile(place)).toString('latin1')]);
  }
  return said;
}

describe('[6] the credentials of a git notebook', () => {
  it('let runs and people in, and are found nowhere: not on disk, in a command, a log, the store or a history', async () => {
    const make = { workspace_id: system.workspace.id, name: 'Private', kind: 'git', url: remote.url };
    const { id: notebook_id } = (await system.call('POST', '/notebooks', { body: make })).body;
    const refused = await system.call('GET', `/notebooks/${notebook_id}/files`);
    expect([refused.status, refused.body.error]).toEqual([424, 'git_unreachable']);
    const set = (key: string, value: string) =>
      system.call('POST', `/notebooks/${notebook_id}/credentials`, { body: { key, value } });
    await set('username', remote.user);
    await set('token', remote.token);
    expect((await system.call('GET', `/notebooks/${notebook_id}/files`)).body.items).toHaveLength(1);

    const write = { name: 'write_file', arguments: { path: '/README.md', content: '# Changed\n' } };
    // A repository that holds the very token that opens it: what is read of it goes nowhere, either.
    remote.commit('main', { 'leak.md': `token: ${remote.token}\n` }, 'A leak');
    const read = { name: 'read_file', arguments: { path: '/leak.md' } };
    system.model.script('private', [{ tool_calls: [write, read] }, { text: 'Done.' }]);
    const release = system.model.hold('private', 1);
    const id = await system.start('private', { notebook_id });
    await system.model.reached('private', 1);
    const told = JSON.stringify(system.model.callsOf('private', 1).at(-1)?.request.messages);
    expect(told).toContain('token: [secret]');
    const isLeak = ([place]: Said) => place.endsWith('leak.md');
    const onDisk = (await filesSaid(system.home)).filter((each) => !isLeak(each));
    expect(onDisk.some(([place]) => place.endsWith('README.md'))).toBe(true);
    release();
    const { status, checkout } = await system.ended(id);
    expect(status).toBe('completed');
    const place = join(system.home, 'executors', (checkout?.executor ?? '').replaceAll(':', '@'));
    await expect.poll(() => readdir(place)).toEqual([]);

    const called = await calls();
    expect(called).toContain('clone');
    const said: Said[] = [
      ...onDisk,
      ...(await filesSaid(system.home)),
      ['commands', called],
      ['log', logged.join('')],
      ['what the model was told', told],
      ...(await documentsSaid()),
      ...(await historiesSaid(system.client, [id])),
    ];
    expect(found(said, [remote.token])).toEqual([]);
  });

  it('are given to the server they are for alone, and not told by what fails', async () => {
    const access = { username: remote.user, token: remote.token };
    const other = await GitRemote.start();
    const ask = (url: string) => gitWithAuth(remote.url, access, ['ls-remote', '--', url]).catch((error) => error);
    expect(String(await ask(remote.url))).toContain('refs/heads/main');
    expect(await ask(other.url)).toMatchObject({ name: 'GitError' });
    const bad = await gitWithAuth(remote.url, { ...access, token: 'not-the-right-one' }, [
      'ls-remote',
      '--',
      remote.url,
    ]).catch((error) => error);
    expect(JSON.stringify([bad.message, bad.stderr, bad.stdout])).not.toContain('not-the-right-one');
    await other.close();
  });

  it('that are an SSH key are held by an agent for as long as git needs it', async () => {
    const key = join(aside, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'of the notebook', '-f', key]);
    const listed = await withKeyAgent((await readFile(key, 'utf8')).trim(), async (env) => {
      const given = { env: { PATH: path, ...env }, encoding: 'utf8' } as const;
      return [execFileSync('ssh-add', ['-l'], given), env.SSH_AUTH_SOCK ?? ''];
    });
    expect(listed[0]).toContain('of the notebook');
    await expect(readdir(join(listed[1] ?? '', '..'))).rejects.toThrow();
    await expect(withKeyAgent('-----BEGIN NOTHING', async () => undefined)).rejects.toMatchObject({
      code: 'git_unreachable',
    });
  });

  it('that are an SSH key are gone from memory soon after the process that needed them was killed', async () => {
    const key = join(aside, 'killed');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const program = join(aside, 'holds-a-key.mjs');
    const contents = `
      import { readFileSync } from 'node:fs';
      import { withKeyAgent } from './files/ssh-agent.ts';
      await withKeyAgent(readFileSync(${JSON.stringify(key)}, 'utf8'), async (env) => {
        process.send(env.SSH_AUTH_SOCK);
        await new Promise((done) => setTimeout(done, 2 ** 30));
      });`;
    const stdin = { contents, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' } as const;
    await build({ stdin, outfile: program, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
    const child = fork(program, { execArgv: [] });
    const [SSH_AUTH_SOCK] = await once(child, 'message');
    const asked = () => spawnSync('ssh-add', ['-l'], { env: { PATH: path, SSH_AUTH_SOCK } }).status;
    expect(asked()).toBe(0);
    child.kill('SIGKILL');
    await expect.poll(asked, { interval: 200 }).toBe(2);
    await rm(join(SSH_AUTH_SOCK, '..'), { recursive: true, force: true });
  });
});
