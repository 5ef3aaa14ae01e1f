import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Product, Visitor, Workplace } from './product.ts';
import { details, row, said, untilRun } from './sights.ts';

const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const branch = (page: Page, name: string): Locator => page.getByRole('treeitem', { name, exact: true });
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });
const probe = (page: Page): Locator => page.getByRole('region', { name: 'Probe' });

/** Asks the probe, and waits for the answer. */
async function asks(page: Page, path: string, answer: string | RegExp): Promise<void> {
  await probe(page).getByLabel('Path to probe').fill(path);
  await probe(page).getByRole('status').getByText(answer).waitFor();
}

const rules = (page: Page): Promise<string[]> =>
  page
    .getByRole('list', { name: 'Folder rules' })
    .getByRole('textbox')
    .evaluateAll((fields) => fields.map((each) => (each instanceof HTMLInputElement ? each.value : '')));

export const agentMakers = (product: () => Product) =>
  describe('Somebody who makes agents', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Makers');
      visitor = await product().at(place);
      for (const path of ['drafts/old/a.md', 'drafts/b.md', 'notes/c.md']) {
        await mkdir(join(place.root, path, '..'), { recursive: true });
        await writeFile(join(place.root, path), `${path}\n`);
      }
    });
    afterAll(() => visitor.leave());

    const change = (id: string, body: Partial<Agent>) => product().system.call<Agent>('PUT', `/agents/${id}`, body);
    const newAgent = (name: string): Promise<Agent> =>
      product().system.call('POST', '/agents', {
        workspace_id: place.id,
        name,
        model: 'gpt-test',
        scope: { notebooks: ['*'] },
        visibility: 'workspace',
      });

    it('begins with a template, narrows it on the real tree, and hears from the probe and the run what it may not do', async () => {
      const { model } = product().system;
      const { page } = visitor;
      await page.goto('/agents');
      await page.getByRole('link', { name: 'New agent' }).click();
      await page.getByRole('list', { name: 'Templates' }).getByRole('button', { name: 'Summarizer' }).click();
      await field(page, 'Name').fill('Weekly summary');
      await page.getByRole('combobox', { name: 'Model', exact: true }).fill('gpt-test');
      await page.getByText('All of the workspace', { exact: true }).click();
      for (const right of ['Read', 'Write', 'Create']) {
        await page
          .getByRole('list', { name: 'Rights' })
          .getByRole('checkbox', { name: new RegExp(`^${right}`) })
          .check();
      }

      // By keyboard alone: nothing of the notebook, then one folder of it, then all of that but one file.
      const every = button(page, 'Allow every folder');
      if (await every.isVisible()) await every.click();
      await branch(page, 'drafts').waitFor();
      const root = page.getByRole('treeitem').first();
      await root.focus();
      await page.keyboard.press('Space');
      await page.getByText('No folder is chosen').waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('drafts');
      await page.keyboard.press('Space');
      expect(await rules(page)).toEqual(['/drafts']);
      expect(await root.getAttribute('aria-checked')).toBe('mixed');
      await page.keyboard.press('ArrowRight');
      await branch(page, 'b.md').waitFor();
      await branch(page, 'b.md').click();
      await expect.poll(() => rules(page)).toEqual(['/drafts/old']);
      expect(await branch(page, 'drafts').getAttribute('aria-checked')).toBe('mixed');
      await branch(page, 'drafts').click();
      expect(await rules(page)).toEqual(['/drafts']);

      await asks(page, '/notes/c.md', 'No: no folder rule covers /notes/c.md');
      await asks(page, '/drafts/new.md', /^Yes, by folder rule 1 \(\/drafts\).*; asks first\.$/);
      await page.locator('li[aria-current="true"]').getByRole('textbox', { name: 'Folder rule 1' }).waitFor();
      await page
        .getByRole('list', { name: 'Rights' })
        .getByRole('checkbox', { name: /^Write/ })
        .uncheck();
      await probe(page).getByRole('status').getByText('No: can_write is off.').waitFor();
      await page
        .getByRole('list', { name: 'Rights' })
        .getByRole('checkbox', { name: /^Write/ })
        .check();

      await button(page, 'Create agent').click();
      await heading(page, 'Weekly summary').waitFor();
      const write = { name: 'write_file', arguments: { path: '/notes/c.md', content: 'mine now\n' } };
      model.script('outside', [{ text: 'I try.', tool_calls: [write] }, { text: 'I may not write there.' }]);
      await button(page, 'Run').click();
      const composer = page.getByRole('dialog', { name: 'New run' });
      await composer.getByLabel('What should it do?').fill('[script:outside] Write outside.');
      await button(composer, 'Start run').click();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('I may not write there.');
      await row(page, '/notes/c.md').click();
      await details(page).getByText('scope_violation').first().waitFor();
      model.assertDone('outside');
    });

    it('changes an agent that somebody else has changed meanwhile: is told, and decides', async () => {
      const agent = await newAgent('Shared by two');
      const { page } = visitor;
      await page.goto(`/agents/${agent.id}`);
      await field(page, 'Name').fill('Renamed here');
      await change(agent.id, { description: 'Described there' });
      await page.keyboard.press('Control+s');
      const note = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this agent meanwhile' });
      await button(note, 'Save mine over it').click();
      await heading(page, 'Renamed here').waitFor();
      await expect.poll(() => field(page, 'Description').inputValue()).toBe('Described there');

      await field(page, 'Name').fill('Never saved');
      await change(agent.id, { description: 'Described again' });
      await button(page, 'Save').click();
      await button(note, 'Reload theirs').click();
      await note.waitFor({ state: 'detached' });
      await expect.poll(() => field(page, 'Name').inputValue()).toBe('Renamed here');
      expect(await field(page, 'Description').inputValue()).toBe('Described again');
    });

    it('is told at the field what the server refuses, and asked before leaving what is not saved', async () => {
      const agent = await newAgent('Half done');
      const { page } = visitor;
      await page.goto(`/agents/${agent.id}`);
      await field(page, 'Slug').fill('Not A Slug');
      await button(page, 'Save').click();
      await page.getByRole('alert').getByText('a field needs another look').waitFor();
      expect(await field(page, 'Slug').getAttribute('aria-invalid')).toBe('true');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();
      const leaving = page.getByRole('alertdialog', { name: 'Leave without saving?' });
      await button(leaving, 'Stay').click();
      expect(await field(page, 'Slug').inputValue()).toBe('Not A Slug');
      await field(page, 'Slug').fill('half-done-2');
      await button(page, 'Save').click();
      await page.getByText('Saved as version 2').waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();
      await heading(page, 'Runs').waitFor();
    });

    it('deletes an agent and thinks better of it; one that others need is not deleted, and they are named', async () => {
      const helper = await newAgent('Needed');
      const lead = await newAgent('Needs it');
      await change(lead.id, { delegated_agents: [{ agent_id: helper.id }] });
      const { page } = visitor;
      const remove = async (name: string) => {
        await button(page, `More about ${name}`).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
      };
      await page.goto('/agents?q=need');
      await remove('Needed');
      const refused = page.getByRole('dialog', { name: '“Needed” was not deleted' });
      await refused.getByRole('link', { name: 'Needs it' }).waitFor();
      await button(refused, 'Close').first().click();

      await remove('Needs it');
      const card = page.getByRole('list', { name: 'Agents' }).getByRole('link', { name: 'Needs it' });
      await card.waitFor({ state: 'detached' });
      await button(page, 'Undo').click();
      await card.waitFor();
    });
  });
