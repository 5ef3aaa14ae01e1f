import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor } from './product.ts';
import { hasFocus } from './sights.ts';

const card = (page: Page): Locator => page.getByRole('region', { name: 'Which one?' });
const conversation = (page: Page): Locator => page.getByRole('region', { name: 'Conversation' });

async function ask(page: Page, text: string): Promise<void> {
  await page.goto('/chat');
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Let Longhaul choose' });
  await page.getByLabel('Message').fill(text);
  await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  await page.getByLabel('Message').press('Enter');
}

export const dispatching = (product: () => Product) =>
  describe('Somebody who does not know whom to ask', () => {
    let visitor: Visitor;
    beforeAll(async () => {
      const { call } = product().system;
      const place = await product().workplace('Dispatch');
      const agents = {
        'Letter writer': 'Writes letters and mails to partners from notes',
        Translator: 'Translates letters and mails into other languages',
        'Trip planner': 'Plans journeys: trains, hotels and an itinerary',
      };
      for (const [name, description] of Object.entries(agents)) {
        const body = { workspace_id: place.id, name, description, model: 'gpt-test', visibility: 'workspace' };
        await call('POST', '/agents', body);
      }
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('is asked which one where that is not clear, and goes on with a key or a click', async () => {
      const { model } = product().system;
      model.script('mail', [{ text: 'Dear partners.' }]);
      const { page } = visitor;
      await ask(page, '[script:mail] mails');
      const first = card(page).getByRole('button').first();
      await expect.poll(() => hasFocus(first)).toBe(true);
      await card(page)
        .getByRole('button', { name: /^1?Letter writer.*Writes letters.*It speaks of “mail/ })
        .waitFor();
      await card(page)
        .getByRole('button', { name: /Translator/ })
        .click();
      await conversation(page).getByText('Dear partners.').waitFor();
      await page.getByText(/^You chose Translator/).waitFor();
      model.assertDone('mail');
    });

    it('is spared the question where it is clear, and told who was chosen and why', async () => {
      const { model } = product().system;
      model.script('trip', [{ text: 'By train, then.' }]);
      const { page } = visitor;
      await ask(page, '[script:trip] Plan a journey with trains and hotels');
      await conversation(page).getByText('By train, then.').waitFor();
      await page.getByText(/^Longhaul chose Trip planner \(Almost certain.*“trains”/).waitFor();
      model.assertDone('trip');
    });

    it('is not offered what is switched off in the settings, and chooses by hand where nothing fits', async () => {
      const { page } = visitor;
      await page.goto('/settings#dispatcher');
      const agents = page.getByRole('region', { name: /^Agents All/ });
      await agents.getByText('Only these').click();
      await page.getByRole('checkbox', { name: 'Translator' }).uncheck();
      await page.getByRole('region', { name: 'Agents 4 of 5' }).waitFor();
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.reload();
      await page.getByRole('region', { name: 'Agents 4 of 5' }).waitFor();
      const { model } = product().system;
      model.script('key', [{ text: 'Chosen by key.' }]);
      await ask(page, '[script:key] mails');
      await card(page)
        .getByRole('button', { name: /Letter writer/ })
        .waitFor();
      expect(await card(page).getByText('Translator').count()).toBe(0);
      // A key that was on its way when the card came chooses nothing: it is pressed until it is heard.
      await expect
        .poll(async () => {
          await page.keyboard.press('1');
          return conversation(page).isVisible();
        })
        .toBe(true);
      await conversation(page).getByText('Chosen by key.').waitFor();
      model.assertDone('key');

      await ask(page, 'xylophones');
      await page.getByRole('alert').getByText('Nothing fits').waitFor();
      await page.getByRole('button', { name: 'Choose an agent yourself' }).click();
      await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('xylophones');
      await page.getByText(/^Talk to /).waitFor();
    });
  });
