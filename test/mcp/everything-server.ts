import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Where the official servers lie, as programs for Node. */
export const program = (name: 'everything' | 'filesystem'): string =>
  realpathSync(join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js'));

/** What such a program needs to see of the host. */
export const libraries = realpathSync(program('everything')).replace(/(node_modules).*/, '$1');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The official server that has everything, over HTTP. */
export async function serveEverything(port?: number) {
  const at = port ?? (await freePort());
  const child: ChildProcess = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(at) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr ?? []) if (String(chunk).includes('listening')) break;
  return {
    port: at,
    url: `http://127.0.0.1:${at}/mcp`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
