import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Product, Visitor, Workplace } from './product.ts';

const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });
const field = (place: Page | Locator, name: string): Locator => place.getByRole('textbox', { name, exact: true });
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });
const versions = (page: Page): Locator => page.getByRole('list', { name: 'Versions' });

export const definitionKeepers = (product: () => Product) =>
  describe('Somebody who keeps tools', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Keepers');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('registers an integration, makes a tool of it, gives it to an agent, and is told who uses it', async () => {
      const { page } = visitor;
      await page.goto('/integrations');
      await page.getByText('No integrations yet').waitFor();
      await page.getByRole('link', { name: 'New integration' }).first().click();
      await field(page, 'Name').fill('tickets');
      await field(page, 'Address').fill('http://10.0.0.7/api');
      await field(page, 'Path').fill('/tickets/{id}');
      await button(page, 'Create').click();
      await page.getByText('it lies in a private network').first().waitFor();
      await field(page, 'Address').fill('https://tickets.example.org/api');
      await button(page, 'Create').click();
      await heading(page, 'tickets').waitFor();
      await page.getByRole('combobox', { name: 'Credential' }).fill('token');
      await page.getByLabel('Value', { exact: true }).fill('a-token-nobody-shall-see');
      await button(page, 'Set').click();
      await page.getByRole('list', { name: 'Credentials' }).getByText('token').waitFor();

      await page.goto('/tools');
      await page.getByRole('link', { name: 'New tool' }).click();
      await field(page, 'Name').fill('get_ticket');
      await page.getByLabel('Or choose').selectOption('integration:tickets/get');
      await field(page, 'What it is for').fill('Reads a ticket');
      await button(page, 'Create').click();
      await heading(page, 'get_ticket').waitFor();

      const agent = await product().system.call<Agent>('POST', '/agents', {
        workspace_id: place.id,
        name: 'Desk',
        model: 'gpt-test',
        visibility: 'workspace',
      });
      await page.goto(`/agents/${agent.id}`);
      await page.getByLabel('Add a tool').selectOption('get_ticket');
      await page.getByText('Without the right “Integrations” it is not offered get_ticket.').waitFor();
      await button(page, 'Save').click();
      await page.getByText('Saved as version 2').waitFor();
      expect((await product().system.call<Agent>('GET', `/agents/${agent.id}`)).tools).toEqual(['get_ticket']);

      await page.goto('/tools');
      await button(page, 'More about get_ticket').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const told = page.getByRole('dialog', { name: '“get_ticket” was not deleted' });
      await told.getByRole('link', { name: 'Desk' }).click();
      await heading(page, 'Desk').waitFor();
    });

    it('looks at what changed between two versions and goes back to the first, of a tool as of an agent', async () => {
      const { page } = visitor;
      const { call } = product().system;
      const tool = await call<{ id: string }>('POST', '/agents/tools', {
        workspace_id: place.id,
        name: 'look_up',
        description: 'Looks up',
        entrypoint: 'builtin:search_knowledge',
      });
      await page.goto(`/tools/${tool.id}`);
      await field(page, 'What it is for').fill('Looks up and quotes');
      await button(page, 'Save').click();
      await page.getByText('Saved as version 2').waitFor();
      await versions(page)
        .getByRole('button', { name: /Initial creation/ })
        .click();
      await page.getByRole('region', { name: 'Changes of description' }).getByText('Looks up and quotes').waitFor();
      await button(page, 'Roll back to version 1').click();
      await versions(page).getByText('Rolled back to version 1').waitFor();
      expect(await field(page, 'What it is for').inputValue()).toBe('Looks up');

      const { items } = await call<{ items: Agent[] }>('GET', `/agents?workspace_id=${place.id}`);
      const agent = items.find(({ name }) => name === 'Desk');
      await page.goto(`/agents/${agent?.id}`);
      await versions(page)
        .getByRole('button', { name: /Initial creation/ })
        .click();
      await button(page, 'Roll back to version 1').click();
      await versions(page).getByText('Rolled back to version 1').waitFor();
      expect((await call<Agent>('GET', `/agents/${agent?.id}`)).tools).toEqual([]);
    });

    it('finds the history of a workflow beside its steps, and goes back in it', async () => {
      const { page } = visitor;
      const { call } = product().system;
      const wait = (duration: number) => ({ steps: [{ id: 'rest', type: 'wait', duration }] });
      const { id } = await call<{ id: string }>('POST', '/agents/workflows', {
        workspace_id: place.id,
        name: 'Rests',
        ...wait(7),
      });
      await call('PUT', `/agents/workflows/${id}`, wait(8));
      await page.goto(`/workflows/${id}`);
      await button(page, 'History').click();
      await versions(page)
        .getByRole('button', { name: /Initial creation/ })
        .click();
      await button(page, 'Roll back to version 1').click();
      await versions(page).getByText('Rolled back to version 1').waitFor();
      expect(await call('GET', `/agents/workflows/${id}`)).toMatchObject({ version: 3, ...wait(7) });
      await button(page, 'Close').click();
      await page.getByRole('region', { name: 'YAML' }).getByText('7').first().waitFor();
    });
  });
