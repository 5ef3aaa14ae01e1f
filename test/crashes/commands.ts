import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

let system: Supervised;

/** The command lines of the processes that name the mark, words apart by NUL. */
const running = (mark: string): string[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const line = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, 'utf8') : '';
      return line.includes(mark) ? [line] : [];
    } catch {
      return [];
    }
  });

/** Both of its sleepers, not the sandbox around them that has the whole command in its own line. */
const underWay = (mark: string) => running(mark).filter((line) => line === `sleep\0${mark}\0`).length === 2;

export const commands = (installation: () => Supervised) =>
  describe('A command', () => {
    beforeAll(() => {
      system = installation();
    });

    it('[6] a command whose worker is killed dies with all it has started, is told as interrupted and is not run again', async () => {
      const agents = await system.call<{ items: Agent[] }>('GET', '/agents');
      const crash = agents.items.find(({ slug }) => slug === 'crash-agent');
      const notebooks = await system.call<{ items: Notebook[] }>(
        'GET',
        `/notebooks?workspace_id=${crash?.workspace_id}`,
      );
      const agent = await system.call<Agent>('POST', '/agents', {
        workspace_id: crash?.workspace_id,
        name: 'Runner',
        model: 'gpt-test',
        scope: { notebooks: ['*'] },
        can_execute_code: true,
        confirmation: { command: 'never' },
      });
      const mark = `30${Math.floor(Math.random() * 1e6)}`;
      const command = `echo once >> times; setsid sleep ${mark} & sleep ${mark}; echo on >> ended`;
      system.model.script('killed', [
        { tool_calls: [{ name: 'command', arguments: { operation: 'run', args: { command, timeout_s: 300 } } }] },
        { text: 'I look before I do it again.' },
      ]);
      const body = { agent_id: agent.id, notebook_id: notebooks.items[0]?.id, input: '[script:killed] Do it.' };
      const { id } = await system.call<{ id: string }>('POST', '/runs', body);
      await eventually('the command is under way', async () => underWay(mark) || undefined);

      await system.kill('worker-1');
      expect(await system.ended(id)).toMatchObject({ status: 'completed', output: 'I look before I do it again.' });
      await eventually('nothing of it runs any more', async () => running(mark).length === 0 || undefined, 5_000);
      expect(await readFile(join(system.root, 'times'), 'utf8')).toBe('once\n');
      expect(existsSync(join(system.root, 'ended'))).toBe(false);
      const events = await system.events(id);
      expectWhole(events, 2);
      expect(events.find(({ type }) => type === 'tool.completed')?.data).toMatchObject({
        ok: false,
        error: { code: 'interrupted', details: { interrupted: true } },
      });
    });
  });
