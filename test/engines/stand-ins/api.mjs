// Stands in for the API: tells what it was given.
import { createServer } from 'node:http';

const { PORT, HOST, MONGODB_URI, TEMPORAL_ADDRESS, SECRET_KEY, LONGHAUL_HOME, LONGHAUL_DEMO_URL } = process.env;
const given = { MONGODB_URI, TEMPORAL_ADDRESS, SECRET_KEY, LONGHAUL_HOME, LONGHAUL_DEMO_URL, pid: process.pid };
const server = createServer((_, response) => response.end(JSON.stringify(given)));
server.listen(Number(PORT), HOST, () => {
  const url = `http://${HOST}:${server.address().port}`;
  process.send({ type: 'ready', url, sign_in_link: `${url}/sign-in#once`, cli_key: 'lh_cli_key' });
});
console.log(JSON.stringify({ level: 50, msg: 'it hurts', err: { message: 'a little' } }));
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
