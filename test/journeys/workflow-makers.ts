import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Product, Visitor, Workplace } from './product.ts';
import { PHONE } from './product.ts';
import { approval, untilRun } from './sights.ts';

const YAML = `name: Publish a note
steps:
  - id: read
    type: tool
    tool: read_file
    input_mapping:
      path: "{{ input.path }}"
  - id: ok
    type: approval
    message: Publish the note?
  - id: write
    type: tool
    tool: write_file
    input_mapping:
      path: /published.md
      content: "{{ steps.read.output.content }}"
`;

const node = (page: Page, step: string) => page.locator(`[data-step="${step}"]`);

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Workflow as YAML' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

export function workflowMakers(product: () => Product): void {
  describe('[11] somebody who makes a workflow', () => {
    let place: Workplace;
    let visitor: Visitor;
    beforeAll(async () => {
      place = await product().workplace('Flows');
      visitor = await product().at(place);
    });
    afterAll(() => visitor.leave());

    it('is told what is wrong while typing, at the line and at the step; and makes it once nothing is', async () => {
      const { page } = visitor;
      await page.goto('/workflows');
      await page.getByRole('heading', { name: 'No workflows in this workspace' }).waitFor();
      await page.getByRole('link', { name: 'New workflow' }).first().click();
      await write(page, YAML.replace('tool: read_file', 'tool: raed_file'));
      await page.getByText('there is no tool raed_file').waitFor();
      await node(page, 'read').getByLabel('Has a problem').waitFor();
      expect(await page.getByRole('button', { name: 'Create' }).isEnabled()).toBe(false);
      await write(page, YAML);
      await page.getByText('It can run as it is.').waitFor();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Publish a note' }).waitFor();
    });

    it('sees it run as a graph, resumes it from the failed step with another input, and approves', async () => {
      const { page } = visitor;
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('textbox', { name: 'Input' }).fill('{"path": "/not-there.md"}');
      await page.getByRole('button', { name: 'Start run' }).click();
      await untilRun(page, 'Failed');
      await page.locator('[data-step="read"][data-status="Failed"]').waitFor();
      await page.getByRole('button', { name: 'Resume from here' }).click();
      await page.getByRole('textbox', { name: 'What the step is given' }).fill('{"path": "/notes.md"}');
      await page.getByRole('button', { name: 'Resume run' }).click();
      await page.locator('[data-step="ok"][data-status="Waits for you"]').waitFor();
      await approval(page, 'Approve this step').getByRole('button', { name: 'Allow' }).click();
      await untilRun(page, 'Completed');
      await page.locator('[data-step="write"][data-status="Completed"]').waitFor();
      await page.getByText('Continues run').waitFor();
    });

    it('forks it from a step with another input, and sees no limits where none is set', async () => {
      const { page } = visitor;
      const former = page.url();
      await page.getByTitle('0 iterations, no limit').waitFor();
      await node(page, 'read').getByRole('button').click();
      await page.getByText('Given').waitFor();
      await node(page, 'write').getByRole('button').click();
      await page.getByRole('button', { name: 'Fork from here' }).click();
      const given = page.getByRole('textbox', { name: 'What the step is given' });
      await given.fill('{"path": "/fork.md", "content": "Another way."}');
      await page.getByRole('button', { name: 'Fork run' }).click();
      await page.waitForURL((url) => url.href !== former);
      await page.locator('[data-step="ok"][data-status="Taken over"]').waitFor();
      await page.locator('[data-step="write"][data-status="Completed"]').waitFor();
      await page.getByText('Fork of run').waitFor();
    });

    it('changes it, and goes back to what it was', async () => {
      const { page } = visitor;
      await page.goto('/workflows');
      await page.getByRole('link', { name: 'Publish a note' }).click();
      await page.getByText('It can run as it is.').waitFor();
      await write(page, YAML.replace('Publish the note?', 'Really?'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('v2', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByRole('list', { name: 'Versions' }).getByRole('button').last().click();
      await page.getByRole('button', { name: /^Roll back/ }).click();
      await page.getByText('v3', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('message: Publish the note?').waitFor();
    });

    it('finds it on a phone, where graph and text are one tap apart', async () => {
      const { page } = visitor;
      await page.setViewportSize(PHONE);
      await page.goto('/workflows');
      await page.getByRole('link', { name: 'Publish a note' }).click();
      await node(page, 'write').waitFor();
      await page.getByText('YAML', { exact: true }).click();
      await page.getByRole('textbox', { name: 'Workflow as YAML' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    });
  });
}
