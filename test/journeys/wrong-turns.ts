import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiKey } from '../../domain/identity.ts';
import type { Product, Workplace } from './product.ts';
import { untilRun } from './sights.ts';

const PASSWORD = 'correct horse battery';

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export const wrongTurns = (product: () => Product) =>
  describe('Somebody who takes a wrong turn', () => {
    let place: Workplace;
    let run: string;
    beforeAll(async () => {
      place = await product().workplace('Wrong');
      product().system.model.script('wrong', [{ text: 'All is well.' }]);
      run = await place.start('wrong');
    });

    it('opens a link a second time, and is told where to get another', async () => {
      const used = await product().workplace('Used');
      await (await product().at(used)).leave();
      const visitor = await product().visitor();
      onTestFinished(() => visitor.leave());
      const page = await visitor.open(used.link);
      const note = page.getByRole('alert');
      await note.getByText('The sign-in link did not work').waitFor();
      await note.getByText('npm start').waitFor();
      await note.getByRole('button', { name: 'Copy request id' }).waitFor();
      await page.getByLabel('Password').waitFor();
    });

    it('has no password that fits, then one; and comes back to where the session ended', async () => {
      const visitor = await product().at(place);
      onTestFinished(() => visitor.leave());
      const page = await visitor.open('/settings');
      await page.getByLabel('New password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed').waitFor();

      // A session that ends by itself is the same to the page as one whose key is revoked.
      await page.getByLabel('Key name').fill('Borrowed');
      await page.getByRole('button', { name: 'Create key' }).click();
      const shown = await page.getByRole('button', { name: 'Copy API key' }).getAttribute('title');
      const key = shown?.replace('Copy ', '') ?? '';
      await page.evaluate((token) => localStorage.setItem('longhaul.token', token), key);
      await page.goto(`/runs/${run}`);
      await untilRun(page, 'Completed');
      await revoke(product().system.url(), key);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();

      await signIn(page, place.member, 'not the password');
      const note = page.getByRole('alert');
      await note.getByText('You are not signed in').waitFor();
      await note.getByText(/Check the e-mail address and the password/).waitFor();
      await signIn(page, place.member, PASSWORD);
      await page.getByRole('row').filter({ hasText: '[script:wrong]' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/runs');
    });

    it("follows a link to somebody else's run, and learns no more than that there is none for them", async () => {
      const stranger = await product().workplace('Stranger');
      const visitor = await product().at(stranger);
      onTestFinished(() => visitor.leave());
      const page = await visitor.open(`/runs/${run}`);
      await page.getByRole('heading', { level: 1, name: 'No such run' }).waitFor();
      const note = page.getByRole('alert');
      await note.getByText('you are a member of the workspace').waitFor();
      await note.getByRole('button', { name: 'Copy request id' }).waitFor();
      expect(await page.locator('body').textContent()).not.toContain('[script:wrong]');
    });
  });

async function revoke(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(`${url}/api/v1/api-keys`, { headers });
  const { items } = (await reply.json()) as { items: ApiKey[] };
  const own = items.find(({ name }) => name === 'Borrowed');
  await fetch(`${url}/api/v1/api-keys/${own?.id}`, { method: 'DELETE', headers });
}
