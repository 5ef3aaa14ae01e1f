import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Session } from '../../domain/session.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { eventually, type Supervised } from '../supervised-system.ts';
import { expectWhole } from './whole-log.ts';

let system: Supervised;

const PROCESSES = ['worker-1', 'api', 'temporal', 'mongod'];
const killAll = () => Promise.all(PROCESSES.map((name) => system.kill(name)));
const read = (id: string) => system.ask<Session>(`/sessions/${id}`);

async function open(): Promise<string> {
  const agents = await system.call<{ items: Agent[] }>('GET', '/agents');
  const agent = agents.items.find(({ slug }) => slug === 'crash-agent');
  const notebooks = await system.call<{ items: Notebook[] }>('GET', `/notebooks?workspace_id=${agent?.workspace_id}`);
  const body = { notebook_id: notebooks.items[0]?.id };
  return (await system.call<Session>('POST', `/agents/${agent?.id}/sessions`, body)).id;
}

/** Engines and processes may be coming back: what was not taken is sent again. */
const insist = (path: string, body: unknown, taken: RegExp) =>
  eventually(`POST ${path}`, () =>
    system.call('POST', path, body).catch((error: Error) => (taken.test(error.message) ? true : undefined)),
  );

export const sessions = (installation: () => Supervised) =>
  describe('A session', () => {
    beforeAll(() => {
      system = installation();
    });

    it('[15.5] a pending action of a session answered after all processes were restarted runs exactly once, and the conversation goes on', async () => {
      const path = '/after-restart.md';
      const call = { name: 'write_file', arguments: { path, content: 'written once\n' } };
      system.model.script('restarted', [
        { text: 'I write it.', tool_calls: [call] },
        { text: 'Written.' },
        { text: 'I wrote it once.' },
      ]);
      const id = await open();
      const said = await system.call<Session>('POST', `/sessions/${id}/message`, {
        content: '[script:restarted] Write it.',
        wait: 60,
      });
      const [action] = said.pending_actions;
      const run = said.run_id ?? '';
      await killAll();
      const waiting = await read(id);
      expect(waiting).toMatchObject({ status: 'awaiting_confirmation', messages: said.messages });

      const confirm = `/sessions/${id}/confirm`;
      const stale = { action_id: action?.id, digest: 'sha256:of something else', confirmed: true };
      await insist(confirm, stale, /409 .*stale_approval/);
      const allowed = { action_id: action?.id, digest: action?.digest, confirmed: true };
      await insist(confirm, allowed, /not_pending|run_ended/);
      expect(await system.ended(run)).toMatchObject({ status: 'completed', output: 'Written.' });
      expectWhole(await system.events(run), 2);
      const done = (await system.events(run)).filter(({ type }) => type === 'tool.completed');
      expect(done).toMatchObject([{ data: { name: 'write_file', ok: true } }]);
      expect(await readFile(join(system.root, path), 'utf8')).toBe('written once\n');
      expect((await readdir(system.root)).filter((name) => name.startsWith('.'))).toEqual([]);

      await killAll();
      await insist(`/sessions/${id}/message`, { content: 'How often did you write it?' }, /never/);
      const next = await eventually('the next run', async () => {
        const { run_id } = await read(id);
        return run_id !== null && run_id !== run ? run_id : undefined;
      });
      expect(await system.ended(next)).toMatchObject({ status: 'completed', output: 'I wrote it once.' });
      system.model.assertDone('restarted');
    }, 180_000);
  });
