import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../activities/sandbox/sandbox.ts';
import type { CommandOutcome, CommandSpec } from '../../activities/sandbox/spec.ts';
import { openTestSandbox } from '../sandbox-here.ts';

/**
 * What a command may try in order to get out, to see what is not its own, or to take the machine down. Each attempt
 * runs for real; what it says is looked at, and then the host.
 */
const MB = 1024 * 1024;
const SECRET = 'tell-nobody-5e7a';
let sandbox: Sandbox;
let home: string;
let root: string;
let neighbour: ReturnType<typeof spawn>;
let listener: Server;
let port: number;

beforeAll(async () => {
  process.env.LONGHAUL_TEST_SECRET = SECRET;
  home = mkdtempSync(join(tmpdir(), 'longhaul-escapes-'));
  root = join(home, 'checkouts', 'mine');
  for (const folder of [root, join(home, 'checkouts', 'other'), join(home, 'data')]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'secret.txt'), SECRET);
  }
  rmSync(join(root, 'secret.txt'));
  neighbour = spawn('sleep', ['600'], { env: { SECRET } });
  listener = createServer((socket) => socket.end(SECRET)).listen(0, '127.0.0.1');
  await new Promise((done) => listener.once('listening', done));
  const address = listener.address();
  port = typeof address === 'object' && address ? address.port : 0;
  sandbox = await openTestSandbox({
    limits: { memory_bytes: 128 * MB, processes: 64, disk_bytes: 48 * MB, file_bytes: 32 * MB, tmp_bytes: 16 * MB },
  });
});

afterAll(async () => {
  neighbour.kill('SIGKILL');
  listener.close();
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
  delete process.env.LONGHAUL_TEST_SECRET;
});

const attempt = (script: string, more: Partial<CommandSpec> = {}): Promise<CommandOutcome> =>
  sandbox.run({ argv: ['/bin/bash', '-c', script], root, timeout_ms: 8_000, ...more });

describe('a command sees nothing that is not its own', () => {
  it.each<[string, (place: { home: string; pid: number }) => string]>([
    ['the passwords of the host', () => 'cat /etc/shadow'],
    ['the home of the user it runs as', () => 'ls -A /root /home'],
    ['the files of another run', ({ home }) => `cat ${home}/checkouts/other/secret.txt`],
    ['the files of another run, one folder up', () => 'cat ../other/secret.txt'],
    ["the product's own data", ({ home }) => `cat ${home}/data/secret.txt`],
    ['the environment of the worker', () => 'env; cat /proc/1/environ; cat /proc/*/environ'],
    ['the environment of a process of the host', ({ pid }) => `cat /proc/${pid}/environ`],
    ['the files of a process of the host', ({ pid }) => `cat /proc/${pid}/root/etc/shadow; ls /proc/${pid}/fd`],
    ['what the first process in there was told', () => 'tr "\\0" "\\n" < /proc/1/cmdline | grep -- "-[-]bind"'],
    ['the memory of the first process', () => 'cat /proc/1/mem; cat /proc/1/maps | head -1 | grep longhaul-escapes'],
    ['the keys of the kernel', () => 'cat /proc/keys /proc/key-users'],
    ['sockets of the host', () => 'ls /run/docker.sock /var/run/docker.sock /run/systemd /run/dbus'],
  ])('not %s', async (_what, script) => {
    const { output } = await attempt(`( ${script({ home, pid: neighbour.pid ?? 0 })} ) 2>/dev/null`);
    expect(output).not.toContain(SECRET);
    expect(output).not.toMatch(/root:[*!$]|--bind|longhaul-escapes|keyring/);
    expect(output).not.toMatch(/^\S*(MONGODB_URI|SECRET_KEY|_API_KEY)=/m);
  });

  it('not through a link that leads out of its files, whoever made it', async () => {
    symlinkSync(join(home, 'data', 'secret.txt'), join(root, 'planted'));
    const { output } = await attempt(
      `cat planted; ln -s ${home}/data/secret.txt mine; cat mine; ln -s / all; cat all${home}/data/secret.txt`,
    );
    expect(output).not.toContain(SECRET);
    expect(output.match(/No such file/g)).toHaveLength(3);
  });

  it('not a process of the host, and cannot signal one', async () => {
    const { output } = await attempt(`ls -d /proc/[0-9]* | wc -l; kill -9 ${neighbour.pid} 2>&1; kill -9 -1; echo on`);
    expect(Number(output.split('\n')[0])).toBeLessThan(8);
    expect(output).toMatch(/No such process/);
    expect(existsSync(`/proc/${neighbour.pid}/environ`)).toBe(true);
  });
});

