import { expect, test } from 'vitest';
import { AUDITED_FACTS, type AuditedRun, auditLineSchema, auditLines, callArguments } from '../../domain/audit.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Entry } from '../../domain/log-entry.ts';
import {
  answered,
  begun,
  called,
  cancelled,
  childAnswered,
  childAsked,
  decided,
  delegated,
  ended,
  entriesOf,
  failed,
  finished,
  message,
  paused,
  pending,
  replied,
  returned,
  tool,
  unpaused,
} from './told.ts';

const about: AuditedRun = {
  run_id: 'run_1',
  session_id: null,
  workspace_id: 'ws_1',
  user_id: 'usr_bo',
  user_name: 'Bo',
  agent_id: 'agt_1',
  agent_name: 'Helper',
  input: 'Sum up the notes',
};

const linesOf = (...appends: Fact[][]) => {
  const entries = entriesOf(appends);
  const asked = callArguments(entries);
  return entries.flatMap((entry) => auditLines(entry, about, asked));
};

const ENTRY: Entry = { n: 7, token: null, at: '2026-01-01T00:00:00.000Z', facts: [], first_step: 3, first_cursor: 9 };

test('a run is told from its start to its end: model, tools, people, delegation', () => {
  const lines = linesOf(
    begun,
    [called(1), failed(1)],
    [called(1, 2), answered(1, { attempt: 2, calls: [tool('c1', 'read_file', { path: '/a.md' })] })],
    [finished(1, 'c1', 'text of a'), message('shorter, please'), paused, unpaused],
    [answered(2, { calls: [tool('c2', 'write_file', { path: '/b.md' })] }), pending(2, 'c2')],
    [decided(2, 'c2', false), replied(2, 'c3')],
    [delegated(3, 'c4'), returned(3, 'c4'), childAsked('run_2'), childAnswered('run_2')],
    [cancelled],
    [ended],
  );
  expect(lines.map(({ action, user_name }) => `${user_name} ${action}`)).toEqual([
    'Bo run.started',
    'Bo model.call',
    'Bo model.call',
    'Bo tool.read_file',
    'Ana run.message',
    'Ana run.pause',
    'Ana run.unpause',
    'Bo model.call',
    'Ana action.denied',
    'Ana question.answered',
    'Bo delegation.started',
    'Bo delegation.completed',
    'Ana run.cancel',
    'Bo run.completed',
  ]);
  for (const line of lines) expect(auditLineSchema.parse(line)).toEqual(line);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
});

test('a tool call is told with the arguments the model gave, its step, its time and its result', () => {
  const lines = linesOf(
    begun,
    [called(1), answered(1, { calls: [tool('c1', 'read_file', { path: '/a.md' })] })],
    [finished(1, 'c1', 'text of a')],
  );
  expect(lines.at(-1)).toMatchObject({
    id: 'run_1:3:0',
    action: 'tool.read_file',
    input: '{"path":"/a.md"}',
    output: 'text of a',
    step_number: 3,
    execution_time_ms: 1,
    was_allowed: true,
  });
});

test('arguments that a person changed are those that were used', () => {
  const edited: Fact = {
    ...(decided(1, 'c1') as Extract<Fact, { kind: 'action_decided' }>),
    arguments: { path: '/c' },
  };
  const lines = linesOf(
    [answered(1, { calls: [tool('c1', 'write_file', { path: '/b' })] }), pending(1, 'c1')],
    [edited],
    [finished(1, 'c1')],
  );
  expect(lines.map(({ action, input }) => [action, input]).slice(1)).toEqual([
    ['action.allowed', '{"path":"/c"}'],
    ['tool.read_file', '{"path":"/c"}'],
  ]);
});

test('what was refused says so: a tool out of scope, a request over the hourly limit, a call over the budget', () => {
  const refused: Fact[] = [
    { ...(finished(1, 'c1') as Extract<Fact, { kind: 'tool_finished' }>), was_allowed: false, target: '/secret.md' },
    { kind: 'rate_limited', turn: 2, until: '2026-01-01T01:00:00.000Z', limit: 100 },
    { kind: 'budget_denied', turn: 2, limit: 'tokens' },
  ];
  const lines = auditLines({ ...ENTRY, facts: refused }, about);
  expect(lines.map(({ was_allowed, target }) => [was_allowed, target])).toEqual([
    [false, '/secret.md'],
    [false, null],
    [false, 'tokens'],
  ]);
});

test('long input and output are cut', () => {
  const [line] = auditLines({ ...ENTRY, facts: [finished(1, 'c1', 'x'.repeat(50_000))] }, about);
  expect(line?.output?.length).toBeLessThan(2_100);
  expect(line?.output).toContain('50000 characters');
});

test('the same entry gives the same lines under the same ids, whatever was read before it', () => {
  const entry = { ...ENTRY, facts: [called(1), answered(1), ended] };
  expect(auditLines(entry, about)).toEqual(auditLines(structuredClone(entry), about));
  expect(auditLines(entry, about).map(({ id }) => id)).toEqual(['run_1:7:1', 'run_1:7:2']);
});

test('every fact that gives a line is among those that are read', () => {
  const refused: Fact[] = [
    { kind: 'rate_limited', turn: 2, until: '2026-01-01T01:00:00.000Z', limit: 100 },
    { kind: 'budget_denied', turn: 2, limit: 'tokens' },
  ];
  const people = [decided(1, 'c'), replied(1, 'c'), message('x'), paused, unpaused, cancelled];
  const facts = [...begun, called(1), failed(1), answered(1), finished(1, 'c'), delegated(1, 'c'), returned(1, 'c')];
  for (const fact of [...facts, ...people, ...refused, pending(1, 'c'), childAsked('run_2'), ended]) {
    const [line] = auditLines({ ...ENTRY, facts: [fact] }, about);
    expect([fact.kind, line !== undefined]).toEqual([fact.kind, AUDITED_FACTS.includes(fact.kind)]);
  }
});
