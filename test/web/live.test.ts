import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLive, type RunChanged } from '../../web/live.ts';

type Ack = () => void;

describe('a page that watches a workspace', () => {
  const http = createServer();
  const io = new Server(http, { serveClient: false });
  const asked: Ack[] = [];

  beforeAll(async () => {
    io.on('connection', (socket) => socket.on('watch_workspace', (_: unknown, ack: Ack) => asked.push(ack)));
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('location', new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`));
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await io.close();
  });

  it('reads again once the server has begun to tell: what changed before that was told to nobody', async () => {
    const heard: (RunChanged | null)[] = [];
    const live = openLive(
      () => 'token',
      () => undefined,
    );
    try {
      live.onRunChanged((change) => heard.push(change));
      live.watchWorkspace('wsp_1');
      await expect.poll(() => asked.length).toBe(1);
      heard.length = 0;
      asked[0]?.();
      await expect.poll(() => heard).toEqual([null]);
    } finally {
      live.close();
    }
  });
});
