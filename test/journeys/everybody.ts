import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../../domain/agent.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { PHONE, type Product, type Visitor, WIDE, type Workplace } from './product.ts';
import { approval, hasFocus, untilRun } from './sights.ts';

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

const WCAG = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** All that a theme changes, and the slowest by far. */
const CONTRAST = { type: 'rule', values: ['color-contrast'] };
/** On a phone everything is elsewhere, in the same colours. */
const BUT_CONTRAST = { 'color-contrast': { enabled: false } };

/** What would keep somebody out: rules of WCAG A and AA that are broken seriously. */
async function broken(page: Page, runOnly: object, rules: object = {}): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly, rules });
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** In light, in the dark and on a phone, where nothing may lie beside the screen either. */
export async function barriers(page: Page, shows: string): Promise<string[]> {
  const isShown = () => page.getByText(shows).filter({ visible: true }).first().waitFor();
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  await isShown();
  const light = await broken(page, WCAG);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await broken(page, CONTRAST);
  await page.setViewportSize(PHONE);
  await isShown();
  const phone = await broken(page, WCAG, BUT_CONTRAST);
  const beside = await page.evaluate<number>('document.scrollingElement.scrollWidth - window.innerWidth');
  return [
    ...light.map((what) => `light: ${what}`),
    ...dark.map((what) => `dark: ${what}`),
    ...phone.map((what) => `phone: ${what}`),
    ...(beside > 0 ? [`phone: ${beside} px beside the screen`] : []),
  ];
}

/** As a link within the page leads there: to load all of it anew for every screen takes longer than to look at it. */
const moveTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    window.history.pushState(null, '', to);
    window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, path);

