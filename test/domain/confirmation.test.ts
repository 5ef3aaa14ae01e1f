import { describe, expect, it } from 'vitest';
import type { ConfirmationPolicy } from '../../domain/agent.ts';
import { needsConfirmation } from '../../domain/confirmation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { ToolTraits } from '../../domain/tool.ts';
import { answered, begun, called, decided, pending, stateOf, tool } from './told.ts';

const write: ToolTraits = { name: 'write_file', operation: 'write', effect: true, asks: false };
const read: ToolTraits = { name: 'read_file', operation: 'read', effect: false, asks: false };

const needs = (what: ToolTraits, policy: ConfirmationPolicy, kind: 'folder' | 'git' | null, ...log: Fact[][]) =>
  needsConfirmation(what, stateOf(begun, ...log), { policy, notebook_kind: kind });

describe('[2] a call waits for a person', () => {
  it.each<[string, ToolTraits, ConfirmationPolicy, 'folder' | 'git' | null, boolean]>([
    ['a change of a folder', write, {}, 'folder', true],
    ['a change without a notebook', write, {}, null, true],
    ['not a change of a checkout', write, {}, 'git', false],
    ['not a read', read, {}, 'folder', false],
    ['where the policy is always, in a checkout too', write, { write_file: 'always' }, 'git', true],
    ['where the policy is always, for a read too', read, { read_file: 'always' }, 'folder', true],
    ['not where the policy is never', write, { write_file: 'never' }, 'folder', false],
    ['a policy for another tool changes nothing', write, { delete_file: 'never' }, 'folder', true],
    ['the first time', write, { write_file: 'first_time' }, 'folder', true],
  ])('%s', (_what, what, policy, kind, expected) => expect(needs(what, policy, kind)).toBe(expected));

  const earlier = (confirmed: boolean, name = 'write_file'): Fact[][] => [
    [called(1), answered(1, { calls: [tool('w', name)] })],
    [pending(1, 'w', name)],
    [decided(1, 'w', confirmed)],
  ];
  it.each<[string, ConfirmationPolicy, Fact[][], boolean]>([
    ['first_time: no more once it was allowed', { write_file: 'first_time' }, earlier(true), false],
    ['first_time: still after a denial', { write_file: 'first_time' }, earlier(false), true],
    [
      'first_time: still after another tool was allowed',
      { write_file: 'first_time' },
      earlier(true, 'delete_file'),
      true,
    ],
    ['first_time: still while the first one is pending', { write_file: 'first_time' }, earlier(true).slice(0, 2), true],
    ['always: also after it was allowed', { write_file: 'always' }, earlier(true), true],
    ['by default: also after it was allowed', {}, earlier(true), true],
  ])('%s', (_what, policy, log, expected) => expect(needs(write, policy, 'folder', ...log)).toBe(expected));
});
