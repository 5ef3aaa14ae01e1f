import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor, Workplace } from './product.ts';
import { activity, details, row, said, untilLive, untilRun } from './sights.ts';

const VICTIMS = ['worker-1', 'api', 'mongod', 'temporal'];
/** The turn that nobody disturbs. */
const LAST = VICTIMS.length + 1;
const HELD_AFTER = 30;

/** Words that a lost, repeated or reordered piece could not leave as they are. */
const answer = (turn: number): string =>
  Array.from({ length: 60 }, (_, word) => `${turn}.${word + 1}–${'äß→“”'.charAt(word % 5)}`).join(' ');

/** The text of each turn, as this page shows it. */
async function transcript(page: Page): Promise<string[]> {
  const texts: string[] = [];
  for (let turn = 1; turn <= LAST; turn++) {
    await row(page, `${turn}.1–`).first().click();
    await details(page)
      .getByRole('heading', { name: `Turn ${turn}` })
      .waitFor();
    texts.push(await said(page));
  }
  return texts;
}

const nodes = (page: Page): Promise<string[]> =>
  activity(page)
    .getByRole('treeitem')
    .evaluateAll((items) => items.map((item) => item.id.replace('row-', '')));

export const survival = (product: () => Product) =>
  describe('[13] Somebody who keeps the page of a run open', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Survive');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('sees it come through kill -9 of each process in mid-answer: every word once, and no reload', async () => {
      const { system } = product();
      const script = VICTIMS.map((_, at) => ({ text: answer(at + 1), tool_calls: [{ name: 'list_files' }] }));
      system.model.script('survives', [...script, { text: answer(LAST) }]);
      const releases = VICTIMS.map((_, at) => system.model.hold('survives', at, HELD_AFTER));
      const { page } = visitor;
      await page.goto(`/runs/${await place.start('survives')}`);
      await page.evaluate(() => {
        // Every word the connection's dot ever says; also the mark of a page that was not loaded again.
        const seen: string[] = [];
        Object.assign(window, { seen });
        const dot = document.querySelector('[aria-label^="Connection: "]');
        const look = () => seen.push(dot?.getAttribute('aria-label')?.replace('Connection: ', '') ?? '');
        look();
        if (dot) new MutationObserver(look).observe(dot, { attributes: true, attributeFilter: ['aria-label'] });
      });

      for (const [at, victim] of VICTIMS.entries()) {
        await details(page)
          .getByText(answer(at + 1).slice(0, 40))
          .waitFor();
        await system.kill(victim);
        releases[at]?.();
      }
      await untilRun(page, 'Completed');
      await untilLive(page);

      const seen = await page.evaluate<string[]>('window.seen');
      expect(seen.join(', ')).toMatch(/Offline since [^,]+, Catching up, Live$/);
      const turns = VICTIMS.map((_, at) => at + 1);
      const once = ['input', ...turns.flatMap((turn) => [`turn-${turn}`, `call-${turn}-call_${turn - 1}_0`])];
      const expected = [...turns, LAST].map(answer);
      expect(await said(page)).toBe(answer(LAST));
      expect(await transcript(page)).toEqual(expected);
      expect(await nodes(page)).toEqual([...once, `turn-${LAST}`, 'end']);
      const fresh = await visitor.open(page.url());
      await expect.poll(() => nodes(fresh)).toEqual(await nodes(page));
      system.model.assertDone('survives');
    });
  });
