import { Scrubber } from '../domain/scrubber.ts';
import { launch } from './launcher.ts';
import { withKeyAgent } from './ssh-agent.ts';

/** Nothing of whoever runs the server but the key of its SSH; nothing asks, and no address can name a program to run. */
const SURROUNDINGS = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=10',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
};

/**
 * Over whatever a repository says of itself: a checkout is written to by agents and their commands, and none of it may
 * become a program that git runs outside of where they are confined.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['safe.directory', '*'],
  ['advice.detachedHead', 'false'],
];

const PROTOCOLS = 'https:ssh:file';
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\//;

/** What a remote is shown to let us in. Lives in the memory of who asks, and in the environment of one git process. */
export interface GitAccess {
  /** With a token; without one git forges take any name. */
  username?: string;
  /** A password or token, for https. */
  token?: string;
  /** A private key without a passphrase, for ssh. */
  ssh_key?: string;
}

export interface GitOptions {
  /** The repository and its files, where they are not beside each other. */
  gitDir?: string;
  workTree?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** What is still being found out is waited for while git starts; if it is not to be had, git is given nothing. */
  input?: string | Buffer | Promise<string | Buffer>;
  timeoutMs?: number;
  signal?: AbortSignal;
  maxBytes?: number;
}

/** git has refused: its exit code, and its words without anything secret. */
export class GitError extends Error {
  override readonly name = 'GitError';

  constructor(
    readonly exitCode: number | null,
    readonly stdout: string,
    readonly stderr: string,
    args: readonly string[],
  ) {
    super(`git ${args[0] ?? ''} failed: ${reasonIn(stderr) ?? `exit code ${exitCode}`}`);
  }
}

/** It had more to say than it was allowed to, and was ended. */
export class GitOutputTooLarge extends GitError {}

/** Nobody knows whether it did what it was to do: as if this process had been killed, and not a refusal of git. */
class GitLost extends Error {
  override readonly name = 'GitLost';

  constructor() {
    super('The process that starts git has ended. What was under way is taken up again.');
  }
}

/** The first complaint is the reason; what follows is advice for somebody at a terminal. */
export function reasonIn(stderr: string): string | null {
  const [, reason] = /^(?:fatal|error|ssh): (.+?)\.?$/m.exec(stderr) ?? [];
  return reason?.slice(0, 200) ?? null;
}

const TIMEOUT_MS = 60_000;
const MOST_OUTPUT = 256 * 1024 * 1024;

function environment(settings: readonly (readonly [string, string])[], more: Record<string, string>) {
  const named = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    PATH: process.env.PATH,
    ...SURROUNDINGS,
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(named),
    ...more,
  };
}

async function execute(
  args: readonly string[],
  { gitDir, workTree, cwd, env = {}, input, timeoutMs = TIMEOUT_MS, signal, maxBytes = MOST_OUTPUT }: GitOptions,
  settings: readonly (readonly [string, string])[],
  clean: (text: string) => string,
): Promise<Buffer> {
  const places = {
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
    ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
  };
  const wanted = {
    program: 'git',
    args,
    cwd: cwd ?? workTree ?? gitDir,
    env: environment([...SETTINGS, ...settings], { ...places, ...env }),
  };
  const launched = await launch(wanted, { input, timeoutMs, signal, maxBytes });
  switch (launched.how) {
    case 'exited': {
      const { code, stdout, stderr } = launched;
      if (code === 0) return stdout;
      throw new GitError(code, clean(stdout.toString()), clean(stderr.toString()), args);
    }
    case 'not_started':
      throw new GitError(null, '', clean(`error: ${launched.message}`), args);
    case 'lost':
      throw new GitLost();
    case 'too_late':
      throw new GitError(null, '', `error: it took longer than ${timeoutMs / 1_000} s`, args);
    case 'too_much':
      // Nothing of it is of use, and as text it would take its room once more.
      throw new GitOutputTooLarge(null, '', `error: it said more than ${maxBytes} bytes`, args);
  }
}

const asIs = (text: string): string => text;

/** git on this machine alone: nothing of it needs anybody's leave. */
export const runGit = (args: readonly string[], options: GitOptions = {}): Promise<Buffer> =>
  execute(args, options, [], asIs);

/** Answers for one server only: a remote that sends us elsewhere is not given what was meant for this one. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$LONGHAUL_GIT_USERNAME" "$LONGHAUL_GIT_TOKEN"; }; f';

function overHttp(url: string, { username, token }: GitAccess) {
  const { protocol, host } = new URL(url);
  return {
    settings: [
      ['credential.helper', ''],
      [`credential.${protocol}//${host}.helper`, HELPER],
    ] as const,
    // Read by the helper out of its environment: never part of a command, a file or a line of the log.
    env: { LONGHAUL_GIT_USERNAME: username ?? 'x-access-token', LONGHAUL_GIT_TOKEN: token ?? '' },
  };
}

/**
 * git that talks to a remote (clone, fetch, push, ls-remote), let in by `access`. What is secret is handed over in the
 * environment of this one process, or by an agent that holds the key in its memory; it is never on disk, in the
 * arguments or in what is thrown.
 */
export async function gitWithAuth(
  url: string,
  access: GitAccess | null,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const secrets = [access?.token, access?.ssh_key].flatMap((secret) => secret ?? []);
  const scrubber = new Scrubber(secrets);
  const clean = (text: string): string => scrubber.text(text);
  const isHttp = /^https?:\/\//.test(url);
  const env = { ...options.env, ...(LOOPBACK.test(url) ? { GIT_ALLOW_PROTOCOL: `${PROTOCOLS}:http` } : {}) };
  if (isHttp && access?.token !== undefined) {
    const { settings, env: secret } = overHttp(url, access);
    return execute(args, { ...options, env: { ...env, ...secret } }, settings, clean);
  }
  if (!isHttp && !url.startsWith('file:') && access?.ssh_key !== undefined) {
    return withKeyAgent(access.ssh_key, (agent) => execute(args, { ...options, env: { ...env, ...agent } }, [], clean));
  }
  return execute(args, { ...options, env }, [], clean);
}
