import { parseArgs } from 'node:util';
import { createDemoModel, DEMO_MODEL } from './chat-completions.ts';

const USAGE = `Serves ${DEMO_MODEL}, a rule-based model (not an LLM), in OpenAI's wire format on loopback.

  --port <n>      port to listen on (default: a free one)
  --delay-ms <n>  pause between streamed pieces (default: 15)
`;

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  process.stderr.write(`--${name} must be a whole number from 0 to ${max}, not "${text}".\n\n${USAGE}`);
  process.exit(2);
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'delay-ms': { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const server = createDemoModel({ delayMs: wholeNumber('delay-ms', values['delay-ms'], 10_000) });
server.on('error', (error) => {
  process.stderr.write(`The demo model cannot listen: ${error.message}\n`);
  process.exit(1);
});
server.listen(wholeNumber('port', values.port, 65_535), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/v1` })}\n`);
});

function stop(): void {
  server.close(() => process.exit(0));
  server.closeAllConnections();
}
process.once('SIGTERM', stop);
// Ctrl-C reaches the whole process group; a supervisor drains its workers first, and they may still need an answer.
process.on('SIGINT', () => {
  if (!process.connected) stop();
});
// Whoever started it is gone, however it went.
process.once('disconnect', stop);
