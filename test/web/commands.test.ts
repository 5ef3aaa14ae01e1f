import { describe, expect, it } from 'vitest';
import { foundCommands } from '../../web/screens/frame/found-commands.ts';

const command = (group: Parameters<typeof foundCommands>[0][number]['group'], name: string, id = name) => ({
  group,
  name,
  id,
});

const names = (commands: readonly { name: string }[]): string[] => commands.map(({ name }) => name);

describe('The command palette', () => {
  it('offers pages before actions, and what can be done on the open page before both', () => {
    const all = [command('Actions', 'New run'), command('Go to', 'Runs'), command('On this page', 'Pause run')];
    expect(names(foundCommands(all, ''))).toEqual(['Pause run', 'Runs', 'New run']);
  });

  it('puts the group first in which something is called what was typed', () => {
    const all = [command('Go to', 'Webhooks', '/triggers?new-ones'), command('Actions', 'New webhook')];
    expect(names(foundCommands(all, 'new'))).toEqual(['New webhook', 'Webhooks']);
    expect(names(foundCommands(all, 'webh'))).toEqual(['Webhooks', 'New webhook']);
  });

  it('finds by every word, in any order and case', () => {
    const all = [command('Agents', 'New run with Demo assistant'), command('Agents', 'New run with Reviewer')];
    expect(names(foundCommands(all, 'DEMO run'))).toEqual(['New run with Demo assistant']);
    expect(foundCommands(all, 'demo reviewer')).toEqual([]);
  });

  it('shows no more of ten thousand agents than one reads, and one more word finds any of them', () => {
    const all = Array.from({ length: 10_000 }, (_, n) => command('Agents', `Agent ${n}`));
    expect(foundCommands(all, 'agent')).toHaveLength(8);
    expect(names(foundCommands(all, 'agent 9876'))).toEqual(['Agent 9876']);
  });
});
