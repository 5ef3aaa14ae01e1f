// Stands in for the demo model: only its address matters.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const server = createServer((_, response) => response.end());
server.listen(Number(values.port), '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/v1` })}\n`),
);
process.once('disconnect', () => process.exit(0));
