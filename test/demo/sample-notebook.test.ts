import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelProvider } from '../../activities/models/contract.ts';
import { createProviders } from '../../activities/models/index.ts';
import type { ToolContext } from '../../activities/tools/contract.ts';
import { toolbox } from '../../activities/tools/index.ts';
import { createDemoModel, DEMO_MODEL } from '../../demo/chat-completions.ts';
import { type Agent, createAgentBody, iterationsOf } from '../../domain/agent.ts';
import { isFailure } from '../../domain/failures.ts';
import type { ToolCall } from '../../domain/model.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';
import { type NextStep, play } from './play.ts';

const SAMPLE = fileURLToPath(new URL('../../demo/notebook', import.meta.url));

const agent: Agent = {
  ...createAgentBody.parse({
    workspace_id: 'w',
    name: 'Demo',
    model: `demo/${DEMO_MODEL}`,
    can_write: true,
    can_create: true,
    can_delete: true,
  }),
  ...iterationsOf(null),
  id: 'a',
  slug: 'demo',
  provider: 'demo',
  is_active: true,
  is_builtin: false,
  version: 1,
  created_by: 'u',
  created_at: new Date(0).toISOString(),
  updated_at: new Date(0).toISOString(),
};

const server = createDemoModel({ delayMs: 0 });
let provider: ModelProvider;
const folders: string[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const demo_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  provider = createProviders({ demo_url })({ provider: 'demo', model: DEMO_MODEL });
});
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** The real tools on a copy of the sample notebook, with everything allowed. */
async function work(instruction: string) {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-sample-'));
  folders.push(root);
  await cp(SAMPLE, root, { recursive: true });
  const signal = new AbortController().signal;
  const context: ToolContext = {
    agent,
    notebook_id: 'n',
    files: await NotebookFiles.at(root),
    signal,
    guard: () => {},
    checkout: null,
    guardFolder: () => {},
    seesEvery: () => true,
    may: () => true,
  };
  const act = async (call: ToolCall): Promise<unknown> => {
    try {
      const { tool, input } = toolbox(agent, 'folder').resolve(call);
      if (tool.asks) return { answer: 'tidy drafts/report.md' };
      if ('act' in tool) throw new Error(`${tool.name} is not for the sample`);
      if (tool.effect)
        return await tool.perform(await tool.prepare(input, context, call.tool_call_id, undefined), context);
      if (!('run' in tool)) throw new Error(`${tool.name} is not for the sample`);
      return await tool.run(input, context);
    } catch (error) {
      if (isFailure(error)) return { error: error.message, code: error.code, ...error.details };
      throw error;
    }
  };
  let tokens = 0;
  const next: NextStep = async (messages, tools) => {
    const request = { model: DEMO_MODEL, messages, tools, max_tokens: agent.max_tokens_per_request };
    const step = await provider.streamStep(request, { signal, idleMs: 5_000 });
    tokens += step.raw_usage.input + step.raw_usage.output;
    return step;
  };
  const played = await play(instruction, toolbox(agent, 'folder').schemas, next, act);
  return { ...played, tokens, read: (path: string) => readFile(join(root, path), 'utf8') };
}

describe('the demo model at work on the sample notebook', () => {
  it('summarizes it into a file that cites every trial and every open point', async () => {
    const { read, turns } = await work('Summarize the notebook');
    const summary = await read('drafts/summary.md');
    expect(summary).toContain('not an LLM');
    for (let trial = 1; trial <= 8; trial++) expect(summary).toContain(`| T${trial} `);
    expect(summary).toContain('Buy batteries for the loggers. (notes/equipment.md:17)');
    expect(turns.some(({ calls }) => calls.length > 1)).toBe(true);
  });

  it('finds words and cites lines that really hold them', async () => {
    const { final, read } = await work('Where is the dimmer mentioned?');
    const cited = [...final.matchAll(/`(\S+):(\d+)`/g)];
    expect(cited.length).toBeGreaterThan(2);
    for (const [, path = '', line] of cited) {
      expect((await read(path)).split('\n')[Number(line) - 1]).toMatch(/dimmer/i);
    }
  });

  it('renames a lamp in every file that names it, and nowhere else', async () => {
    const { read } = await work('Replace "Lamp B" with "Lamp C" everywhere');
    for (const path of ['notes/equipment.md', 'notes/open-questions.md', 'experiments/2025-03-31-lamp-distance.md']) {
      const before = await readFile(join(SAMPLE, path), 'utf8');
      expect(await read(path)).toBe(before.replaceAll('Lamp B', 'Lamp C'));
    }
  });

  it('makes a summary of the last week of experiments, as a file that was not there', async () => {
    const { read, turns } = await work('Summarize all the experiments from last week and create a summary.md file');
    expect(turns.at(-2)?.calls).toMatchObject([{ name: 'create_file', arguments: { path: 'summary.md' } }]);
    expect(await read('summary.md')).toContain('experiments/2025-05-20-combined.md');
  });

  it('deletes the file it is told to', async () => {
    const { read, final } = await work('delete drafts/poster-abstract.md');
    expect(final).toContain('is deleted');
    await expect(read('drafts/poster-abstract.md')).rejects.toThrow('ENOENT');
  });

  it('asks what to improve, then tidies without changing a word', async () => {
    const { read, turns } = await work('Improve drafts/report.md');
    expect(turns[0]?.calls[0]?.name).toBe('clarify_user');
    const words = (text: string) => text.replace(/#/g, ' ').match(/\S+/g);
    const [before, after] = [await readFile(join(SAMPLE, 'drafts/report.md'), 'utf8'), await read('drafts/report.md')];
    expect(after).not.toBe(before);
    expect(words(after)).toEqual(words(before));
  });

  it('works through every file in a turn of its own, within the default budget', async () => {
    const { turns, messages, tokens } = await work('Work through every file');
    expect(turns.length).toBeGreaterThan(20);
    expect(turns.length).toBeLessThan(0.8 * agent.max_iterations);
    expect(tokens).toBeLessThan(0.8 * agent.max_token_budget);
    expect(messages.at(-1)?.content).toContain('all 19 files');
  });
});

describe('the sample notebook', () => {
  it('is small', async () => {
    const files = await readdir(SAMPLE, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => stat(join(file.parentPath, file.name)).then(({ size }) => size)),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  });

  it('says the same in its pages as in its data', async () => {
    const rows = (await readFile(join(SAMPLE, 'data/germination.csv'), 'utf8')).trim().split('\n').slice(1);
    const pages = await readdir(join(SAMPLE, 'experiments'));
    for (const row of rows) {
      const [date, trial, tray, sown, germinated] = row.split(',');
      const page = pages.find((name) => name.startsWith(String(date))) ?? '';
      const text = await readFile(join(SAMPLE, 'experiments', page), 'utf8');
      expect(text).toContain(`title: ${trial} `);
      expect(text).toMatch(new RegExp(`^\\| ${tray} \\|.*\\| ${germinated} / ${sown} \\|`, 'm'));
    }
  });
});
