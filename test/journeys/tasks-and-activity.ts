import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor, Workplace } from './product.ts';
import { untilRun } from './sights.ts';

export const tasksAndActivity = (product: () => Product) =>
  describe('Somebody who hands out work and looks after it', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Tasks');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('makes a task by keyboard, assigns it, and finds it done when its run is', async () => {
      const { model } = product().system;
      model.script('chore', [{ tool_calls: [{ name: 'list_files', arguments: {} }] }, { text: 'All tidy.' }]);
      const { page } = visitor;
      await page.goto('/tasks');
      await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New task' });
      await dialog.getByLabel('Title').fill('[script:chore] Tidy up');
      await page.keyboard.press('Control+Enter');
      const open = page.getByRole('region', { name: 'Open' });
      await open.getByText('Nobody has it yet').waitFor();

      const release = model.hold('chore', 1, 0);
      await open.getByRole('button', { name: /^Assign: / }).click();
      const task = page.getByRole('dialog', { name: 'Task' });
      await task.getByLabel('Assigned to').selectOption({ index: 1 });
      await task.getByRole('button', { name: 'Assign and start' }).click();
      await page.getByRole('region', { name: 'In progress' }).getByText('Running').filter({ visible: true }).waitFor();
      release();
      const done = page.getByRole('region', { name: 'Done' });
      await done.getByRole('link', { name: '[script:chore] Tidy up' }).click();
      await untilRun(page, 'Completed');
      model.assertDone('chore');
    });

    it('sees everything that happens as it happens, what was refused first of all, and takes it along', async () => {
      const { model } = product().system;
      model.script('strays', [
        { tool_calls: [{ name: 'read_file', arguments: { path: '/../outside.md' } }] },
        { text: 'I may not.' },
      ]);
      const { page } = visitor;
      await page.goto('/activity');
      const table = page.getByRole('table', { name: 'Activity' });
      await table.getByRole('button', { name: 'tool.list_files' }).waitFor();
      await place.start('strays');
      const refused = table.getByRole('row').filter({ hasText: 'Refused' }).filter({ hasText: 'tool.read_file' });
      await refused.waitFor();

      await page.getByLabel('Outcome').selectOption('Refused');
      // The task had no notebook: the tool it asked for was not there, which is a refusal as well.
      const names = ['tool.read_file', 'tool.list_files'];
      await expect.poll(() => table.getByRole('button').allTextContents()).toEqual(names);
      expect(new URL(page.url()).search).toBe('?outcome=refused');
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as CSV' }).click();
      const rows = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\r\n');
      expect(rows).toHaveLength(1 + names.length);

      await refused.getByRole('button').click();
      const line = page.getByRole('dialog', { name: 'tool.read_file' });
      await line.getByText('/../outside.md').first().waitFor();
      await line.getByRole('link', { name: /^Step \d+ of/ }).click();
      await untilRun(page, 'Completed');
      await page.getByRole('region', { name: 'Details' }).getByText('/../outside.md').first().waitFor();
    });
  });
