import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { addedMemberSchema, Me } from '../../domain/identity.ts';
import type { Product, Visitor, Workplace } from './product.ts';
import { addedLines, hasFocus } from './sights.ts';

const LONG = Array.from({ length: 80 }, (_, word) => `${word + 1}–${'äß→“”'.charAt(word % 5)}`).join(' ');

const conversation = (page: Page): Locator => page.getByRole('region', { name: 'Conversation' });
const line = (page: Page): Locator => page.getByLabel('Message');
const approvalOf = (page: Page, path: string): Locator =>
  page.getByRole('region', { name: new RegExp(`^Approval: (Write|Create) ${path}$`) });
const untilChat = (page: Page, status: string): Promise<void> =>
  page.getByText(`Chat status: ${status}`, { exact: true }).waitFor();
/** As they are rendered: the parser of Markdown comes a moment after the first text. */
const answers = async (page: Page): Promise<string[]> =>
  (await conversation(page).locator('.prose').allTextContents()).map((text) => text.trim());

async function say(page: Page, text: string): Promise<void> {
  await line(page).fill(text);
  await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  await line(page).press('Enter');
}

async function begin(page: Page, text: string): Promise<void> {
  await page.goto('/chat');
  await say(page, text);
  await conversation(page).getByText(text).waitFor();
}

