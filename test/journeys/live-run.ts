import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor, Workplace } from './product.ts';
import { approval, details, row, said, untilRun } from './sights.ts';

const QUESTION = 'Which lamps did you mean?';
const LONG = 'Before anything is moved I look at where the twelve lamps stand today, and who put them there.';
const write = (path: string) => [
  { tool_calls: [{ name: 'write_file', arguments: { path, content: `${path}\n` } }] },
  { text: `Wrote ${path}.` },
];

export const liveRun = (product: () => Product) =>
  describe('Somebody who watches a run', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Watch');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    async function openRun(script: string): Promise<Page> {
      await visitor.page.goto(`/runs/${await place.start(script)}`);
      return visitor.page;
    }

    it('reads the answer while it is written, steers, answers a question and skips another', async () => {
      const { model } = product().system;
      const ask = { tool_calls: [{ name: 'clarify_user', arguments: { question: QUESTION } }] };
      model.script('watched', [{ text: LONG, ...ask }, ask, { text: 'Only the blue ones, then.' }]);
      const release = model.hold('watched', 0, 8);
      const page = await openRun('watched');
      await details(page).getByText('Before anything is moved I look').waitFor();
      expect(LONG.startsWith(await said(page)) && (await said(page)) !== LONG, 'a beginning, not the whole').toBe(true);

      await page.getByLabel('Message to the run').fill('Mind the cables');
      await page.keyboard.press('Enter');
      await row(page, 'Robin Mind the cables').waitFor();
      release();

      const card = page.getByRole('region', { name: 'Question' });
      await untilRun(page, 'Waits for answer');
      await card.getByLabel('Your answer').fill('The blue ones');
      await card.getByRole('button', { name: 'Answer' }).click();
      await row(page, 'The blue ones').waitFor();
      await untilRun(page, 'Waits for answer');
      await card.getByRole('button', { name: 'Skip' }).click();
      await untilRun(page, 'Completed');
      expect(await said(page)).toBe('Only the blue ones, then.');
      await row(page, LONG).waitFor();

      const [second, third] = [1, 2].map((at) => JSON.stringify(model.callsOf('watched', at)[0]?.request.messages));
      expect(second).toContain('The blue ones');
      expect(second).toContain('Mind the cables');
      expect(third).toContain('no_user_answer');
      model.assertDone('watched');
    });

    it('[15.5] changes what is to be written, is shown it like that, and allows what was shown', async () => {
      const { model } = product().system;
      model.script('changed', write('/changed.md'));
      const page = await openRun('changed');
      const card = approval(page, 'Write /changed.md');
      await card.getByRole('button', { name: 'Edit' }).click();
      await card.getByRole('textbox', { name: 'content' }).fill('as I want it\n');
      await card.getByRole('button', { name: 'Preview' }).click();
      await card.getByText('as I want it').waitFor();
      await card.getByRole('button', { name: 'Edit' }).click();
      await card.getByRole('textbox', { name: 'path' }).fill('/../changed.md');
      await card.getByRole('button', { name: 'Preview' }).click();
      await card.getByRole('alert').getByText('leaves the notebook').waitFor();
      await card.getByText('as I want it').waitFor();
      await card.getByRole('button', { name: 'Allow', exact: true }).click();
      await untilRun(page, 'Completed');
      expect(await readFile(join(place.root, 'changed.md'), 'utf8')).toBe('as I want it\n');
      model.assertDone('changed');
    });

    it('cancels it in the middle of an answer', async () => {
      const { model } = product().system;
      model.script('cancelled', [{ text: LONG }]);
      model.hold('cancelled', 0, 5);
      const page = await openRun('cancelled');
      await details(page).getByText('Before anything').waitFor();
      await page.getByRole('button', { name: 'Cancel run' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Yes, cancel it' }).click();
      await untilRun(page, 'Cancelled');
      await page.getByText('This run has ended.').waitFor();
      await model.settled('cancelled');
      expect(model.count('cancelled')).toMatchObject({ calls: 1, aborted: 1 });
    });

    it('has the inbox count and the list of runs change under the eyes, and allows by keyboard', async () => {
      const { model } = product().system;
      const inbox = visitor.page;
      await inbox.goto('/inbox');
      const runs = await visitor.open('/runs');
      await inbox.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
      for (const page of [inbox, runs]) await page.evaluate('window.isSamePage = true');
      const count = (name: string) =>
        runs.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).waitFor();
      const run = (script: string) => runs.getByRole('row').filter({ hasText: `[script:${script}]` });

      for (const script of ['first', 'second', 'third']) {
        model.script(script, write(`/${script}.md`));
        await place.start(script);
        await approval(inbox, `Write /${script}.md`).waitFor();
        await run(script).getByText('Waits for approval').waitFor();
      }
      await count('Inbox 3 waiting');

      // From the first to the second and third, back to the second, and that one is allowed.
      const chosen = (script: string) =>
        inbox
          .locator('[aria-current="true"]')
          .filter({ has: approval(inbox, `Write /${script}.md`) })
          .waitFor();
      await chosen('first');
      for (const [key, script] of [
        ['j', 'second'],
        ['j', 'third'],
        ['k', 'second'],
      ] as const) {
        await inbox.keyboard.press(key);
        await chosen(script);
      }
      await inbox.keyboard.press('a');
      await approval(inbox, 'Write /second.md').waitFor({ state: 'detached' });
      await run('second').getByText('Completed').waitFor();
      await count('Inbox 2 waiting');
      expect(await readFile(join(place.root, 'second.md'), 'utf8')).toBe('/second.md\n');

      await chosen('third');
      await inbox.keyboard.press('a');
      await chosen('first');
      await inbox.keyboard.press('a');
      await inbox.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
      await count('Inbox');
      for (const script of ['first', 'third']) await run(script).getByText('Completed').waitFor();
      for (const page of [inbox, runs]) expect(await page.evaluate('window.isSamePage')).toBe(true);
      model.assertDone('first', 'second', 'third');
    });
  });
