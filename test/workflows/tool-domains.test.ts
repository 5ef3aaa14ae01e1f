import { afterAll, beforeAll, expect, it } from 'vitest';
import { type System, startSystem } from '../running-system.ts';

const lines: string[] = [];
let system: System;
beforeAll(async () => {
  system = await startSystem({ lines: { write: (line) => void lines.push(line) } });
});
afterAll(() => system.stop());

const linesOf = (runId: string) =>
  lines.map((line) => JSON.parse(line)).filter(({ msg, run_id }) => msg === 'tool call' && run_id === runId);

it('[6] an unknown domain ends the run with the stable envelope, and what was asked for beside it is not begun', async () => {
  system.model.script('domain', [
    {
      tool_calls: [
        { name: 'write_file', arguments: { path: '/made.md', content: 'x' } },
        { name: 'deterministic.rag', arguments: { operation: 'search', args: {} } },
      ],
    },
  ]);
  const id = await system.start('domain', {});
  const run = await system.ended(id);
  expect(run).toMatchObject({ status: 'failed' });
  expect(run.error).toEqual({
    code: 'unsupported_domain',
    message: expect.stringContaining('There is no tool domain rag.'),
    details: { domain: 'rag', domains: ['workspace', 'git', 'command'] },
    retryable: false,
    request_id: `${id}-1-call_0_1`,
    correlation_id: id,
  });
});

it('[2] an unknown tool does not, and every call leaves one line in the log', async () => {
  system.model.script('tools', [
    { tool_calls: [{ name: 'no_such_tool' }, { name: 'read_file', arguments: { path: '/notes.md' } }] },
    { text: 'Done.' },
  ]);
  const id = await system.start('tools', {});
  expect(await system.ended(id)).toMatchObject({ status: 'completed' });
  const ids = { provider: 'openai', run_id: id, correlation_id: id, cycle: 1, operation: null };
  expect(linesOf(id)).toMatchObject([
    {
      ...ids,
      tool: 'no_such_tool',
      call_id: 'call_0_0',
      request_id: `${id}-1-call_0_0`,
      ok: false,
      code: 'unknown_tool',
    },
    { ...ids, tool: 'read_file', call_id: 'call_0_1', request_id: `${id}-1-call_0_1`, ok: true },
  ]);
});
