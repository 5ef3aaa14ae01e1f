import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Checkout } from '../../activities/checkout.ts';
import { toolbox } from '../../activities/tools/index.ts';
import { decide } from '../../demo/rules.ts';
import { isFailure } from '../../domain/failures.ts';
import type { ToolCall } from '../../domain/model.ts';
import { checkOut, contextOf } from '../activities/own-checkout.ts';
import { Forge } from '../doubles/forge.ts';
import { GitRemote } from '../doubles/git-remote.ts';
import { type NextStep, play } from './play.ts';

let remote: GitRemote;
let forge: Forge;
let checkout: Checkout & { remove(): Promise<void> };
beforeAll(async () => {
  remote = await GitRemote.start();
  forge = await Forge.start({ branches: remote.branches });
  checkout = await checkOut(remote);
});
afterAll(() => Promise.all([remote.close(), forge.close(), checkout.remove()]));

async function work(instruction: string) {
  const github = { api_url: forge.url, token: forge.token };
  let calls = 0;
  const next: NextStep = (messages, tools) => {
    const { text, calls: made } = decide(messages, tools);
    calls += 1;
    const tool_calls = made.map((call, index) => ({ ...call, tool_call_id: `c${calls}_${index}` }));
    return { assistant_message: text, tool_calls };
  };
  const act = async (call: ToolCall): Promise<unknown> => {
    const key = `run_1-${call.tool_call_id}`;
    const { agent, context, outside } = await contextOf(checkout, { key, github });
    try {
      const { tool, input } = toolbox(agent, 'git').resolve(call);
      if ('act' in tool) return await tool.act(input, outside);
      if ('run' in tool) return await tool.run(input, context);
      if (!('prepare' in tool)) throw new Error(`${tool.name} is not for this test`);
      return await tool.perform(await tool.prepare(input, context, key, undefined), context);
    } catch (error) {
      if (isFailure(error)) return { error: error.message, code: error.code, ...error.details };
      throw error;
    }
  };
  const { agent } = await contextOf(checkout);
  return play(instruction, toolbox(agent, 'git').schemas, next, act);
}

it('the demo model makes a branch, changes a file, commits, pushes and opens a pull request', async () => {
  const { final } = await work(
    'On a branch fix/idea, create notes/idea.md with "Soak longer", commit and open a pull request',
  );
  expect(final).toMatch(/^Done: `fix\/idea` is at [0-9a-f]{10}, and the pull request is http/);
  expect(remote.git('show', 'fix/idea:notes/idea.md')).toBe('Soak longer');
  expect(forge.pulls).toMatchObject([{ head: { ref: 'fix/idea' }, title: 'Create notes/idea.md with "Soak longer"' }]);
});

it('the demo model pushes nothing that it was not told to', async () => {
  const { final } = await work('on a branch fix/more, add "More." to README.md, then commit');
  expect(final).toContain('Nothing was pushed');
  expect(remote.branches()).not.toContain('fix/more');
});