export const chat = (product: () => Product) =>
  describe('Somebody who talks to an agent', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Chat');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    const write = (path: string) => ({ name: 'write_file', arguments: { path, content: `${path}\n` } });
    const sent = (script: string, at: number) =>
      JSON.stringify(product().system.model.callsOf(script, at)[0]?.request.messages);

    it('asks for a summary of the experiments, allows what is shown and finds the file; refuses, and is told so', async () => {
      const { system } = product();
      const { workspaces } = await system.call<Me>('GET', '/me');
      const sample = workspaces.find(({ name }) => !name.match(/ \d+$|^Crash$/));
      const member = { email: 'chat-sample@longhaul.test', name: 'Robin', role: 'write' };
      const added = await system.call<z.infer<typeof addedMemberSchema>>(
        'POST',
        `/workspaces/${sample?.id}/members`,
        member,
      );
      const scientist = await product().visitor(added.sign_in_link ?? '');
      const { page } = scientist;
      await page.getByRole('heading', { level: 1, name: /Home|Welcome/ }).waitFor();
      const file = (path: string): string => join(system.home, 'notebooks', 'sample', path);

      await begin(page, 'Summarize the experiments into drafts/weekly-summary.md');
      const card = approvalOf(page, '/drafts/weekly-summary.md');
      await card.waitFor();
      const shown = await addedLines(card);
      expect(shown[0]).toBe('# Summary');
      await expect(access(file('drafts/weekly-summary.md'))).rejects.toThrow('ENOENT');
      await card.getByRole('button', { name: 'Allow', exact: true }).click();
      await untilChat(page, 'Completed');
      await conversation(page).getByText('I wrote a summary of').waitFor();
      expect(await readFile(file('drafts/weekly-summary.md'), 'utf8')).toBe(`${shown.join('\n')}\n`);
      await conversation(page)
        .getByRole('button', { name: /^Read \d+ files/ })
        .first()
        .waitFor();

      await begin(page, 'Summarize all the experiments from last week and create a summary.md file');
      await approvalOf(page, '/summary.md').getByRole('button', { name: 'Deny' }).click();
      await page.getByLabel('Reason').fill('we tried that in March');
      await page.getByRole('button', { name: 'Deny action' }).click();
      await untilChat(page, 'Completed');
      await conversation(page)
        .getByText(/you refused it .*we tried that in March.* Nothing was written\./)
        .waitFor();
      await expect(access(file('summary.md'))).rejects.toThrow('ENOENT');
      await scientist.leave();
    });

    it('goes on in the same conversation, which knows what was said before, with what is pinned', async () => {
      const { model } = product().system;
      model.script('talks', [{ text: 'There are twelve lamps.' }, { text: 'Four of them are blue.' }]);
      const { page } = visitor;
      await page.goto('/chat');
      await page.getByRole('button', { name: 'Pin a file' }).click();
      await page.getByLabel('File to pin').fill('notes:1-1');
      await page.getByRole('listbox', { name: 'Files' }).getByRole('option', { name: '/notes.md' }).waitFor();
      await page.keyboard.press('Enter');
      const pinned = page.getByRole('button', { name: '/notes.md:1: take away' });
      await pinned.waitFor();
      await say(page, '[script:talks] How many lamps are there?');
      await conversation(page).getByText('There are twelve lamps.').waitFor();
      await untilChat(page, 'Completed');
      expect(sent('talks', 0), 'the pinned line was given').toContain('# Notes');

      await pinned.focus();
      await page.keyboard.press('Delete');
      await pinned.waitFor({ state: 'detached' });
      await say(page, 'And how many of them are blue?');
      await conversation(page).getByText('Four of them are blue.').waitFor();
      await untilChat(page, 'Completed');
      expect(sent('talks', 1)).toContain('There are twelve lamps.');
      expect(sent('talks', 1)).toContain('And how many of them are blue?');
      expect(sent('talks', 1), 'nothing is pinned any more').not.toContain('# Notes');

      await page.reload();
      await conversation(page).getByText('Four of them are blue.').waitFor();
      await expect.poll(() => answers(page)).toEqual(['There are twelve lamps.', 'Four of them are blue.']);
      await page
        .getByRole('navigation', { name: 'Chats' })
        .getByRole('link', { name: /How many lamps/ })
        .waitFor();
      model.assertDone('talks');
    });

    it('allows a tool for this session, by hand once and by nobody after that', async () => {
      const { model } = product().system;
      model.script('once', [
        { tool_calls: [write('/first.md')] },
        { text: 'The first is written.' },
        { tool_calls: [write('/second.md')] },
        { text: 'The second is written.' },
      ]);
      const { page } = visitor;
      await begin(page, '[script:once] Write the first.');
      await approvalOf(page, '/first.md').getByRole('button', { name: 'Allow for this session' }).click();
      await conversation(page).getByText('The first is written.').waitFor();
      await untilChat(page, 'Completed');
      await say(page, 'Write the second.');
      await conversation(page).getByText('The second is written.').waitFor();
      await untilChat(page, 'Completed');
      expect(await readFile(join(place.root, 'second.md'), 'utf8')).toBe('/second.md\n');
      model.assertDone('once');
    });

    it('steers while it works, decides by keyboard, and stops it with Escape twice', async () => {
      const { model } = product().system;
      model.script('steered', [{ text: LONG, tool_calls: [write('/steered.md')] }, { text: `Then ${LONG}` }]);
      const release = model.hold('steered', 0, 20);
      const { page } = visitor;
      await begin(page, '[script:steered] Begin.');
      await conversation(page).getByText(LONG.slice(0, 40)).waitFor();
      await page.getByText('It is working: your message will be read at its next step.').waitFor();
      await say(page, 'Mind the cables');
      await conversation(page).getByText('Mind the cables').waitFor();
      model.hold('steered', 1, 20);
      release();

      const card = approvalOf(page, '/steered.md');
      await card.waitFor();
      await expect.poll(() => hasFocus(card)).toBe(true);
      // A key that was meant for the message, and came a moment late, decides nothing: it is pressed until it is heard.
      await expect
        .poll(async () => {
          await page.keyboard.press('d');
          return page.getByLabel('Reason').isVisible();
        })
        .toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('a');
      await conversation(page).getByText('Then 1–').waitFor();
      expect(sent('steered', 1)).toContain('Mind the cables');
      expect(await conversation(page).getByText('Mind the cables').count()).toBe(1);

      await page.keyboard.press('Escape');
      await page.getByText('Esc once more stops it.').waitFor();
      await page.keyboard.press('Escape');
      await untilChat(page, 'Cancelled');
      await conversation(page).getByText('Stopped.').waitFor();
    });

    it('answers from the inbox, and goes from there to the chat', async () => {
      const { model } = product().system;
      model.script('inbox', [{ tool_calls: [write('/inbox.md')] }, { text: 'Written from afar.' }]);
      const { page } = visitor;
      await begin(page, '[script:inbox] Write it.');
      await approvalOf(page, '/inbox.md').waitFor();
      const inbox = await visitor.open('/inbox');
      await approvalOf(inbox, '/inbox.md').getByRole('button', { name: 'Allow for this session' }).waitFor();
      await inbox.getByRole('link', { name: 'Open chat' }).waitFor();
      await approvalOf(inbox, '/inbox.md').getByRole('button', { name: 'Allow', exact: true }).click();
      await conversation(page).getByText('Written from afar.').waitFor();
      await untilChat(page, 'Completed');
      await inbox.close();
    });

    it('[13] sees an answer come through kill -9 of the worker: every word once, and no reload', async () => {
      const { system } = product();
      system.model.script('chat-survives', [{ text: LONG }]);
      const release = system.model.hold('chat-survives', 0, 30);
      const { page } = visitor;
      await begin(page, '[script:chat-survives] Go on whatever happens.');
      await conversation(page).getByText(LONG.slice(0, 40)).waitFor();
      await page.evaluate('window.isSamePage = true');
      await system.kill('worker-1');
      release();
      await untilChat(page, 'Completed');
      await expect.poll(() => answers(page)).toEqual([LONG]);
      expect(await page.evaluate('window.isSamePage')).toBe(true);
    });
  });
