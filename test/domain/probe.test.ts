import { describe, expect, it } from 'vitest';
import type { Agent, Operation } from '../../domain/agent.ts';
import { createAgentBody } from '../../domain/agent.ts';
import { demandSound } from '../../domain/agent-soundness.ts';
import { agentTemplates } from '../../domain/agent-templates.ts';
import { probe } from '../../domain/probe.ts';
import { agentWith } from './told.ts';

const look = (
  agent: Partial<Agent>,
  operation: Operation,
  path: string,
  more: { kind?: 'git'; mayWrite?: boolean } = {},
) =>
  probe(agentWith(agent), more.mayWrite ?? true, {
    notebook: { id: 'nb_1', kind: more.kind ?? 'folder' },
    operation,
    path,
  });

describe('[11] can this agent touch this path', () => {
  const drafts = {
    can_write: true,
    scope: { notebooks: ['nb_1'], folders: ['/notes', '/drafts/*'], file_types: ['*.md'] },
  };
  const cases: [string, Partial<Agent>, Operation, string, boolean, RegExp][] = [
    ['a rule covers it', drafts, 'write', '/drafts/a.md', true, /folder rule 2 \(\/drafts\/\*\)/],
    ['no rule covers it', drafts, 'write', '/other/a.md', false, /folder/],
    ['its type is another', drafts, 'write', '/drafts/a.ts', false, /file type/],
    ['the flag is off', { ...drafts, can_write: false }, 'write', '/drafts/a.md', false, /can_write is off/],
    [
      'the operation is not listed',
      { ...drafts, scope: { notebooks: ['*'], operations: ['read'] } },
      'write',
      '/a.md',
      false,
      /operation write/,
    ],
    ['another notebook', { ...drafts, scope: { notebooks: ['nb_2'] } }, 'read', '/a.md', false, /notebook/],
    ['it leads out', drafts, 'write', '/drafts/../../etc/passwd', false, /leaves the notebook/],
    [
      'no tool is left for it',
      { ...drafts, system_tools: ['read_file'] },
      'write',
      '/drafts/a.md',
      false,
      /system_tools/,
    ],
  ];
  it.each(cases)('%s', (_what, agent, operation, path, allowed, rule) => {
    const verdict = look(agent, operation, path);
    expect([verdict.allowed, verdict.asks === null]).toEqual([allowed, !allowed]);
    expect(verdict.rule).toMatch(rule);
  });

  it('says whether a person is asked first', () => {
    const all = { can_write: true, can_create: true, scope: { notebooks: ['*'] } };
    expect(look(all, 'write', 'a.md')).toMatchObject({ asks: 'always', path: '/a.md' });
    expect(look(all, 'write', 'a.md', { kind: 'git' }).asks).toBe('never');
    expect(look(all, 'read', 'a.md').asks).toBe('never');
    expect(look({ ...all, confirmation: { create_file: 'first_time' } }, 'create', 'a.md').asks).toBe('first_time');
    expect(look({ ...all, confirmation: { write_file: 'never' } }, 'write', 'a.md').asks).toBe('never');
    expect(look({ ...all, confirmation: { read_file: 'always' } }, 'read', 'a.md').asks).toBe('always');
  });

  it('never allows who only reads what their runs could not do', () => {
    const all = { can_write: true, can_create: true, can_delete: true, scope: { notebooks: ['*'] } };
    for (const operation of ['write', 'create', 'delete'] as const) {
      expect(look(all, operation, 'a.md', { mayWrite: false })).toMatchObject({
        allowed: false,
        rule: expect.stringContaining('your role'),
      });
    }
    expect(look(all, 'read', 'a.md', { mayWrite: false }).allowed).toBe(true);
  });
});

describe('[2] every template', () => {
  it.each(agentTemplates())(
    '$id is an agent that can be made, and asks before it changes anything',
    ({ agent, description }) => {
      const whole = createAgentBody.parse({ workspace_id: 'ws_1', model: 'gpt-4o', ...agent });
      expect(() => demandSound(whole)).not.toThrow();
      expect(whole).toMatchObject(agent);
      expect([agent.description, agent.system_prompt.length > 200]).toEqual([description, true]);
      expect(Object.values(agent.confirmation)).not.toContain('never');
      expect(agent.can_delete).toBe(false);
    },
  );
});
