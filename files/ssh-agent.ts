import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../domain/failures.ts';
import { ownedFolder } from './owned-folder.ts';

const STARTS_IN_MS = 10_000;

/** The key goes through a pipe from our memory into that of the agent. */
function give(key: string, socket: string): Promise<void> {
  return new Promise((done, fail) => {
    const env = { PATH: process.env.PATH, SSH_AUTH_SOCK: socket, SSH_ASKPASS: 'false', SSH_ASKPASS_REQUIRE: 'force' };
    const child = execFile('ssh-add', ['-q', '-'], { env, timeout: STARTS_IN_MS }, (error) => {
      if (!error) return done();
      const why = 'The SSH key of the notebook is not a private key without a passphrase.';
      fail(new Failure('git_unreachable', why, {}));
    });
    child.stdin?.on('error', () => undefined);
    // Stored without the line end that a key must have.
    child.stdin?.end(`${key.trimEnd()}\n`);
  });
}

/** An agent that holds one key for as long as `work` takes: on disk there is nothing but its socket. */
export async function withKeyAgent<T>(key: string, work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const dir = await ownedFolder('ssh');
  const socket = join(dir, 'agent');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    // It says where it listens once it does.
    await Promise.race([
      once(agent.stdout, 'data', { signal: AbortSignal.timeout(STARTS_IN_MS) }),
      once(agent, 'error').then(([error]) => Promise.reject(error)),
    ]);
    await give(key, socket);
    const GIT_SSH_COMMAND = 'ssh -oBatchMode=yes -oConnectTimeout=10 -oIdentityFile=none';
    return await work({ SSH_AUTH_SOCK: socket, GIT_SSH_COMMAND });
  } finally {
    agent.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  }
}
