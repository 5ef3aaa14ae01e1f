import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { source as axe } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textHash } from '../../domain/edits/text.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { propose } from '../edit-jobs.ts';
import { barriers } from './everybody.ts';
import { type Product, type Visitor, WIDE, type Workplace } from './product.ts';
import { untilLive } from './sights.ts';

const FOLDERS = ['api', 'billing', 'core', 'jobs', 'web'];
const PATHS = FOLDERS.flatMap((folder) => [1, 2, 3, 4, 5, 6].map((part) => `src/${folder}/part-${part}.ts`));

/** A module that names the function twice, far enough apart for two hunks. */
const module = (path: string, imported = 'loadUser', called = imported): string =>
  [
    `import { ${imported} } from '../users.ts';`,
    '',
    `/** ${path} */`,
    'export async function nameOf(id: string) {',
    `  const user = await ${called}(id);`,
    '  return user.name;',
    '}',
    '',
  ].join('\n');

const hunk = (page: Page, number: number): Locator =>
  page.getByRole('listitem', { name: new RegExp(`^Hunk ${number} of`) });
const review = (page: Page): Locator => page.getByRole('navigation', { name: 'Files to review' });
const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const textAs = (page: Page, name: string): Locator =>
  page.getByRole('textbox', { name: `Text of ${name} as it will be` });

