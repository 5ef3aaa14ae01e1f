import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiKey } from '../../domain/identity.ts';
import type { Product, Workplace } from './product.ts';

const PASSWORD = 'correct horse battery';

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const menu = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

export const wrongTurns = (product: () => Product) =>
  describe('Somebody who takes a wrong turn', () => {
    let place: Workplace;
    beforeAll(async () => {
      place = await product().workplace('Wrong');
    });

    it('opens a link a second time and has no password that fits; both times the page says what to do', async () => {
      const visitor = await product().at(place);
      onTestFinished(() => visitor.leave());
      await menu(visitor.page, 'Settings').click();
      await visitor.page.getByLabel('New password').fill(PASSWORD);
      await visitor.page.getByRole('button', { name: 'Change password' }).click();
      await visitor.page.getByText('Password changed').waitFor();

      const again = await product().visitor(place.link);
      onTestFinished(() => again.leave());
      const note = again.page.getByRole('alert');
      await note.getByText('The sign-in link did not work').waitFor();
      await note.getByText('Ask whoever invited you for a new one').waitFor();
      await note.getByRole('button', { name: 'Copy request id' }).waitFor();
      await signIn(again.page, place.member, 'not the password');
      await note.getByText('You are not signed in').waitFor();
      await note.getByText('Check the e-mail address and the password').waitFor();
      await signIn(again.page, place.member, PASSWORD);
      await again.page.getByRole('heading', { level: 1, name: 'Welcome, Robin' }).waitFor();

      // To the page, a session that has expired is the same as one that lives on a key and has it revoked.
      const key = await newKey(again.page);
      await again.page.evaluate((token) => localStorage.setItem('longhaul.token', token), key);
      await again.page.goto('/agents');
      await again.page.getByText('Writes and creates, after asking.').first().waitFor();
      await revoke(product().system.url(), key);
      // By its address: the page may have noticed by itself, and then there is no menu to click in.
      await again.page.goto('/runs');
      await signIn(again.page, place.member, PASSWORD);
      await again.page.getByRole('heading', { name: 'No runs yet' }).waitFor();
      expect(new URL(again.page.url()).pathname, 'back to where the session ended').toBe('/runs');
    });

    it('opens a screen of which a part is missing: the rest stays, and it comes by itself once it can be had', async () => {
      const visitor = await product().at(await product().workplace('Parts'));
      onTestFinished(() => visitor.leave());
      const { page } = visitor;
      await page.route('**/assets/TriggersPage-*.js', (route) => route.abort());
      await menu(page, 'Triggers').click();
      await page.getByRole('heading', { name: 'A part of the page could not be fetched' }).waitFor();
      await menu(page, 'Agents').click();
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
      await menu(page, 'Triggers').click();
      await page.unroute('**/assets/TriggersPage-*.js');
      await page.getByRole('heading', { level: 1, name: 'Triggers' }).waitFor();
    });

    it("follows a link to somebody else's run, and learns no more than that there is none for them", async () => {
      const stranger = await product().at(await product().workplace('Stranger'));
      onTestFinished(() => stranger.leave());
      product().system.model.script('foreign', [{ text: 'Nobody else is told.' }]);
      await stranger.page.goto(`/runs/${await place.start('foreign')}`);
      await stranger.page.getByRole('heading', { level: 1, name: 'No such run' }).waitFor();
      const note = stranger.page.getByRole('alert');
      await note.getByText('you are a member of the workspace').waitFor();
      await note.getByRole('button', { name: 'Copy request id' }).waitFor();
      expect(await stranger.page.locator('body').textContent()).not.toMatch(/foreign|Nobody else/);
    });
  });

async function newKey(page: Page): Promise<string> {
  await menu(page, 'Settings').click();
  await page.getByLabel('Key name').fill('Borrowed');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = await page.getByRole('button', { name: 'Copy API key' }).getAttribute('title');
  return shown?.replace('Copy ', '') ?? '';
}

async function revoke(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(`${url}/api/v1/api-keys`, { headers });
  const { items } = (await reply.json()) as { items: ApiKey[] };
  const own = items.find(({ name }) => name === 'Borrowed');
  await fetch(`${url}/api/v1/api-keys/${own?.id}`, { method: 'DELETE', headers });
}
