import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookSignature } from '../../api/hooks.ts';
import type { Product, Visitor, Workplace } from './product.ts';
import { untilRun } from './sights.ts';

export const triggerMakers = (product: () => Product) =>
  describe('Somebody whose work begins by itself', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Triggers');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('makes a schedule, is told what is wrong with it, sees its next times, runs it now, and pauses it', async () => {
      product().system.model.script('scheduled', [{ text: 'Good morning.' }]);
      const { page } = visitor;
      await page.goto('/triggers');
      await page.getByRole('heading', { name: 'No schedules yet' }).waitFor();
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'New schedule' });
      await dialog.getByLabel('Name').fill('Morning summary');
      await dialog.getByLabel('Runs').selectOption({ index: 1 });
      await dialog.getByLabel('Cron expression').fill('61 9 * * *');
      await dialog.getByText('Invalid value for minute').waitFor();
      expect(await dialog.getByRole('button', { name: 'Make schedule' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Cron expression').fill('0 9 * * 1-5');
      await dialog.getByLabel('Time zone').fill('Europe/Berlin');
      await dialog.getByText('At 09:00, Monday through Friday').waitFor();
      const times = dialog.getByRole('list', { name: 'Next five times' }).getByRole('listitem');
      expect(await times.count()).toBe(5);
      for (const time of await times.allTextContents()) expect(time).toMatch(/^(Mon|Tue|Wed|Thu|Fri).*09:00/);
      await dialog.getByLabel('Input', { exact: true }).fill('[script:scheduled] Good morning');
      await dialog.getByRole('button', { name: 'Make schedule' }).click();

      const row = page.getByRole('list', { name: 'Schedules' }).getByRole('listitem');
      await row.getByText('At 09:00, Monday through Friday').waitFor();
      await row.getByRole('button', { name: 'Run now: Morning summary' }).click();
      await page.getByRole('button', { name: 'See run' }).click();
      await untilRun(page, 'Completed');
      await page.goto('/triggers');
      await row.getByRole('button', { name: 'More about Morning summary' }).click();
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await row.getByText('Paused', { exact: true }).waitFor();
    });

    it('makes a webhook, subscribes an agent, sends to it, reads what came of it, and has it delivered again', async () => {
      const { model } = product().system;
      model.script('hooked', [{ text: 'Ticket seen.' }]);
      const { page } = visitor;
      await page.goto('/triggers?view=webhooks');
      await page.getByRole('button', { name: 'Make the first webhook' }).click();
      const making = page.getByRole('dialog', { name: 'New webhook' });
      await making.getByLabel('Name').fill('Tickets');
      await making.getByRole('button', { name: 'Make webhook' }).click();
      const told = page.getByRole('dialog', { name: 'Secret of Tickets' });
      const [secret = ''] = /whsec_[\w-]{43}/.exec((await told.textContent()) ?? '') ?? [];
      await told.getByRole('button', { name: 'I have it' }).click();

      const card = page.getByRole('article', { name: 'Tickets' });
      await card.getByRole('button', { name: 'Subscribe to Tickets' }).click();
      const dialog = page.getByRole('dialog', { name: 'Subscribe to Tickets' });
      await dialog.getByLabel('Name').fill('New tickets');
      await dialog.getByLabel('Runs').selectOption({ index: 1 });
      await dialog.getByLabel('Only where').fill('ticket.id');
      await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click();
      await dialog.getByText('there is no ticket here').waitFor();
      await dialog.getByLabel('Only where').fill('payload.ticket.id');
      await dialog.getByLabel('Input mapping').fill('[script:hooked] Ticket {{ payload.ticket.id }}');
      await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click();
      await card.getByText('only where payload.ticket.id').waitFor();

      const [address = ''] = /https?:\S+?\/hooks\/src_\w{26}/.exec((await card.textContent()) ?? '') ?? [];
      const [body, at] = ['{"ticket":{"id":42}}', String(Math.floor(Date.now() / 1000))];
      const headers = {
        'content-type': 'application/json',
        'x-longhaul-timestamp': at,
        'x-longhaul-signature': `v1=${hookSignature(secret, at, Buffer.from(body))}`,
        'x-longhaul-delivery': 'ticket-42',
      };
      expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(202);
      const line = page.getByRole('region', { name: 'Deliveries' }).getByRole('button', { name: /ticket-42/ });
      await line.click();
      await page.getByText('Ticket seen.').waitFor();
      model.script('hooked', [{ text: 'Seen again.' }]);
      await page.getByRole('button', { name: 'Deliver again' }).click();
      await page.getByText('Seen again.').waitFor();
    });
  });
