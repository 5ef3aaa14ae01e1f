import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { connectMcp } from '../../activities/mcp/connection.ts';
import { ProgramTransport } from '../../activities/mcp/program-transport.ts';
import type { McpServer } from '../../domain/mcp.ts';

/** A program that says what it is told to. */
function program() {
  let end = () => {};
  const gone = new Promise<void>((resolve) => {
    end = resolve;
  });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { stdin, stdout, stderr, gone, kill: vi.fn(() => end()) };
}
const line = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`;

it('a line that never ends closes the line to its program, with the reason', async () => {
  const spoken = program();
  const transport = await ProgramTransport.of(spoken, 1_000);
  const [onclose, onerror, onmessage] = [vi.fn(), vi.fn(), vi.fn()];
  Object.assign(transport, { onclose, onerror, onmessage });
  await transport.start();
  // Many short ones are as long as they like together, and what is no message holds nothing up.
  spoken.stdout.write(`${line(1).repeat(100)}no message\n${line(2)}`);
  await expect.poll(() => onmessage.mock.calls.length).toBe(101);
  expect([onerror.mock.calls.length, transport.whyBroken]).toEqual([1, null]);
  for (let n = 0; n < 3; n++) spoken.stdout.write('x'.repeat(400));
  await expect.poll(() => onclose.mock.calls.length).toBe(1);
  expect(spoken.kill).toHaveBeenCalledOnce();
  expect(transport.whyBroken).toContain('a line of more than 1000 bytes');
});

it('whoever waits for such a program is told so at once', async () => {
  const spoken = program();
  const server: McpServer = {
    ...{ id: 'mcp_1', workspace_id: 'ws_1', name: 'chatty', description: '', version: 1, is_active: true },
    ...{ timeout_s: 60, created_by: 'usr_1', created_at: '', updated_at: '', credentials: [], allowed_tools: null },
    transport: { kind: 'stdio', command: '/bin/yes', args: [], env: {}, folders: [], network: false },
    findings: { state: 'unknown', checked_at: null, error: null, server: null, tools: [], has_resources: false },
  };
  spoken.stdout.write(Buffer.alloc(11_000_000, 'x'));
  await expect(connectMcp(server, new Map(), async () => spoken)).rejects.toMatchObject({
    code: 'mcp_unreachable',
    message: expect.stringContaining('a line of more than 10000000 bytes'),
  });
});
