import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notebook } from '../../domain/workspace.ts';
import type { Product, Visitor, Workplace } from './product.ts';

const entry = (page: Page, name: string): Locator =>
  page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name, exact: true });
const editor = (page: Page, name: string): Locator => page.getByRole('textbox', { name: `Text of ${name}` });

export const fileKeepers = (product: () => Product) =>
  describe('Somebody who keeps files', () => {
    let place: Workplace;
    let visitor: Visitor;
    let page: Page;
    let notebook: string;
    beforeAll(async () => {
      place = await product().workplace('Keepers');
      visitor = await product().at(place);
      ({ page } = visitor);
      const { items } = await product().system.call<{ items: Notebook[] }>(
        'GET',
        `/notebooks?workspace_id=${place.id}`,
      );
      notebook = items[0]?.id ?? '';
    });
    afterAll(() => visitor.leave());

    const onDisk = (path: string) => readFile(join(place.root, path), 'utf8');
    const put = (path: string, text: string) => writeFile(join(place.root, path), text);
    const saved = (name: string) => page.getByText(`Saved ${name}`).last().waitFor();
    /** In the source, where it can be edited, with the cursor at its end. */
    async function openSource(path: string): Promise<Locator> {
      await page.goto(`/files/${notebook}${path}#L1`);
      const text = editor(page, path.slice(path.lastIndexOf('/') + 1));
      await text.click();
      await page.keyboard.press('Control+End');
      return text;
    }

    it('browses to a file, changes it, is held back from leaving, saves, finds it on disk, and drops the rest', async () => {
      await page.goto('/files');
      await entry(page, 'notes.md').click();
      await page.getByRole('heading', { name: 'Notes' }).waitFor();
      await page.getByRole('button', { name: 'Source' }).click();
      await editor(page, 'notes.md').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('By hand.');
      await page.getByText('Unsaved').waitFor();
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      const asks = page.getByRole('alertdialog', { name: 'Leave notes.md without saving?' });
      await asks.getByRole('button', { name: 'Stay' }).click();
      expect(await onDisk('notes.md'), 'nothing is saved by itself').toBe('# Notes\n');
      await page.keyboard.press('Control+s');
      await saved('notes.md');
      expect(await onDisk('notes.md')).toBe('# Notes\nBy hand.');
      await editor(page, 'notes.md').click();
      await page.keyboard.type('Or not. ');
      await page.getByText('Unsaved').waitFor();
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await asks.getByRole('button', { name: 'Discard changes' }).click();
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
      expect(await onDisk('notes.md')).toBe('# Notes\nBy hand.');
    });

    it('is shown both texts when somebody else was faster, and decides', async () => {
      await put('shared.md', 'one\r\ntwo\r\n');
      await openSource('/shared.md');
      await page.keyboard.type('mine');
      await put('shared.md', 'one\r\ntheirs\r\n');
      await page.keyboard.press('Control+s');
      const conflict = page.getByRole('region', { name: 'Conflict' });
      await conflict.getByText('This file was changed while you were editing.').waitFor();
      await page.getByRole('textbox', { name: 'shared.md on disk' }).getByText('theirs').waitFor();
      expect(await onDisk('shared.md'), 'nothing was written over').toBe('one\r\ntheirs\r\n');
      await conflict.getByRole('button', { name: 'Save mine' }).click();
      await saved('shared.md');
      expect(await onDisk('shared.md'), 'with the line ends it had').toBe('one\r\ntwo\r\nmine');

      await editor(page, 'shared.md').click();
      await page.keyboard.type('!');
      await put('shared.md', 'theirs again\n');
      await page.keyboard.press('Control+s');
      await conflict.getByRole('button', { name: 'Take what is on disk' }).click();
      await editor(page, 'shared.md').getByText('theirs again').waitFor();
      expect(await onDisk('shared.md')).toBe('theirs again\n');
    });

    it('makes a file, deletes it, and takes that back', async () => {
      await page.goto(`/files/${notebook}/`);
      await page.getByRole('button', { name: 'New file' }).click();
      const dialog = page.getByRole('dialog', { name: 'New file' });
      await dialog.getByLabel('Path').fill('/drafts/idea.md');
      await dialog.getByRole('button', { name: 'Create file' }).click();
      await editor(page, 'idea.md').click();
      await page.keyboard.type('Soak longer.');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await saved('idea.md');
      expect(await onDisk('drafts/idea.md')).toBe('Soak longer.');

      await page.getByRole('button', { name: 'More for idea.md' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('Deleted idea.md').waitFor();
      await expect(access(join(place.root, 'drafts/idea.md'))).rejects.toThrow('ENOENT');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('idea.md is back').waitFor();
      expect(await onDisk('drafts/idea.md')).toBe('Soak longer.');
    });

    it('finds a line by what is in it, and goes there', async () => {
      await put('long.md', `${'filler\n'.repeat(200)}the needle is here\n`);
      await page.goto(`/files/${notebook}/`);
      await page.getByLabel('Search files').fill('needle');
      await page
        .getByRole('region', { name: 'Search results' })
        .getByRole('link', { name: /long\.md.*line 201/ })
        .click();
      await editor(page, 'long.md').getByText('the needle is here').waitFor();
      expect(new URL(page.url()).hash).toBe('#L201');
    });

    it('sees a run change the open file, without a reload', async () => {
      const { model, call, until } = product().system;
      await put('watched.md', 'before\n');
      model.script('watched', [
        { tool_calls: [{ name: 'write_file', arguments: { path: '/watched.md', content: 'after\n' } }] },
        { text: 'Done.' },
      ]);
      await page.goto(`/files/${notebook}/watched.md#L1`);
      await editor(page, 'watched.md').getByText('before').waitFor();
      const run = await until(await place.start('watched'), ({ status }) => status === 'awaiting_confirmation');
      await call('POST', `/runs/${run.id}/confirm`, { action_id: run.pending_actions[0]?.id, confirmed: true });
      await editor(page, 'watched.md').getByText('after').waitFor();
    });

    it('adds a notebook that is offered, renames it, looks into it, and removes it; the files stay', async () => {
      const folder = join(product().system.home, 'notebooks', 'keepers-shelf');
      await mkdir(folder);
      await writeFile(join(folder, 'book.md'), '# Book\n');
      await page.goto('/settings');
      const notebooks = page.getByRole('region', { name: 'Notebooks' });
      await notebooks.getByRole('button', { name: 'keepers-shelf' }).click();
      await notebooks.getByRole('button', { name: 'Add notebook' }).click();
      await notebooks.getByRole('button', { name: 'Rename keepers-shelf' }).click();
      await notebooks.getByLabel('New name of keepers-shelf').fill('Shelf');
      await notebooks.getByRole('button', { name: 'Rename', exact: true }).click();
      await notebooks.getByRole('link', { name: 'Shelf' }).click();
      await entry(page, 'book.md').waitFor();
      await page.goto('/settings');
      await notebooks.getByRole('button', { name: 'Remove Shelf' }).click();
      await page.getByRole('button', { name: 'Remove notebook' }).click();
      await page.getByText('Removed Shelf').waitFor();
      await access(join(folder, 'book.md'));
    });

    it('invites somebody, who signs in with the link and sees what their role lets them see', async () => {
      await page.goto('/settings');
      const members = page.getByRole('region', { name: 'Members' });
      await members.getByLabel('E-mail address').fill('reader@longhaul.test');
      await members.getByLabel('Name').fill('Kim');
      await members.getByLabel('Role', { exact: true }).selectOption('read');
      await members.getByRole('button', { name: 'Invite', exact: true }).click();
      const link = (await members.getByText(/\/sign-in#token=/).textContent()) ?? '';
      const reader = await product().visitor(new URL(link).pathname + new URL(link).hash);
      await reader.page.getByRole('heading', { level: 1, name: /Home|Welcome/ }).waitFor();
      await reader.page.goto(`/files/${notebook}/notes.md`);
      await reader.page.getByRole('heading', { name: 'Notes' }).waitFor();
      expect(await reader.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
      expect(await reader.page.getByRole('button', { name: 'New file' }).count()).toBe(0);
      await reader.leave();

      await members.getByLabel('Role of Kim').selectOption('write');
      await page.getByText('Kim now has the role write').waitFor();
      await members.getByRole('button', { name: 'Remove Kim' }).click();
      await page.getByRole('button', { name: 'Remove member' }).click();
      await page.getByText('Kim is no longer a member').waitFor();
    });
  });
