import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { FlowView } from '../../domain/flow-view.ts';
import type { Run } from '../../domain/run.ts';
import type { RunTree } from '../../domain/run-tree.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { expectWhole } from '../crashes/whole-log.ts';
import type { Product, Visitor, Workplace } from './product.ts';
import { untilLive, untilRun } from './sights.ts';

const STEPS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const BEFORE = STEPS.slice(0, 6);
const AFTER = STEPS.slice(7);
/** Those that an agent does; the others write a file. */
const ASKED = ['one', 'three', 'five', 'nine'];
const script = (step: string) => `ten steps: ${step}`;

/** In the seventh an agent is at work when everything is killed, and a tool fails after it. */
function stepsFor(agent_id: string) {
  const ask = (id: string) => ({ id, type: 'agent', agent_id, input_mapping: `[script:${script(id)}] Do it.` });
  const tool = (id: string, name: string, input_mapping: object) => ({ id, type: 'tool', tool: name, input_mapping });
  return STEPS.map((id) => {
    if (ASKED.includes(id)) return ask(id);
    if (id !== 'seven') return tool(id, 'write_file', { path: `/${id}.md`, content: `${id}\n` });
    const inner = [ask('held'), tool('look', 'read_file', { path: '{{ input.path }}' })];
    return { id, type: 'condition', if: 'true', steps: inner };
  });
}

const shown = (page: Page, step: string, status: string): Promise<void> =>
  page.locator(`[data-step="${step}"][data-status="${status}"]`).waitFor();
const statuses = (page: Page, steps: string[]): Promise<(string | null)[]> =>
  Promise.all(steps.map((step) => page.locator(`[data-step="${step}"]`).getAttribute('data-status')));
const each = (steps: string[], status: string): string[] => steps.map(() => status);

export const tenSteps = (product: () => Product) =>
  describe('[3] Somebody who keeps the page of a workflow with ten steps open', () => {
    let place: Workplace;
    let visitor: Visitor;
    let workflow: string;
    let failed: string;
    /** Lets the agent of the seventh step answer. */
    let release: () => void;
    beforeAll(async () => {
      const { system } = product();
      place = await product().workplace('Ten');
      const at = `?workspace_id=${place.id}`;
      const agents = await system.call<{ items: Agent[] }>('GET', `/agents${at}`);
      const notebooks = await system.call<{ items: Notebook[] }>('GET', `/notebooks${at}`);
      const agent = agents.items.find(({ is_builtin }) => !is_builtin)?.id ?? '';
      const body = { workspace_id: place.id, name: 'Ten steps', steps: stepsFor(agent) };
      workflow = (await system.call<{ id: string }>('POST', '/agents/workflows', body)).id;
      for (const step of [...ASKED, 'held']) system.model.script(script(step), [{ text: step }]);
      // Before anything begins: on a quick machine it is in the seventh before somebody has signed in.
      release = system.model.hold(script('held'), 0);
      const [notebook] = notebooks.items;
      const start = { workflow_id: workflow, notebook_id: notebook?.id, input: { path: '/not-there.md' } };
      failed = (await system.call<{ id: string }>('POST', '/runs', start)).id;
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());
    const calls = (steps: string[]) => steps.map((step) => product().system.model.count(script(step)).calls);

    it('sees the worker and then Temporal killed in the seventh, and it fail there by its tool', async () => {
      const { system } = product();
      const { page } = visitor;
      await page.goto(`/runs/${failed}`);
      await system.model.reached(script('held'), 0);
      await Promise.all([...BEFORE.map((step) => shown(page, step, 'Completed')), shown(page, 'held', 'Running')]);
      await page.evaluate(() => Object.assign(window, { isTheSame: true }));
      await system.kill('worker-1');
      await system.kill('temporal');
      release();
      await untilRun(page, 'Failed');
      await shown(page, 'look', 'Failed');
      await shown(page, 'seven', 'Failed');
      expect(await statuses(page, [...BEFORE, ...AFTER])).toEqual([...each(BEFORE, 'Completed'), ...each(AFTER, '')]);
      await page.getByText('The step failed').waitFor();
      const run = await system.ended(failed);
      expect(run.error).toMatchObject({ code: 'no_such_file', details: { step: 'look' } });
      const told = await system.events(failed);
      expect(told.map(({ cursor }) => cursor)).toEqual(told.map((_, n) => n + 1));
      expect(calls(ASKED)).toEqual([1, 1, 1, 0]);
    });

    it('resumes it there with another input, without a reload: none of the first six runs again, the last three run once', async () => {
      const { system } = product();
      const { page } = visitor;
      await page.getByRole('button', { name: 'Resume from here' }).click();
      await page.getByRole('textbox', { name: 'What the step is given' }).fill('{"path": "/notes.md"}');
      await page.getByRole('button', { name: 'Resume run' }).click();
      await page.getByText('Continues run').first().waitFor();
      await untilRun(page, 'Completed');
      await untilLive(page);
      await Promise.all(['look', ...AFTER].map((step) => shown(page, step, 'Completed')));
      expect(await statuses(page, [...BEFORE, 'held'])).toEqual(each([...BEFORE, 'held'], 'Taken over'));
      expect(await page.evaluate<boolean>('window.isTheSame')).toBe(true);

      const id = new URL(page.url()).pathname.replace('/runs/', '');
      const run = await system.ask<Run>(`/runs/${id}`);
      expect(run).toMatchObject({
        status: 'completed',
        relation: 'resume',
        parent_run_id: failed,
        workflow_id: workflow,
      });
      expect(run).toMatchObject({ resume_from_step: 'look', workflow_state: { steps: { six: { inherited: true } } } });
      const events = await system.events(id);
      expectWhole(events, 0);
      const begun = events.filter(({ type }) => type === 'workflow.step.started').map(({ data }) => data.step);
      expect(begun).toEqual(['look', ...AFTER]);
      expect(calls(ASKED)).toEqual([1, 1, 1, 1]);
      for (const step of STEPS.filter((one) => one !== 'seven' && !ASKED.includes(one))) {
        expect(await readFile(join(place.root, `${step}.md`), 'utf8')).toBe(`${step}\n`);
      }
      const { run_steps } = await system.ask<FlowView>(`/runs/${id}/workflow`);
      expect(run_steps.filter(({ inherited }) => inherited).map(({ address }) => address)).toEqual([
        ...BEFORE,
        'seven',
        'held',
      ]);
      await expect(system.call('POST', `/runs/workflow/${id}/resume`, {})).rejects.toThrow(/409.*not_failed/);

      await page.getByRole('link', { name: 'Tree of runs' }).click();
      const { runs } = await system.ask<RunTree>(`/runs/${id}/tree`);
      const below = runs.filter(({ parent_run_id }) => parent_run_id === id);
      expect(below.map(({ relation, status }) => [relation, status])).toEqual([['workflow', 'completed']]);
      const shownRuns = page.getByRole('table', { name: 'Tree of runs' }).getByRole('row');
      await expect.poll(() => shownRuns.filter({ hasText: 'Completed' }).count()).toBe(runs.length);
    });
  });
