import type { Locator, Page } from 'playwright-core';

/** Where things are on the page, in the words a screen reader has for them. */
export const details = (page: Page): Locator => page.getByRole('region', { name: 'Details' });
export const activity = (page: Page): Locator => page.getByRole('tree', { name: 'Activity' });
export const row = (page: Page, text: string | RegExp): Locator =>
  activity(page).getByRole('treeitem').filter({ hasText: text });
export const approval = (page: Page, what: string): Locator => page.getByRole('region', { name: `Approval: ${what}` });

export const untilRun = (page: Page, status: string): Promise<void> =>
  page.getByText(`Run status: ${status}`, { exact: true }).waitFor();

export const untilLive = (page: Page): Promise<void> =>
  page.getByRole('status', { name: 'Connection: Live' }).waitFor();

export const hasFocus = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element === document.activeElement);

/** The text of the chosen node as it is rendered. */
export const said = async (page: Page): Promise<string> =>
  ((await details(page).locator('.prose').textContent()) ?? '').trim();

/** The lines that a shown diff would add. */
export async function addedLines(card: Locator): Promise<string[]> {
  const lines = await card
    .getByRole('region', { name: /^Changes of / })
    .locator('.whitespace-pre')
    .allTextContents();
  const mark = 'added: ';
  return lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length).replace(/^ $/, ''));
}
