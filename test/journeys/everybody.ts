import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PHONE, type Product, type Visitor, WIDE, type Workplace } from './product.ts';
import { approval, untilRun } from './sights.ts';

interface Screen {
  name: string;
  path: () => string;
  /** There once the page is whole. */
  shows: string;
}

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

/** What would keep somebody out: the rules of WCAG A and AA that are broken seriously. */
async function barriers(page: Page, rules: object): Promise<string[]> {
  await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

const WCAG = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** All that a theme changes. */
const CONTRAST = { type: 'rule', values: ['color-contrast'] };

export const everybody = (product: () => Product) =>
  describe('Everybody can use it', () => {
    let place: Workplace;
    let visitor: Visitor;
    let waiting: string;
    beforeAll(async () => {
      place = await product().workplace('Everybody');
      const { model } = product().system;
      const path = '/a-rather-long-folder-name/another-rather-long-folder-name/a-file-with-a-rather-long-name.md';
      const content = `${'A line that is longer than any phone is wide. '.repeat(6)}\n`;
      model.script('asks', [{ text: 'May I?', tool_calls: [{ name: 'write_file', arguments: { path, content } }] }]);
      model.script('done', [{ text: '# Done\n\n| a | b |\n|---|---|\n| `x` | [y](https://longhaul.test) |' }]);
      visitor = await product().at(place);
      waiting = await place.start('asks');
      await product().system.ended(await place.start('done'));
      await product().system.until(waiting, ({ status }) => status === 'awaiting_confirmation');
    });
    afterAll(() => visitor.leave());

    const SCREENS: Screen[] = [
      { name: 'home', path: () => '/', shows: 'Nothing has failed.' },
      { name: 'runs', path: () => '/runs', shows: 'Waits for approval' },
      { name: 'a run that waits', path: () => `/runs/${waiting}`, shows: 'Nothing happens until you decide.' },
      { name: 'inbox', path: () => '/inbox', shows: 'Nothing happens until you decide.' },
      { name: 'agents', path: () => '/agents', shows: 'Writes and creates, after asking.' },
      { name: 'settings', path: () => '/settings', shows: 'No keys yet.' },
    ];

    async function isOpenToAll(page: Page, shows: string): Promise<void> {
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      expect(await barriers(page, WCAG), 'light').toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await barriers(page, CONTRAST), 'dark').toEqual([]);
      await page.setViewportSize(PHONE);
      await page.getByText(shows).filter({ visible: true }).first().waitFor();
      expect(await barriers(page, WCAG), 'on a phone').toEqual([]);
      const overhang = 'document.scrollingElement.scrollWidth - window.innerWidth';
      expect(await page.evaluate(overhang), 'nothing beside the screen of a phone').toBe(0);
      await page.close();
    }

    it.each(SCREENS)('$name: no barrier in light, dark or on a phone', async ({ path, shows }) => {
      await isOpenToAll(await visitor.open(path()), shows);
    });

    it('sign-in: no barrier in light, dark or on a phone', async () => {
      const stranger = await product().visitor();
      onTestFinished(() => stranger.leave());
      await isOpenToAll(await stranger.open('/sign-in'), 'First time here?');
    });

    it('starts a run and allows an action without a mouse', async () => {
      const { model } = product().system;
      model.script('keys', [
        { tool_calls: [{ name: 'write_file', arguments: { path: '/keys.md', content: 'by keyboard\n' } }] },
        { text: 'Written.' },
      ]);
      const page = await visitor.open('/runs');
      await page.setViewportSize(WIDE);
      await page.getByRole('row').first().waitFor();
      await page.keyboard.press('c');
      const task = page.getByRole('dialog', { name: 'New run' }).getByLabel('What should it do?');
      await expect.poll(() => task.evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.type('[script:keys] Write it.');
      await page.keyboard.press('Control+Enter');
      await approval(page, 'Write /keys.md').waitFor();
      const focused = () => page.evaluate('document.activeElement.innerText.trim()');
      for (let tabs = 0; tabs < 4 && (await focused()) !== 'Allow'; tabs++) await page.keyboard.press('Tab');
      expect(await focused()).toBe('Allow');
      await page.keyboard.press('Enter');
      await untilRun(page, 'Completed');
      model.assertDone('keys');
    });
  });
