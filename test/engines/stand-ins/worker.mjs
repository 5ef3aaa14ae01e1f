// Stands in for a worker: needs a moment to drain, and the engines for it.
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const { LONGHAUL_HOME, TEMPORAL_ADDRESS } = process.env;
const note = (line) => appendFileSync(join(LONGHAUL_HOME, 'worker-notes'), `${line}\n`);

function drain(why) {
  const [host, port] = TEMPORAL_ADDRESS.split(':');
  const end = (engine) => {
    note(`drained on ${why}, engine ${engine}`);
    process.exit(0);
  };
  setTimeout(() => {
    connect(Number(port), host)
      .once('connect', () => end('up'))
      .once('error', () => end('down'));
  }, 100);
}
process.once('SIGTERM', () => drain('SIGTERM'));
process.once('disconnect', () => drain('disconnect'));
note(`working ${process.pid}`);
process.send({ type: 'ready' });
