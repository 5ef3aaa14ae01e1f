import { describe, expect, it } from 'vitest';
import { BLANK } from '../../web/agent-draft.ts';
import { foundAgents, kindIn, whyReadOnly } from '../../web/agent-list.ts';
import { rightLines, withRight } from '../../web/agent-operations.ts';
import { toolLines } from '../../web/agent-tools.ts';
import { treeRows } from '../../web/folder-tree.ts';
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

describe('the rights of an agent, as they are ticked', () => {
  const listed = { ...BLANK, can_write: true, scope: { operations: ['read' as const] } };
  const line = (draft: typeof BLANK, flag: string) => {
    const found = rightLines(draft).find((each) => each.flag === flag);
    if (!found) throw new Error(`no line for ${flag}`);
    return found;
  };

  it('are those that both the flag and the operations allow', () => {
    expect(line(listed, 'can_read')).toMatchObject({ may: true, isTakenBack: false });
    expect(line(listed, 'can_write')).toMatchObject({ may: false, isTakenBack: true });
    expect(line(BLANK, 'can_write')).toMatchObject({ may: false, isTakenBack: false });
  });

  it('are added to the operations where there is a list of them, and never make one', () => {
    expect(withRight(listed, line(listed, 'can_write'), true)).toEqual({
      can_write: true,
      scope: { operations: ['read', 'write'] },
    });
    expect(withRight(BLANK, line(BLANK, 'can_write'), true)).toEqual({ can_write: true });
    expect(withRight(listed, line(listed, 'can_read'), false)).toEqual({ can_read: false });
  });

  it('decide which tools can be asked about; a policy for another tool is kept in sight', () => {
    const names = (draft: Parameters<typeof toolLines>[0]) => toolLines(draft).map(({ name }) => name);
    expect(names(BLANK)).toEqual([]);
    expect(names({ ...BLANK, can_create: true })).toEqual(['write_file', 'create_file']);
    expect(names({ ...BLANK, confirmation: { delete_file: 'never', my_tool: 'always' } })).toEqual([
      'delete_file',
      'my_tool',
    ]);
  });
});

describe('the tree of a notebook', () => {
  const entry = (path: string, type: 'folder' | 'file') => ({ path, type, name: path.split('/').at(-1) ?? '' });
  const levels = new Map([
    ['/', { entries: [entry('/drafts', 'folder'), entry('/old [1]', 'folder'), entry('/a.md', 'file')] }],
    ['/drafts', { entries: [entry('/drafts/b.md', 'file')] }],
  ]);

  it('has a line for everything in the folders that are open, with its box, level and place', () => {
    const rows = treeRows('Notes', ['/drafts'], new Set(['/', '/drafts']), (path) => levels.get(path));
    expect(rows.map(({ name, level, box, open, place }) => [name, level, box, open, place])).toEqual([
      ['Notes', 1, 'some', true, 1],
      ['drafts', 2, 'all', true, 1],
      ['b.md', 3, 'all', null, 1],
      ['old [1]', 2, 'none', false, 2],
      ['a.md', 2, 'none', null, 3],
    ]);
    expect(rows.filter(({ blocked }) => blocked !== null).map(({ name }) => name)).toEqual(['old [1]']);
  });

  it('says of an open folder that it is being read, is empty or could not be read', () => {
    const note = (level: Parameters<typeof treeRows>[3]) =>
      treeRows('Notes', undefined, new Set(['/']), level)[0]?.note;
    expect(note(() => 'reading')).toBe('Reading…');
    expect(note(() => ({ entries: [] }))).toBe('Empty.');
    expect(note(() => ({ error: 'The folder is gone.' }))).toBe('The folder is gone.');
  });
});
