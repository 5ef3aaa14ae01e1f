import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectStore, disconnectStore } from '../../store/connection.ts';
import { entriesAfter, RunLog } from '../../store/event-log.ts';
import { newId } from '../../store/ids.ts';
import { message } from '../domain/told.ts';

/** An insert into the log, as it goes over the wire. */
const APPEND = Buffer.from('\x02insert\0\x04\0\0\0log\0', 'latin1');

/** Between us and the database: lets inserts into the log through, and cuts the line instead of their answer. */
class LossyLine {
  /** So many answers are still to be lost. */
  toLose = 0;
  lost = 0;
  private readonly server = net.createServer((client) => this.join(client));
  private readonly open = new Set<Socket>();

  constructor(private readonly target: { host: string; port: number }) {}

  private join(client: Socket): void {
    const database = net.connect(this.target);
    let isDoomed = false;
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      this.open.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
    client.on('data', (data) => {
      isDoomed ||= this.toLose > 0 && data.includes(APPEND);
      database.write(data);
    });
    database.on('data', (data) => {
      if (!isDoomed) return void client.write(data);
      this.toLose -= 1;
      this.lost += 1;
      client.destroy();
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }
}

let line: LossyLine;
beforeAll(async () => {
  const uri = new URL(inject('MONGODB_URI'));
  line = new LossyLine({ host: uri.hostname, port: Number(uri.port) });
  uri.host = `127.0.0.1:${await line.listen()}`;
  uri.searchParams.delete('replicaSet');
  uri.searchParams.set('directConnection', 'true');
  await connectStore(uri.href, { dbName: newId('test') });
});
afterAll(async () => {
  await disconnectStore();
  line.close();
});

it.each([1, 2, 3, 5])('an append is there once when its acknowledgement is lost %i times', async (times) => {
  const log = await RunLog.open({ run_id: newId('run'), workspace_id: 'ws_1' }, { scheduled: 1, attempt: 1 });
  await log.append(() => [message('before')]);
  line.lost = 0;
  line.toLose = times;
  await log.append(() => [message('paid for')]);
  expect(line.lost).toBe(times);
  log.stage([message('after')]);
  await log.flush();
  const found = (await entriesAfter(log.owner.run_id, 0)).map((entry) => [
    entry.n,
    ...entry.facts.map((fact) => (fact.kind === 'message_received' ? fact.content : fact.kind)),
  ]);
  expect(found).toEqual([
    [1, 'before'],
    [2, 'paid for'],
    [3, 'after'],
  ]);
});
