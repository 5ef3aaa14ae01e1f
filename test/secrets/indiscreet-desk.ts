import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const TOOL = { name: 'tell', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

/** What an MCP server answers that repeats its secret wherever it says anything. */
const answersOf = (secret: string): Record<string, unknown> => ({
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: `desk ${secret}`, version: '1' },
  },
  'tools/list': { tools: [{ ...TOOL, description: `Lets you in with ${secret}.` }] },
  'tools/call': { content: [{ type: 'text', text: `It was opened with ${secret}.` }] },
});

/** The same as a program, whose secret is in its environment. */
export const INDISCREET_PROGRAM = [
  `const answersOf = (secret) => { const TOOL = ${JSON.stringify(TOOL)}; return (${answersOf})(secret); };`,
  "const answers = answersOf(process.env.DESK_KEY ?? 'nothing');",
  "process.stderr.write('begun with ' + process.env.DESK_KEY);",
  "require('readline').createInterface({ input: process.stdin }).on('line', (line) => {",
  '  const { id, method } = JSON.parse(line);',
  "  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));",
  '});',
].join('\n');

/** Another system: an API and an MCP server, which answer and refuse with whatever they were shown. */
export async function startIndiscreetDesk() {
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const { url = '', method, headers } = request;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!url.startsWith('/mcp')) {
      const said = `${headers.authorization} at ${url}`;
      return url.includes('broken') ? json(500, { error: said }) : json(200, { said });
    }
    if (method !== 'POST') return json(405, {});
    const { id, method: wanted } = JSON.parse(text);
    if (id === undefined) return response.writeHead(202).end();
    return json(200, { jsonrpc: '2.0', id, result: answersOf(String(headers['x-desk-key']))[wanted] ?? {} });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