export const projectEdits = (product: () => Product) =>
  describe('Somebody who changes a whole project', () => {
    let place: Workplace;
    let visitor: Visitor;
    let page: Page;
    let notebook: string;
    beforeAll(async () => {
      place = await product().workplace('Edits');
      for (const folder of FOLDERS) await mkdir(join(place.root, 'src', folder), { recursive: true });
      await Promise.all(PATHS.map((path) => writeFile(join(place.root, path), module(path))));
      visitor = await product().at(place);
      ({ page } = visitor);
      const list = `/notebooks?workspace_id=${place.id}`;
      notebook = (await product().system.call<{ items: Notebook[] }>('GET', list)).items[0]?.id ?? '';
    });
    afterAll(() => visitor.leave());

    const put = (path: string, text: string) => writeFile(join(place.root, path), text);
    async function onDisk(): Promise<Record<string, string>> {
      const texts = PATHS.map(async (path) => [path, await readFile(join(place.root, path), 'utf8')]);
      return Object.fromEntries(await Promise.all(texts));
    }
    /** kill -9 of everything at once; the page stays open. */
    async function restart(): Promise<void> {
      const { system } = product();
      await Promise.all(['worker-1', 'api', 'mongod', 'temporal'].map((name) => system.kill(name)));
      await untilLive(page);
    }
    const clear = (shows: string) => async () => {
      await page.evaluate(axe);
      const found = await barriers(page, shows);
      await page.setViewportSize(WIDE);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(found).toEqual([]);
    };
    async function instruct(words: string): Promise<void> {
      await page.goto(`/files/${notebook}/`);
      const opens = button(page, 'Agent');
      if ((await opens.getAttribute('aria-pressed')) !== 'true') await opens.click();
      await page.getByLabel('Instruction').fill(words);
      await button(page, 'Propose edits').click();
    }
    const decided = (words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
    const openReview = (words: string) => page.getByRole('link', { name: words }).click();

    const kept = 'src/api/part-1.ts';
    const half = 'src/api/part-2.ts';
    const byHand = 'src/api/part-3.ts';
    const renamed = (path: string): string => {
      if (path === kept) return module(path, 'loadUser', 'fetchUser');
      if (path === half) return module(path, 'fetchUser', 'loadUser');
      const text = module(path, 'fetchUser');
      return path === byHand ? `// Checked by Robin.\n${text}` : text;
    };
    const all = (text: (path: string) => string) => Object.fromEntries(PATHS.map((path) => [path, text(path)]));

    it('renames a function in 30 files, rejects two hunks, edits one file by hand, applies, and finds exactly that on disk', async () => {
      await instruct('rename "loadUser" to "fetchUser" everywhere');
      await openReview('Review 60 hunks in 30 files');
      await decided('60 undecided');
      await page.keyboard.press('r');
      await page.keyboard.press('a');
      await page.keyboard.press('a');
      await page.keyboard.press('r');
      await page.keyboard.press('r');
      await decided('2 accepted3 rejected55 undecided');
      await page.keyboard.press('Control+z');
      await decided('2 accepted2 rejected56 undecided');
      await page.keyboard.press('Control+Shift+z');
      await decided('2 accepted3 rejected55 undecided');
      await page.keyboard.press('Control+z');
      await decided('2 accepted2 rejected56 undecided');

      await page.getByText('56 undecided are left out').waitFor();
      // What nobody has answered when everything is gone is said again once it is back.
      await page.route('**/review', (route) => route.abort(), { times: 1 });
      await page.keyboard.press('r');
      await restart();
      await decided('2 accepted3 rejected55 undecided');
      await button(page, 'Undo (Ctrl Z)').click();
      await decided('2 accepted2 rejected56 undecided');
      await hunk(page, 1).getByText('"loadUser" becomes "fetchUser"').waitFor();
      await review(page).getByTitle(byHand).click();
      await button(page, 'Whole file').click();
      await textAs(page, 'part-3.ts').click();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type('// Checked by Robin.\n');
      await review(page).getByTitle(half).click();
      const asks = page.getByRole('alertdialog', { name: 'Leave your edit without saving it?' });
      await asks.getByRole('button', { name: 'Stay' }).click();
      await page.keyboard.press('Control+s');
      await page.getByText('Unsaved').waitFor({ state: 'hidden' });
      await button(page, 'Hunks').click();
      await page
        .getByRole('listitem', { name: 'Hunk 3 of 3: Accepted' })
        .getByText('by hand', { exact: true })
        .waitFor();
      expect(await onDisk(), 'nothing is written before it is applied').toEqual(all((path) => module(path)));

      await button(page, 'Accept all undecided').click();
      await decided('59 accepted2 rejected0 undecided');
      await page.keyboard.press('Control+z');
      await decided('3 accepted2 rejected56 undecided');
      await page.keyboard.press('Control+Shift+z');
      await decided('59 accepted2 rejected0 undecided');
      await clear('59 accepted')();
      await button(page, 'Apply 59 of 61 hunks').click();
      await page.getByRole('heading', { name: 'Applied to 30 files' }).waitFor();
      expect(await onDisk()).toEqual(all(renamed));
    });

    const core = PATHS.filter((path) => path.includes('/core/'));
    const meanwhile = 'src/core/part-4.ts';
    const moved = (path: string): string => renamed(path).replace('/** src/core', '/** src/heart');

    it('sees that a file changed behind its back, runs it again on what is there, and applies that', async () => {
      await instruct('rename "/** src/core" to "/** src/heart" everywhere');
      await openReview('Review 6 hunks in 6 files');
      await decided('6 undecided');
      await put(meanwhile, `// Somebody was here.\n${renamed(meanwhile)}`);
      await button(page, 'Accept all undecided').click();
      await decided('0 undecided');
      await button(page, 'Apply all 6 hunks').click();
      const conflict = page.getByRole('region', { name: 'Conflict' });
      await conflict.getByText('1 file has changed since this was proposed.').waitFor();
      await conflict.getByText(meanwhile, { exact: true }).waitFor();
      expect((await onDisk())['src/core/part-1.ts'], 'all or nothing').toBe(renamed('src/core/part-1.ts'));

      await restart();
      await conflict.getByRole('button', { name: 'Run again on the new files' }).click();
      await decided('0 accepted0 rejected6 undecided');
      expect(await conflict.count()).toBe(0);
      await button(page, 'Accept all undecided').click();
      await decided('6 accepted');
      await button(page, 'Apply all 6 hunks').click();
      await page.getByRole('heading', { name: 'Applied to 6 files' }).waitFor();
      const now = (path: string) => (path === meanwhile ? `// Somebody was here.\n${moved(path)}` : moved(path));
      expect(await onDisk()).toEqual(all(now));
    });

    it('takes one hunk back and keeps what came later, then goes back to before the job, each saved on demand', async () => {
      const [one = ''] = core;
      await put(one, `${moved(one)}// later\n`);
      await page.getByRole('link', { name: 'Checkpoints', exact: true }).click();
      const points = page.getByRole('list', { name: 'Checkpoints, newest first' }).getByRole('listitem');
      await points.filter({ hasText: '30 files' }).getByRole('link').click();
      const files = page.getByRole('navigation', { name: 'Files of this checkpoint' });
      await files.getByTitle(one).click();
      await page.getByRole('columnheader', { name: 'Before the job' }).waitFor();
      await files.getByLabel(/import \{ fetchUser \}/).check();
      await button(page, 'Roll back 1 hunk').click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back' }).click();
      await page.getByText('rolled back in the buffer').waitFor();
      await page.getByRole('columnheader', { name: 'After the rollback, not saved' }).waitFor();
      expect((await onDisk())[one], 'not on disk before it is saved').toBe(`${moved(one)}// later\n`);
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();

      await restart();
      await page.keyboard.press('Control+s');
      await page.getByText('1 hunk rolled back and saved').waitFor();
      expect((await onDisk())[one]).toBe(`${moved(one).replace('{ fetchUser }', '{ loadUser }')}// later\n`);

      await button(page, 'Roll back everything').click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back' }).click();
      await page.getByText('Everything is rolled back in the buffer').waitFor();
      await clear('Everything is rolled back in the buffer')();
      await button(page, 'Save rollback').click();
      await page.getByText('Rolled back and saved').waitFor();
      expect(await onDisk(), 'what came after it goes too').toEqual(all((path) => module(path)));
      expect((await readdir(place.root)).filter((name) => name.startsWith('.longhaul'))).toEqual([]);
      await page.getByRole('link', { name: 'Checkpoints', exact: true }).click();
      await expect.poll(() => points.count()).toBe(2);
      await points.last().getByText('rolled back', { exact: true }).waitFor();
    });

    it('is told that a proposal does not fit the files, sees what was wanted, and runs it again', async () => {
      const { model } = product().system;
      await put('fits.md', 'one\ntwo\n');
      const edit = { file_path: 'fits.md', operation: 'replace', start_line: 2, end_line: 2, new_text: 'TWO' };
      model.script('misfit', [
        propose({ ...edit, expected_hash: textHash('zwei\n'), rationale: 'Louder' }),
        propose({ ...edit, expected_hash: textHash('two\n') }),
        { text: 'Done.' },
      ]);
      await page.goto(`/files/${notebook}/fits.md`);
      await button(page, 'New session').click();
      await page.getByLabel('Who does it').selectOption({ label: await agentName() });
      await page.getByLabel('Instruction').fill('[script:misfit] Louder.');
      await page.keyboard.press('Enter');
      await openReview('Files are not as expected: see the conflict');
      const conflict = page.getByRole('region', { name: 'Conflict' });
      await conflict.getByText('1 file is not what the agent expected.').waitFor();
      await conflict.getByText('line 2 (e_1)').waitFor();
      await page.getByRole('region', { name: 'Proposed edits' }).getByText('expects other lines').waitFor();
      await clear('1 file is not what the agent expected.')();
      await conflict.getByRole('button', { name: 'Run again on the new files' }).click();
      await decided('0 accepted0 rejected1 undecided');
      await page.keyboard.press('a');
      await button(page, 'Apply the hunk').click();
      await page.getByRole('heading', { name: 'Applied to 1 file' }).waitFor();
      expect(await readFile(join(place.root, 'fits.md'), 'utf8')).toBe('one\nTWO\n');
    });

    it('is asked and skips it, finds the review in the inbox, splits what is too large, and sends it back', async () => {
      const { model } = product().system;
      const lines = Array.from({ length: 100 }, (_, at) => `entry ${at + 1}`).join('\n');
      const large = { file_path: 'list.md', operation: 'insert', start_line: 1, new_text: `${lines}\n` };
      const small = {
        file_path: 'list.md',
        operation: 'insert',
        start_line: 1,
        new_text: 'short\n',
        rationale: 'Shorter',
      };
      model.script('asks-first', [
        { tool_calls: [{ name: 'clarify_user', arguments: { question: 'How long may it be?' } }] },
        propose(large),
        propose(small),
        { text: 'Done.' },
      ]);
      await page.goto(`/files/${notebook}/notes.md#L1`);
      await button(page, 'New session').click();
      await button(page, 'Add notes.md').click();
      await page.getByLabel('Who does it').selectOption({ label: await agentName() });
      await page.getByLabel('Instruction').fill('[script:asks-first] Make a list.');
      await page.keyboard.press('Enter');
      const question = page.getByRole('region', { name: 'Question' });
      await question.getByText('How long may it be?').waitFor();
      await clear('How long may it be?')();
      await question.getByRole('button', { name: 'Skip' }).click();
      await page.getByRole('link', { name: /^Review / }).waitFor();

      await page.goto('/inbox');
      await page.getByRole('region', { name: 'Review' }).getByRole('link', { name: 'Open review' }).click();
      await hunk(page, 1).getByRole('button', { name: 'Accept as one' }).waitFor();
      await hunk(page, 1).getByLabel('Split after how many new lines?').fill('40');
      await hunk(page, 1).getByRole('button', { name: 'Split' }).click();
      await hunk(page, 2).waitFor();
      await hunk(page, 2).getByRole('button', { name: 'Reject' }).click();
      await hunk(page, 2).getByRole('button', { name: 'Comment' }).click();
      await page.getByLabel('Comment on Hunk 2 of 2').fill('Too long.');
      await page.keyboard.press('Enter');
      await hunk(page, 2).getByText('Too long.').waitFor();
      await button(page, 'Send back').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
      await hunk(page, 1).getByText('Shorter').waitFor();
      expect(JSON.stringify(model.callsOf('asks-first', 2)[0]?.request.messages)).toContain('Too long.');
      await page.keyboard.press('a');
      await button(page, 'Apply the hunk').click();
      await page.getByRole('heading', { name: 'Applied to 1 file' }).waitFor();
      expect(await readFile(join(place.root, 'list.md'), 'utf8')).toBe('short\n');
    });

    const agentName = async (): Promise<string> => {
      const { items } = await product().system.call<{ items: { name: string; is_builtin: boolean }[] }>(
        'GET',
        `/agents?workspace_id=${place.id}`,
      );
      return items.find(({ is_builtin }) => !is_builtin)?.name ?? '';
    };
  });
