import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './temporary.ts';

/** A program that is nothing but its version; long enough to arrive in several pieces. */
export function writeProgram(path: string, version: string): void {
  const filling = createHash('sha512').update(version).digest('hex').repeat(2_000);
  writeFileSync(
    path,
    `#!/bin/sh\necho "temporal version 1.5.1 (Server ${version}, UI 2.42.1)"\nexit 0\n# ${filling}\n`,
  );
  chmodSync(path, 0o755);
}

/** A release server: serves one archive, whole or in every way broken, and counts how often it was asked. */
export async function startProgramServer(version: string) {
  const folder = temporaryFolder();
  writeProgram(join(folder, 'temporal'), version);
  execFileSync('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', folder, 'temporal']);
  const archive = readFileSync(join(folder, 'archive.tar.gz'));
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    if (request.url === '/silent') return;
    if (request.url === '/missing') return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': archive.length });
    if (request.url === '/cut') {
      response.write(archive.subarray(0, archive.length / 2), () => response.destroy());
    } else if (request.url === '/stalled') {
      response.write(archive.subarray(0, archive.length / 2));
    } else {
      response.end(archive);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sha256: createHash('sha256').update(archive).digest('hex'),
    size: archive.length,
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
