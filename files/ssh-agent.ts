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

function end(agent: number): void {
  try {
    if (agent > 0) process.kill(agent, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * Under an agent, says which process that is and waits for the end of its input, which comes when our process ends in
 * whichever way: an agent ends soon after the program it was started with.
 */
const UNTIL_WE_END = ['sh', '-c', 'echo "$SSH_AGENT_PID"; exec cat'];

/** An agent that holds one key for as long as `work` takes: on disk there is nothing but its socket. */
export async function withKeyAgent<T>(key: string, work: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const dir = await ownedFolder('ssh');
  const socket = join(dir, 'agent');
  const keeper = spawn('ssh-agent', ['-a', socket, ...UNTIL_WE_END], { stdio: ['pipe', 'pipe', 'ignore'] });
  let agent = 0;
  try {
    // It listens before it starts the program.
    const [pid] = await Promise.race([
      once(keeper.stdout, 'data', { signal: AbortSignal.timeout(STARTS_IN_MS) }),
      once(keeper, 'error').then(([error]) => Promise.reject(error)),
    ]);
    agent = Number(pid);
    await give(key, socket);
    const GIT_SSH_COMMAND = 'ssh -oBatchMode=yes -oConnectTimeout=10 -oIdentityFile=none';
    return await work({ SSH_AUTH_SOCK: socket, GIT_SSH_COMMAND });
  } finally {
    keeper.kill('SIGKILL');
    end(agent);
    await rm(dir, { recursive: true, force: true });
  }
}
