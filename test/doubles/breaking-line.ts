import { once } from 'node:events';
import net from 'node:net';

/** Nothing came for so long: who is held is cut off as well. */
const IDLE_MS = 200;
const MOST_BYTES = 1_500;

/** A line to a server that breaks so often, each time after so many bytes as the dice say, and then holds. */
export async function startBreakingLine(target: string, dice: (sides: number) => number, breaks: number) {
  const { hostname, port } = new URL(target);
  let broken = 0;
  const open = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    const both = [client, upstream];
    let left = dice(MOST_BYTES);
    let idle: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(idle);
      for (const socket of both) socket.destroy();
    };
    const cut = () => {
      if (client.destroyed || broken >= breaks) return;
      broken += 1;
      end();
    };
    const listen = () => {
      clearTimeout(idle);
      idle = setTimeout(cut, IDLE_MS);
    };
    for (const socket of both) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      listen();
      if (broken < breaks && bytes.length >= left) client.write(bytes.subarray(0, left), cut);
      else client.write(bytes);
      left = Math.max(0, left - bytes.length);
    });
    listen();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the line has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    broken: () => broken,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
