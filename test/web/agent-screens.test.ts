import { describe, expect, it } from 'vitest';
import { foundAgents, kindIn, whyReadOnly } from '../../web/agent-list.ts';
import { marksOf, NO_MARKS, probeWords } from '../../web/probe-words.ts';
import { agentWith } from '../domain/told.ts';

describe('the answer of the probe', () => {
  it.each([
    [
      { allowed: true, rule: 'folder rule 2 (/drafts/*)', asks: 'always' as const },
      'Yes, by folder rule 2 (/drafts/*); asks first.',
    ],
    [{ allowed: true, rule: 'can_read is on', asks: null }, 'Yes, by can_read is on.'],
    [{ allowed: false, rule: 'can_write is off', asks: null }, 'No: can_write is off.'],
  ])('%j reads %s', (answer, words) => expect(probeWords(answer, 'write')).toBe(words));

  it.each([
    ['folder rule 2 (/drafts/*)', { folders: 2 }],
    ['folder rule 1 (/a) and file type rule 3 (*.md)', { folders: 1, file_types: 3 }],
    ['file type rule 1 (*.md)', { file_types: 1 }],
    ['no folder rule covers /can_write is off: there is 1 (/drafts/*)', { folders: 'list' }],
    ['no file type rule covers /folder rule 2 .exe: there is 1 (*.md)', { file_types: 'list' }],
    ['can_write is off', { operation: 'write' }],
    ['its scope does not list the operation write', { operation: 'write' }],
    ['the notebook is not in its scope', { notebooks: true }],
    ['its scope has no folder or file type rules', {}],
    ['the path leaves the notebook', {}],
  ])('%s marks the rules it is about', (rule, marks) =>
    expect(marksOf({ rule }, 'write')).toEqual({ ...NO_MARKS, ...marks }),
  );
});

describe('the list of agents', () => {
  const mine = agentWith({ id: 'agt_m', name: 'Mine', created_by: 'usr_me', description: 'Weekly summary' });
  const shared = agentWith({ id: 'agt_s', name: 'Shared', visibility: 'workspace' });
  const builtin = agentWith({ id: 'agt_b', name: 'Built', is_builtin: true, visibility: 'workspace' });
  const resting = agentWith({ id: 'agt_r', name: 'A resting one', is_active: false });
  const found = (text: string, kind: string) =>
    foundAgents([shared, resting, mine, builtin], text, kindIn(kind), 'usr_me').map(({ name }) => name);

  it('is by name, and what is not active comes last', () =>
    expect(found('', '')).toEqual(['Built', 'Mine', 'Shared', 'A resting one']));

  it.each([
    ['', 'mine', ['Mine']],
    ['', 'shared', ['Shared']],
    ['', 'builtin', ['Built']],
    ['', 'inactive', ['A resting one']],
    ['summary week', '', ['Mine']],
    ['summary month', '', []],
    ['', 'of no known kind', ['Built', 'Mine', 'Shared', 'A resting one']],
  ])('searched for %j of kind %j', (text, kind, names) => expect(found(text, kind)).toEqual(names));

  it.each([
    ['a personal one, by who may write', mine, 'write', true],
    ['a personal one, by who may only read by now', mine, 'read', false],
    ['a shared one, by who may write', shared, 'write', false],
    ['a shared one, by an admin', shared, 'admin', true],
    ['a built-in one, by an admin', builtin, 'admin', false],
  ] as const)('%s, may be changed or says why not', (_what, agent, role, may) =>
    expect(whyReadOnly(agent, role) === null).toBe(may),
  );
});
