import { describe, expect, it } from 'vitest';
import type { InboxItem } from '../../domain/pending.ts';
import { inOrder, keyOf, placeOf } from '../../web/screens/inbox/waiting-list.ts';

const question = (name: string, second: number): InboxItem => {
  const since = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const asker = { run_id: `run_${name}`, agent_name: 'Worker' };
  return {
    ...{ ...asker, kind: 'question', conversation_id: null, workspace_id: 'wsp_1', since, action: null, review: null },
    question: { ...asker, id: name, question: 'Which one?', created_at: since },
  };
};

describe('What waits for a person', () => {
  const [first, second, third] = [question('b', 1), question('a', 2), question('c', 2)];
  const all = inOrder([third, second, first]);

  it('comes oldest first, and always in the same order', () => {
    expect(all.map(keyOf)).toEqual(['run_b-b', 'run_a-a', 'run_c-c']);
    expect(inOrder([second, first, third])).toEqual(all);
  });

  it('begins with the first', () => {
    expect(placeOf(all, null)).toBe(0);
    expect(placeOf([], null)).toBe(0);
  });

  it.each(all.map((item, at) => ({ item, at })))('stays at $item.run_id as long as it waits', ({ item, at }) => {
    expect(placeOf(all, item)).toBe(at);
  });

  it('goes on to the next where the list lost the one that was chosen, whoever answered it', () => {
    expect([first, third][placeOf([first, third], second)]).toBe(third);
    expect([second, third][placeOf([second, third], first)]).toBe(second);
  });

  it('goes back to the last where the last one has gone', () => {
    expect([first, second][placeOf([first, second], third)]).toBe(second);
    expect(placeOf([], third)).toBe(0);
  });
});
