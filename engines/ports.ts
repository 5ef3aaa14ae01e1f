import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

export const isFree = (port: number, host = LOOPBACK): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

/**
 * Below the range from which systems give ports to outgoing connections. In that range a client that keeps trying an
 * engine which is just being restarted may be given the engine's own port, and the engine could not come back on it.
 */
const FIRST = 20_000;
const COUNT = 10_000;
const given = new Set<number>();

/** The remembered port where it is free, so that clients and a replica set's own name stay right; else any. */
export async function choosePort(remembered?: number): Promise<number> {
  if (remembered !== undefined && (await isFree(remembered))) return remembered;
  for (let tries = 0; tries < 200; tries++) {
    const port = FIRST + randomInt(COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port between ${FIRST} and ${FIRST + COUNT} on ${LOOPBACK}.`);
}

export const isListening = (port: number, host = LOOPBACK): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