export const everybody = (product: () => Product) =>
  describe('Everybody can use it', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Everybody');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('has no barrier on any screen, in light, in the dark or on a phone', async () => {
      const { model, until, ended, call } = product().system;
      const path = '/a-rather-long-folder-name/another-rather-long-folder-name/a-file-with-a-rather-long-name.md';
      const content = `${'A line that is longer than any phone is wide. '.repeat(6)}\n`;
      model.script('asks', [{ text: 'May I?', tool_calls: [{ name: 'write_file', arguments: { path, content } }] }]);
      model.script('done', [{ text: '# Done\n\n| a | b |\n|---|---|\n| `x` | [y](https://longhaul.test) |' }]);
      const waiting = await place.start('asks');
      const done = await ended(await place.start('done'));
      await until(waiting, ({ status }) => status === 'awaiting_confirmation');

      const list = `/notebooks?workspace_id=${place.id}`;
      const [notebook] = (await product().system.call<{ items: Notebook[] }>('GET', list)).items;
      const { items } = await call<{ items: Agent[] }>('GET', `/agents?workspace_id=${place.id}`);
      const agent = items.find(({ is_builtin }) => !is_builtin);

      const { page } = visitor;
      model.script('chats', [{ text: 'May I?', tool_calls: [{ name: 'write_file', arguments: { path, content } }] }]);
      await page.goto('/chat');
      await page.getByLabel('Message').fill('[script:chats] Please.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('Nothing happens until you decide.').waitFor();
      const { pathname: talk } = new URL(page.url());
      const found: Record<string, string[]> = {};
      const screens = {
        '/': 'Nothing has failed.',
        '/runs': 'Waits for approval',
        [`/runs/${waiting}`]: 'Nothing happens until you decide.',
        [`/runs/${done.id}`]: 'This run has ended.',
        '/inbox': 'Nothing happens until you decide.',
        '/chat': 'Before it changes anything',
        [talk]: 'Nothing happens until you decide.',
        [`/runs/${done.id}/tree`]: '1 run',
        '/agents': 'Writes and creates, after asking.',
        '/agents/new': 'Begin with a template',
        [`/agents/${agent?.id}`]: 'What the model is told before anything else.',
        '/workflows': 'No workflows in this workspace',
        '/workflows/new': 'It can run as it is.',
        '/knowledge': 'No documents yet',
        '/tools': 'read_file',
        '/integrations/new': 'Schemas and mapping',
        '/mcp-servers': 'No MCP servers yet.',
        '/evaluators': 'No evaluators yet',
        [`/files/${notebook?.id}/`]: 'notes.md',
        [`/files/${notebook?.id}/notes.md`]: 'Read',
        [`/files/${notebook?.id}/notes.md#L1`]: 'Source',
        '/checkpoints': 'Nothing has been applied here yet',
        '/tasks': 'No tasks yet',
        '/triggers': 'No schedules yet',
        '/triggers?view=webhooks': 'No webhooks yet',
        '/activity': 'run.started',
        '/settings': 'No keys yet.',
      };
      await page.evaluate(axe);
      for (const [screen, shows] of Object.entries(screens)) {
        await moveTo(page, screen);
        found[screen] = await barriers(page, shows);
      }
      const stranger = await product().visitor('/sign-in');
      onTestFinished(() => stranger.leave());
      await stranger.page.evaluate(axe);
      found['/sign-in'] = await barriers(stranger.page, 'First time here?');
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((screen) => [screen, []])));
    });

    it('finds every page and action by its name, and what the keys do', async () => {
      const { page } = visitor;
      await page.setViewportSize(WIDE);
      await page.goto('/');
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      const palette = page.getByRole('dialog', { name: 'Search or run a command' });
      const take = async (text: string): Promise<void> => {
        await page.keyboard.press('Control+k');
        await palette.getByRole('combobox').fill(text);
        await page.keyboard.press('Enter');
        await palette.waitFor({ state: 'hidden' });
      };
      for (const [text, dialog] of [
        ['new task', 'New task'],
        ['new schedule', 'New schedule'],
        ['new webhook', 'New webhook'],
        ['keyboard', 'Keyboard shortcuts'],
      ] as const) {
        await take(text);
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      }
      await take('enabled tools');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Deny').waitFor();
      await page.keyboard.press('Escape');
    });

    it('starts a run and allows an action without a mouse', async () => {
      const { model } = product().system;
      model.script('keys', [
        { tool_calls: [{ name: 'write_file', arguments: { path: '/keys.md', content: 'by keyboard\n' } }] },
        { text: 'Written.' },
      ]);
      const { page } = visitor;
      await page.setViewportSize(WIDE);
      await page.goto('/settings');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await page.keyboard.press('c');
      const task = page.getByRole('dialog', { name: 'New run' }).getByLabel('What should it do?');
      await expect.poll(() => hasFocus(task)).toBe(true);
      await page.keyboard.type('[script:keys] Write it.');
      await expect.poll(() => page.getByRole('button', { name: 'Start run' }).isEnabled()).toBe(true);
      await page.keyboard.press('Control+Enter');
      const card = approval(page, 'Write /keys.md');
      await expect.poll(() => hasFocus(card)).toBe(true);
      const allow = card.getByRole('button', { name: 'Allow', exact: true });
      for (let tabs = 0; tabs < 4 && !(await hasFocus(allow)); tabs++) await page.keyboard.press('Tab');
      expect(await hasFocus(allow)).toBe(true);
      await page.keyboard.press('Enter');
      await untilRun(page, 'Completed');
      model.assertDone('keys');
    });

    it('hands the keyboard to what waits also where it is known before the record of its run', async () => {
      const { model, until } = product().system;
      const call = { name: 'write_file', arguments: { path: '/early.md', content: 'early\n' } };
      model.script('early', [{ tool_calls: [call] }, { text: 'Not written.' }]);
      const run = await place.start('early');
      await until(run, ({ status }) => status === 'awaiting_confirmation');
      const { page } = visitor;
      let release = () => {};
      const released = new Promise<void>((done) => {
        release = done;
      });
      const record = `**/api/v1/runs/${run}`;
      await page.route(record, async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`/runs/${run}`);
      const card = page.locator('[aria-label="Approval: Write /early.md"]');
      await card.waitFor({ state: 'attached' });
      expect(await hasFocus(card)).toBe(false);
      release();
      await expect.poll(() => hasFocus(card)).toBe(true);
      await page.unroute(record);
      await card.getByRole('button', { name: 'Deny' }).click();
      await card.getByRole('button', { name: 'Deny action' }).click();
      await untilRun(page, 'Completed');
      model.assertDone('early');
    });

    it('hands the keyboard to what began to wait behind a dialog', async () => {
      const { model } = product().system;
      const call = { name: 'write_file', arguments: { path: '/behind.md', content: 'behind\n' } };
      model.script('behind', [{ tool_calls: [call] }, { text: 'Not written.' }]);
      const release = model.hold('behind', 0, 1);
      const run = await place.start('behind');
      const { page } = visitor;
      await page.goto(`/runs/${run}`);
      await untilRun(page, 'Running');
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await keys.waitFor();
      release();
      // What lies behind a dialog has no role until it closes.
      const card = page.locator('[aria-label="Approval: Write /behind.md"]');
      await card.waitFor();
      expect(await hasFocus(card)).toBe(false);
      await page.keyboard.press('Escape');
      await keys.waitFor({ state: 'hidden' });
      await expect.poll(() => hasFocus(card)).toBe(true);
      await card.getByRole('button', { name: 'Deny' }).click();
      await card.getByRole('button', { name: 'Deny action' }).click();
      await untilRun(page, 'Completed');
      model.assertDone('behind');
    });
  });
