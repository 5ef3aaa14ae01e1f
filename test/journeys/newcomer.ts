import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor } from './product.ts';
import { addedLines, approval, details, row, untilRun } from './sights.ts';

export const newcomer = (product: () => Product) =>
  describe('Somebody new, with the demo model', () => {
    let visitor: Visitor;
    const sample = (path: string): string => join(product().system.home, 'notebooks', 'sample', path);

    beforeAll(async () => {
      visitor = await product().visitor(product().system.sign_in_link);
      const { page } = visitor;
      await page.getByRole('heading', { level: 1, name: 'Welcome, Owner' }).waitFor();
      await page.getByText('demo model, rule-based, not an LLM').waitFor();
      expect(new URL(page.url()).href, 'the one-time token has left the address').toBe(`${product().system.url()}/`);
    });
    afterAll(() => visitor.leave());

    async function tryIt(card: string): Promise<Page> {
      const page = await visitor.open('/');
      await page.getByRole('button', { name: `Try it: ${card}` }).click();
      await page.getByText('rule-based, not an LLM').first().waitFor();
      return page;
    }

    /** All at once, as somebody with several tabs would: the run whose worker is killed lasts longest, and the others go on through it. */
    describe.concurrent('tries what the home page offers:', () => {
      it('asks, and gets an answer with every step that led to it', async () => {
        const page = await tryIt('Ask');
        // The worker that is killed beside it may be the one at work here.
        await page.getByText('Chat status: Completed').waitFor();
        await page.getByText(/^\d+ open points in \d+ files\.$/).waitFor();
        await page.getByRole('link', { name: 'View run details' }).click();
        await untilRun(page, 'Completed');
        await row(page, /^List \//).waitFor();
        await row(page, /^Read \d+ files/)
          .first()
          .click();
        await row(page, 'Read /README.md').click();
        await details(page).getByText('Lab journal of a small series').waitFor();
      });

      it('allows a change, and gets the file that was shown', async () => {
        const page = await tryIt('Approve');
        const card = approval(page, 'Create /drafts/summary.md');
        await card.waitFor();
        const shown = await addedLines(card);
        expect(shown[0]).toBe('# Summary');
        await card.getByRole('button', { name: 'Allow', exact: true }).click();
        await page.getByText('Chat status: Completed').waitFor();
        await page.getByText('I wrote a summary of').waitFor();
        expect(await readFile(sample('drafts/summary.md'), 'utf8')).toBe(`${shown.join('\n')}\n`);
      });

      it('denies a change with a reason: the answer says so, and there is no file', async () => {
        const page = await visitor.open('/');
        await page.getByRole('button', { name: 'New run' }).last().click();
        const composer = page.getByRole('dialog', { name: 'New run' });
        await composer.getByText('rule-based, not an LLM').waitFor();
        await composer.getByLabel('What should it do?').fill('Create notes/idea.md with "Try a longer soak"');
        await composer.getByRole('button', { name: 'Start run' }).click();
        const card = approval(page, 'Create /notes/idea.md');
        await card.getByRole('button', { name: 'Deny' }).click();
        await card.getByLabel('Reason').fill('we tried that in March');
        await card.getByRole('button', { name: 'Deny action' }).click();
        await untilRun(page, 'Completed');
        await details(page)
          .getByText(/you refused it .*we tried that in March.* Nothing was written\./)
          .waitFor();
        await row(page, 'Denied by Owner: we tried that in March').waitFor();
        await expect(access(sample('notes/idea.md'))).rejects.toThrow('ENOENT');
      });

      it('kills the worker in the middle of a long run, and watches it go on to the end', async () => {
        const page = await tryIt('Kill the worker');
        await row(page, /^Read \//)
          .nth(2)
          .waitFor();
        await product().system.kill('worker-1');
        await untilRun(page, 'Completed');
        await details(page)
          .getByText(/^I read all \d+ files, one by one\.$/)
          .waitFor();
      });
    });

    it('makes a workspace of its own and is brought to where notebooks are added', async () => {
      const page = await visitor.open('/');
      await page.getByRole('button', { name: /^Workspace: / }).click();
      await page.getByRole('menuitem', { name: 'New workspace' }).click();
      const form = page.getByRole('dialog', { name: 'New workspace' });
      await form.getByRole('textbox', { name: 'Name' }).fill('Field research');
      await form.getByRole('button', { name: 'Create workspace' }).click();
      await page.getByRole('button', { name: 'Workspace: Field research' }).waitFor();
      await page.getByRole('heading', { name: 'Notebooks' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/settings');
    });
  });
