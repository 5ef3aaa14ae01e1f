import { expect, it } from 'vitest';
import { usualAgent } from '../../domain/usual-agent.ts';

const agent = (slug: string, is_builtin = false, is_active = true) => ({ slug, is_builtin, is_active });
const [editor, dispatcher] = [agent('editor', true), agent('longhaul-dispatcher', true)];

it.each([
  ['the first of others than those with a purpose of their own', [editor, dispatcher, agent('a'), agent('b')], 'a'],
  ['a built-in one that has none', [editor, agent('demo-assistant', true), agent('a')], 'demo-assistant'],
  ['one of somebody who calls it so', [dispatcher, agent('editor')], 'editor'],
  ['none that is off', [agent('a', false, false), editor], 'editor'],
  ['nobody where there is none', [], undefined],
])('who names no agent means %s', (_what, agents, slug) => {
  expect(usualAgent(agents)?.slug).toBe(slug);
});