describe('what a command is given cannot change what confines it', () => {
  it.each<[string, Partial<CommandSpec>]>([
    ['a variable', { env: { X: 'x\0--bind\0/\0/host' } }],
    ['the name of one', { env: { 'X\0x\0--bind\0/\0/host\0--setenv\0Y': 'y' } }],
    ['a folder', { cwd: '.\0--bind\0/\0/host' }],
  ])('not by a NUL in %s', async (_what, more) => {
    await expect(attempt('ls /host', more)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });
});

describe('a command writes nowhere else', () => {
  it.each([
    ['/usr', 'touch /usr/x'],
    ['/etc', 'echo x >> /etc/passwd'],
    ['the root', 'mkdir /x'],
    ['/dev', 'touch /dev/x'],
    ['settings of the kernel', 'cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness'],
    ['what the kernel runs for a crash', 'echo core > /proc/sys/kernel/core_pattern'],
    ['its own rank for the out-of-memory killer', 'echo -1000 > /proc/self/oom_score_adj'],
    ['/sys', 'ls /sys/kernel'],
    ['its limits', 'echo 100000 > /sys/fs/cgroup/pids/pids.max'],
    ['a program that runs as its owner', 'cp /bin/true t && chmod u+s t'],
    ['the same by another call', 'cp /bin/true t && chmod 6755 t'],
  ])('not to %s', async (_where, script) => {
    const { exit_code } = await attempt(`( ${script} ) 2>&1`);
    expect(exit_code).not.toBe(0);
    expect(
      readdirSync(root).some((name) => (statSync(join(root, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o6000),
    ).toBe(false);
  });

  it('beyond its workspace: what it leaves in /tmp is gone with it', async () => {
    await attempt('echo mine > /tmp/left; echo mine > /dev/shm/left; echo kept > kept');
    const { output } = await attempt('cat /tmp/left /dev/shm/left kept 2>/dev/null');
    expect(output).toBe('kept\n');
  });
});

describe('a command gets no more rights than it was given', () => {
  it.each([
    ['mount something', 'mount -t tmpfs none /tmp'],
    ['make what is read-only writable again', 'mount -o remount,rw /usr'],
    ['take a mount away', 'umount /proc'],
    ['make a namespace of its own', 'unshare -Ur true'],
    ['enter one of another process', 'nsenter -t 1 -m true'],
    ['change its root', 'chroot / true'],
    ['become somebody else', 'python3 -c "import os; os.setuid(0)"'],
    ['change who owns a file', 'touch o && chown 0:0 o'],
    ['make a device', 'mknod d b 8 0'],
    [
      'look into another process',
      'python3 -c "import ctypes,sys; sys.exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) != 0)"',
    ],
    [
      'load a program into the kernel',
      'python3 -c "import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(321, 0, 0, 0) != 0)"',
    ],
    ['read a keyring', 'python3 -c "import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(250, 0, -3, 0) < 0)"'],
    ['set the clock', 'date -s 2001-01-01'],
    ['open a raw device', 'head -c 1 /dev/sda /dev/vda /dev/mem /dev/kmsg'],
  ])('it cannot %s', async (_what, script) => {
    const { exit_code } = await attempt(`( ${script} ) >/dev/null 2>&1`);
    expect(exit_code).not.toBe(0);
  });

  it('has no capability, and cannot get one by running something', async () => {
    const { output } = await attempt('grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):" /proc/self/status');
    expect(output.match(/^Cap\w+:\t0{16}$/gm)).toHaveLength(5);
    expect(output).toContain('NoNewPrivs:\t1');
    expect(output).toContain('Seccomp:\t2');
  });
});

describe('a command has no network', () => {
  it('neither this machine nor any other', async () => {
    const { output } = await attempt(
      `exec 2>&1; (echo > /dev/tcp/127.0.0.1/${port}) && echo REACHED; (echo > /dev/tcp/192.0.2.1/80) && echo REACHED; (echo > /dev/tcp/1.1.1.1/53) && echo REACHED; ls /sys/class/net; cat /proc/net/dev | tail -n +3`,
    );
    expect(output).not.toContain('REACHED');
    expect(output).toMatch(/^\s*lo:/m);
    expect(output).not.toMatch(/^\s*(eth|ens|enp|wlan|docker)\w*:/m);
  });

  it('with the network granted it reaches public addresses through a gate, and this machine not', async () => {
    const ask = (address: string) => `curl -s -o /dev/null -w '%{http_code}\\n' -m 3 ${address}`;
    const { output } = await attempt(
      `export NO_PROXY=; ${ask(`-x http://127.0.0.1:3128 http://127.0.0.1:${port}/`)}; ${ask('-x http://127.0.0.1:3128 http://169.254.169.254/')}; ${ask(`--noproxy '*' http://127.0.0.1:${port}/`)}`,
      { network: true },
    );
    expect(output).toBe('403\n403\n000\n');
  });
});

describe('a command cannot take the machine down', () => {
  it('with processes: a fork bomb stays small and ends with it', async () => {
    const mark = `bomb-${Math.random()}`;
    let over = false;
    const bomb = attempt(`: ${mark}; b() { b | b & }; b; sleep 30`, { timeout_ms: 1_500 }).finally(() => {
      over = true;
    });
    let most = 0;
    while (!over) {
      most = Math.max(most, running(mark).length);
      await new Promise((done) => setTimeout(done, 20));
    }
    expect(await bomb).toMatchObject({ cut: 'timeout' });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(66);
    expect(running(mark)).toEqual([]);
  });

  it('with memory', async () => {
    const outcome = await attempt('python3 -c "x = bytearray(2 * 10**9)"; exit $?');
    expect(outcome.exit_code).not.toBe(0);
    expect(outcome.cut).toBe('memory');
  });

  it('with files: neither one nor many fill the disk', async () => {
    const one = await attempt('head -c 1G /dev/zero > big');
    expect(one.exit_code).not.toBe(0);
    expect(statSync(join(root, 'big')).size).toBeLessThanOrEqual(32 * MB);
    rmSync(join(root, 'big'));
    const many = await attempt('i=0; while true; do i=$((i+1)); head -c 8M /dev/zero > big$i || exit 3; done');
    expect(many.cut).toBe('disk');
    for (const name of readdirSync(root).filter((each) => each.startsWith('big'))) rmSync(join(root, name));
    const nameless = await attempt(
      'i=0; while true; do i=$((i+1)); exec {fd}>n; rm n; fallocate -l 8M /proc/self/fd/$fd || exit 3; sleep 0.02; done',
    );
    expect(nameless.cut).toBe('disk');
    const tmp = await attempt(
      'head -c 1G /dev/zero > /tmp/big; head -c 1G /dev/zero > /dev/shm/big; du -sm /tmp /dev/shm',
    );
    for (const [, used] of tmp.output.matchAll(/^(\d+)\t/gm)) expect(Number(used)).toBeLessThanOrEqual(17);
  });

  it('with time', async () => {
    const outcome = await attempt('trap "" TERM INT HUP; while :; do :; done', { timeout_ms: 500 });
    expect(outcome).toMatchObject({ cut: 'timeout', exit_code: null });
    expect(outcome.duration_ms).toBeLessThan(2_500);
  });

  it('with words: beginning and end of what it says are kept', async () => {
    const { output, output_chars, output_whole } = await attempt(
      'echo first; head -c 8M /dev/zero | tr "\\0" x; echo; echo last',
      {
        limits: { output_bytes: 1 * MB },
      },
    );
    expect(output_chars).toBeGreaterThan(8 * MB);
    expect(output_whole).toBe(false);
    expect(output.length).toBeLessThan(1.1 * MB);
    expect(output).toMatch(/^first\n[\s\S]*were not kept[\s\S]*last\n$/);
  });

  it.each([
    ['its own session', 'setsid sleep 600 >/dev/null 2>&1 &'],
    ['nobody for a parent', '(nohup setsid sh -c "sleep 600 & sleep 600" >/dev/null 2>&1 &)'],
    ['a shell that ignores signals', 'sh -c "trap \\"\\" TERM HUP; while :; do sleep 1; done" >/dev/null 2>&1 &'],
  ])('by leaving something behind in the background with %s', async (_how, script) => {
    const mark = `60${Math.floor(Math.random() * 1e6)}`;
    const outcome = await attempt(`${script.replaceAll('600', mark)}\necho away`);
    expect(outcome).toMatchObject({ exit_code: 0, output: 'away\n' });
    expect(running(mark)).toEqual([]);
  });

  it('leaves no group of processes behind', async () => {
    const places = readFileSync('/proc/self/cgroup', 'utf8').matchAll(/^\d+:([^:]*):(.*)$/gm);
    const folders = [...places].flatMap(([, names = '', path = '']) => [
      join('/sys/fs/cgroup', names, path),
      join('/sys/fs/cgroup', names, path, '..'),
    ]);
    const left = () =>
      folders.flatMap((folder) =>
        existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`longhaul-${process.pid}-`)) : [],
      );
    await expect.poll(left).toEqual([]);
  });
});

const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
const running = (mark: string): string[] =>
  pids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
