import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Job, RollbackReply } from '../../domain/edits/wire.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { propose, replaceLine } from '../edit-jobs.ts';
import { eventually, type Supervised } from '../supervised-system.ts';

let system: Supervised;

const PROCESSES = ['worker-1', 'api', 'temporal', 'mongod'];
const killAll = () => Promise.all(PROCESSES.map((name) => system.kill(name)));
const API = '/api/agent';
const job = (id: string) => system.ask<Job>(`${API}/jobs/${id}`);
const until = (id: string, isSo: (job: Job) => boolean) =>
  eventually(`the job ${id}`, async () => {
    const now = await job(id);
    return isSo(now) ? now : undefined;
  });

/** Engines and processes may be coming back: what was not taken is sent again. */
const insist = <T>(path: string, body: unknown, taken = /never/): Promise<T | true> =>
  eventually(`POST ${path}`, () =>
    system
      .call<T>('POST', `${API}${path}`, body)
      .catch((error: Error) => (taken.test(error.message) ? true : undefined)),
  );

const FILES = 20;
const pathOf = (n: number) => `edit-${n}.md`;
const old = (n: number) => `file ${n}\nold line\nend\n`;
const renewed = (n: number) => old(n).replace('old line', 'new line');
const disk = (n: number) => readFile(join(system.root, pathOf(n)), 'utf8');
const onDisk = () => Promise.all(Array.from({ length: FILES }, (_, n) => disk(n)));
const hidden = async () => (await readdir(system.root)).filter((name) => name.startsWith('.'));

export const edits = (installation: () => Supervised) =>
  describe('A review', () => {
    beforeAll(() => {
      system = installation();
    });

    it('[15.4] a review is gone on with, applied and taken back after every process was killed in between', async () => {
      for (let n = 0; n < FILES; n++) await writeFile(join(system.root, pathOf(n)), old(n));
      const edits = Array.from({ length: FILES }, (_, n) => replaceLine(pathOf(n), 2, 'old line', 'new line'));
      system.model.script('restarted-review', [propose(...edits)]);
      const agents = await system.call<{ items: Agent[] }>('GET', '/agents');
      const agent = agents.items.find(({ slug }) => slug === 'crash-agent');
      const notebooks = await system.call<{ items: Notebook[] }>(
        'GET',
        `/notebooks?workspace_id=${agent?.workspace_id}`,
      );
      const made = { notebook_id: notebooks.items[0]?.id, agent_id: agent?.id };
      const { session_id } = await system.call<{ session_id: string }>('POST', `${API}/sessions`, made);
      const started = { session_id, instruction: '[script:restarted-review] Do it.' };
      const { job_id } = await system.call<{ job_id: string }>('POST', `${API}/run`, started);
      await until(job_id, ({ status }) => status === 'awaiting_review');
      await system.call('POST', `${API}/jobs/${job_id}/review`, {
        hunk_id: 'h_1',
        decision: 'reject',
        comment: 'Not it.',
      });

      await killAll();
      const waiting = await job(job_id);
      expect(waiting.review).toMatchObject({ state: 'open', rejected: 1, pending: FILES - 1 });
      expect(waiting.diff_bundle?.files[0]?.hunks[0]).toMatchObject({ accepted: false, comment: 'Not it.' });

      const ids = waiting.diff_bundle?.files.flatMap(({ hunks }) => hunks.map(({ hunk_id }) => hunk_id)) ?? [];
      const accepted_hunk_ids = ids.filter((id) => id !== 'h_1');
      // The worker that writes is killed at some moment of it, and so is who asked for it.
      const applying = insist('/apply', { session_id, job_id, accepted_hunk_ids }, /not_pending|run_ended|applying/);
      await Promise.all([system.kill('worker-1'), system.kill('api')]);
      await applying;
      const done = await until(job_id, ({ status }) => status === 'completed');
      expect(done.applied_files.filter(({ applied_hunks }) => applied_hunks === 1)).toHaveLength(FILES - 1);
      expect(await onDisk()).toEqual(Array.from({ length: FILES }, (_, n) => (n === 0 ? old(n) : renewed(n))));
      await expect.poll(hidden).toEqual([]);
      const types = (await system.events(job_id)).map(({ type }) => type);
      expect(types.filter((type) => type === 'apply.completed')).toHaveLength(1);

      const checkpoint = `/checkpoints/${done.checkpoint_id}`;
      const back = await insist<RollbackReply>(`${checkpoint}/rollback`, {
        mode: 'scoped_selected',
        hunk_ids: ['h_2'],
      });
      expect(back).toMatchObject({ state: 'buffer', conflicts: [] });
      await killAll();
      await insist(`${checkpoint}/save`, {});
      await expect.poll(() => disk(1)).toBe(old(1));
      await insist(`${checkpoint}/rollback`, { mode: 'hard_all' });
      const saving = insist(`${checkpoint}/save`, {});
      await system.kill('worker-1');
      await saving;
      await expect.poll(onDisk).toEqual(Array.from({ length: FILES }, (_, n) => old(n)));
      await expect.poll(hidden).toEqual([]);
      system.model.assertDone('restarted-review');
    }, 240_000);
  });
