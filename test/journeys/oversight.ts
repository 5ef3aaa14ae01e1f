import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Notebook } from '../../domain/workspace.ts';
import type { Product, Visitor, Workplace } from './product.ts';
import { approval, details, row, said, untilRun } from './sights.ts';

const LONG = 'Before anything is moved I look at where the twelve lamps stand today, and who put them there.';
const look = { tool_calls: [{ name: 'list_files' }] };

const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });

export const oversight = (product: () => Product) =>
  describe('Somebody who oversees runs', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Oversee');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    /** An agent that may hand work to another. */
    async function startLead(input: string): Promise<string> {
      const { call } = product().system;
      const rights = { scope: { notebooks: ['*'] }, can_write: true, can_create: true, visibility: 'workspace' };
      const made = { workspace_id: place.id, model: 'gpt-test', ...rights };
      const helper = await call<Agent>('POST', '/agents', { ...made, name: 'Helper' });
      const delegated_agents = [{ agent_id: helper.id }];
      const lead = await call<Agent>('POST', '/agents', { ...made, name: 'Lead', delegated_agents });
      const { items } = await call<{ items: Notebook[] }>('GET', `/notebooks?workspace_id=${place.id}`);
      const body = { agent_id: lead.id, notebook_id: items[0]?.id, input };
      return (await call<{ id: string }>('POST', '/runs', body)).id;
    }

    it('watches the work of another agent inside the run it serves, and answers for it there', async () => {
      const { model } = product().system;
      const write = { name: 'write_file', arguments: { path: '/handed.md', content: 'by the helper\n' } };
      const task = '[script:helper] Write it.';
      model.script('lead', [
        { text: 'I hand it on.', tool_calls: [{ name: 'delegate_to_helper', arguments: { task } }] },
        { text: 'All done.' },
      ]);
      model.script('helper', [{ text: 'I write it down.', tool_calls: [write] }, { text: 'Written.' }]);
      const { page } = visitor;
      await page.goto(`/runs/${await startLead('[script:lead] See to it.')}`);
      await approval(page, 'Write /handed.md').waitFor();
      await details(page).getByText('Asked by Helper').waitFor();
      expect(await row(page, 'I write it down.').getAttribute('aria-level')).toBe('2');
      await button(page, 'Cancel run').click();
      await page.getByRole('alertdialog').getByText('every run it has handed work to').waitFor();
      await button(page, 'Keep running').click();
      await button(approval(page, 'Write /handed.md'), 'Allow').click();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('All done.');
      expect(await readFile(join(place.root, 'handed.md'), 'utf8')).toBe('by the helper\n');

      await page.getByRole('link', { name: 'Tree of runs' }).click();
      await page.getByText('2 runs').waitFor();
      const tree = page.getByRole('table', { name: 'Tree of runs' });
      await tree.getByRole('row').filter({ hasText: 'Helper' }).getByText('Completed').waitFor();
      await button(tree, 'Runs below Lead').click();
      await expect.poll(() => tree.getByRole('row').filter({ hasText: 'Helper' }).count()).toBe(0);

      const runs = page.getByRole('table', { name: 'Runs' });
      const tasks = () => runs.getByRole('link').allTextContents();
      await page.goto('/runs?sort=most_tokens');
      await expect.poll(async () => (await tasks()).toSorted()).toEqual([task, '[script:lead] See to it.']);
      await page.getByLabel('Top level only').check();
      await expect.poll(tasks).toEqual(['[script:lead] See to it.']);
      await page.getByLabel('Top level only').uncheck();
      await page.getByLabel('Trigger').selectOption('Delegation');
      await expect.poll(tasks).toEqual([task]);
      expect(new URL(page.url()).search).toBe('?sort=most_tokens&trigger=delegation');
      model.assertDone('lead', 'helper');
    });

    it('pauses a run and lets it go on', async () => {
      const { model } = product().system;
      model.script('pauses', [{ text: LONG, ...look }, { text: 'After the pause.' }]);
      const release = model.hold('pauses', 0, 5);
      const { page } = visitor;
      await page.goto(`/runs/${await place.start('pauses')}`);
      await details(page).getByText('Before anything').waitFor();
      await button(page, 'Pause').click();
      await untilRun(page, 'Paused');
      release();
      await row(page, 'Paused by Robin').waitFor();
      await button(page, 'Unpause').click();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('After the pause.');
      model.assertDone('pauses');
    });

    it('resumes a failed run where it failed, forks it at a step, and asks why', async () => {
      const { model } = product().system;
      model.script('stumbles', [{ text: 'I look first.', ...look }, [{ fault: '400' }, { text: 'It went on.' }]]);
      model.script('forked', [{ text: 'It was asked for another way.' }, { text: 'Another way.' }]);
      const { page } = visitor;
      await page.goto(`/runs/${await place.start('stumbles')}`);
      const failed = page.url();
      await untilRun(page, 'Failed');
      await button(page, 'Resume').click();
      await button(page.getByRole('dialog'), 'Resume run').click();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('It went on.');
      await page.getByText(/Continues run .* at step \d+/).waitFor();
      await page.getByRole('link', { name: new RegExp(failed.slice(-8)) }).click();

      await untilRun(page, 'Failed');
      await row(page, 'I look first.').click();
      await button(page, 'Fork after step 1').click();
      const dialog = page.getByRole('dialog', { name: 'Fork this run' });
      await dialog.getByLabel('Task').fill('[script:forked] Do it another way.');
      await button(dialog, 'Fork run').click();
      await page.getByText(/Fork of run …/).waitFor();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('Another way.');
      await row(page, /Another way/)
        .first()
        .click();
      await button(page, 'Why?').click();
      await page.getByRole('region', { name: 'Why' }).getByText('It was asked for another way.').waitFor();
      expect(model.count('stumbles', 0).calls, 'what was answered is not asked again').toBe(1);
      expect(model.count('forked', 1).calls).toBe(1);
    });

    it('adds a document, finds a line of it, and removes it', async () => {
      const { page } = visitor;
      await page.goto('/knowledge');
      await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
      const text = Array.from({ length: 60 }, (_, line) => `Line ${line + 1}: nothing.`);
      text[41] = 'Line 42: the lamps are *amber*.';
      const file = { name: 'lamps.md', mimeType: 'text/markdown', buffer: Buffer.from(text.join('\n')) };
      const picture = { name: 'lamp.png', mimeType: 'image/png', buffer: Buffer.from('x') };
      await page.getByLabel('Files to add').setInputFiles([file, picture]);
      await page.getByText('lamp.png is neither text, Markdown nor PDF.').waitFor();
      await page.getByRole('list', { name: 'Documents' }).getByText('60 lines').waitFor();
      await page.getByLabel('Search the documents').fill('amber lamps');
      const hit = page.getByRole('article').filter({ hasText: 'lamps.md' });
      await hit.getByText('line 42', { exact: true }).waitFor();
      await hit.getByRole('link', { name: 'lamps.md' }).click();
      await page.getByText('Line 42: the lamps are *amber*.').waitFor();
      await page.goBack();
      await page.getByLabel('Search the documents').fill('');
      await page.getByRole('button', { name: 'Remove lamps.md' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove document' }).click();
      await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    });
  });
