import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** An insert into the log, as it goes over the wire. */
export const APPEND = Buffer.from('\x02insert\0\x04\0\0\0log\0', 'latin1');

/** Between somebody and the database: lets what is said through, and cuts the line instead of the answer to it. */
export class LossyLine {
  /** So many answers are still to be lost. */
  toLose = 0;
  lost = 0;
  private readonly server = net.createServer((client) => this.join(client));
  private readonly open = new Set<Socket>();
  private readonly target: { host: string; port: number };

  constructor(
    private readonly uri: URL,
    /** Whether the answer to this message is one of those. */
    private readonly isMeant: (message: Buffer) => boolean = (message) => message.includes(APPEND),
    private readonly whenLost: () => void = () => undefined,
  ) {
    this.target = { host: uri.hostname, port: Number(uri.port) };
  }

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
      isDoomed ||= this.toLose > 0 && this.isMeant(data);
      database.write(data);
    });
    database.on('data', (data) => {
      if (!isDoomed) return void client.write(data);
      this.toLose -= 1;
      this.lost += 1;
      this.whenLost();
      client.destroy();
    });
  }

  /** The address of the database by way of this line. */
  async listen(): Promise<URL> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const here = new URL(this.uri);
    here.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    // A driver that asks who is in the replica set would go around the line.
    here.searchParams.delete('replicaSet');
    here.searchParams.set('directConnection', 'true');
    return here;
  }

  close(): void {
    this.server.close();
    for (const socket of this.open) socket.destroy();
  }
}
