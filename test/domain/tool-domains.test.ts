import { describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import { demandSameServer, repositoryOf } from '../../domain/github.ts';
import { stepsOf } from '../../domain/steps.ts';
import { domainArguments, domainCall, isDomainOperation, policyNames, unsupported } from '../../domain/tool-domains.ts';
import { eventsOf } from '../../domain/trace.ts';
import { nextMove } from '../../domain/turn.ts';
import { answered, begun, called, rules, stateOf, tool } from './told.ts';

type Finished = Extract<Fact, { kind: 'tool_finished' }>;
const done: Finished = {
  kind: 'tool_finished',
  turn: 1,
  call_id: 'c1',
  name: 'git',
  ok: true,
  result: 'done',
  error: null,
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1,
  was_allowed: true,
  target: null,
};

describe('[6] a call of a tool domain is recorded in one form', () => {
  const normal = {
    call_id: 'c1',
    tool_name: 'deterministic.git',
    domain: 'git',
    operation: 'open_pr',
    args: { title: 'A' },
  };
  it.each<[string, string, Record<string, unknown>]>([
    ['by its wire name', 'git', { operation: 'open_pr', args: { title: 'A' } }],
    ['by its recorded name', 'deterministic.git', { operation: 'open_pr', args: { title: 'A' } }],
    ['where a provider allows no dots', 'deterministic_git', { operation: 'open_pr', args: { title: 'A' } }],
    ['with the arguments beside the operation', 'git', { operation: 'open_pr', title: 'A' }],
    ['however the operation is spelled', 'git', { operation: ' Open-PR', args: { title: 'A' } }],
  ])('%s', (_how, name, args) => {
    expect(domainCall(tool('c1', name, args))).toEqual(normal);
  });

  it('and a call of anything else is not', () => {
    for (const name of ['read_file', 'deterministic.rag', 'gitlab', 'workspaces', 'toString']) {
      expect(domainCall(tool('c1', name, { operation: 'list' }))).toBeNull();
    }
  });

  it('also where its arguments are of no use', () => {
    expect(domainArguments({ operation: 7, args: 'x' })).toEqual({ operation: '', args: {} });
    expect(domainArguments({ args: [1] })).toEqual({ operation: '', args: {} });
  });

  it('which steps and events show beside what they showed before', () => {
    const answer = answered(1, { calls: [tool('c1', 'git', { operation: 'open_pr', args: { title: 'A' } })] });
    expect(stepsOf(answer, 'now')[1]?.content).toEqual({
      turn: 1,
      name: 'git',
      arguments: { operation: 'open_pr', args: { title: 'A' } },
      ...normal,
    });
    expect(eventsOf(answer, 'now')[0]?.data.tool_calls).toMatchObject([{ tool_call_id: 'c1', name: 'git', ...normal }]);
    const { call_id: _, args: __, ...domain } = normal;
    for (const { data } of eventsOf({ ...done, domain }, 'now'))
      expect(data).toMatchObject({ call_id: 'c1', name: 'git', ...domain });
    expect(stepsOf({ ...done, domain }, 'now')[0]?.content).toMatchObject(domain);
  });
});

describe('[6] what is unsupported', () => {
  it.each<[string, string | null, object | null]>([
    ['rag', null, { code: 'unsupported_domain', details: { domains: ['workspace', 'git', 'command'] } }],
    ['toString', null, { code: 'unsupported_domain' }],
    ['git', 'rebase', { code: 'unsupported_operation', details: { operation: 'rebase' } }],
    ['git', 'push', null],
    ['workspace', null, null],
  ])('%s %s', (domain, operation, refused) => {
    const told = unsupported(domain, operation);
    if (refused === null) expect(told).toBeNull();
    else expect(told).toMatchObject(refused);
  });

  const failing = (code: 'unsupported_operation' | 'unsupported_domain' | 'unknown_tool'): Finished => ({
    ...done,
    ok: false,
    error: { ...runError(code, 'No.'), request_id: 'r-1-c1', correlation_id: 'r' },
  });
  const calls = [tool('c1', 'git', { operation: 'rebase' }), tool('c2', 'read_file', { path: '/a' })];

  it.each(['unsupported_operation', 'unsupported_domain'] as const)('%s ends the run, with the envelope', (code) => {
    const state = stateOf(begun, [called(1), answered(1, { calls })], [failing(code)]);
    expect(nextMove(state, rules(), 0)).toMatchObject({
      do: 'end',
      status: 'failed',
      error: {
        code,
        message: expect.any(String),
        details: {},
        retryable: false,
        request_id: 'r-1-c1',
        correlation_id: 'r',
      },
    });
  });

  it('does not: a tool that there is not', () => {
    const state = stateOf(begun, [called(1), answered(1, { calls })], [failing('unknown_tool')]);
    expect(nextMove(state, rules(), 0)).toMatchObject({ do: 'tools' });
  });

  it('does not: one that was told in a run before', () => {
    const before = stateOf(
      begun,
      [called(1), answered(1, { calls: calls.slice(0, 1) })],
      [failing('unsupported_operation')],
    );
    const inherited: Fact = {
      kind: 'inherited',
      from: 'run_0',
      relation: 'resume',
      step: 3,
      turns: before.turns,
      injected: [],
      spent: { iterations: 1, tokens: 0, micros: 0 },
    };
    expect(nextMove(stateOf([inherited], begun), rules(), 0)).toMatchObject({ do: 'call', turn: 2 });
  });
});

it('[2] one operation is asked about by its own name, or by that of its domain', () => {
  expect(policyNames('git.push')).toEqual(['git.push', 'git']);
  expect(policyNames('acme.push')).toEqual(['acme.push']);
  expect(['git.push', 'workspace.move', 'command.test'].every(isDomainOperation)).toBe(true);
  expect(['git', 'git.rebase', 'acme.push', 'constructor.name'].some(isDomainOperation)).toBe(false);
});

describe('[6] the repository on a forge', () => {
  it.each([
    ['https://github.com/acme/tool.git', { host: 'github.com', owner: 'acme', repo: 'tool' }],
    ['https://git.example.org/scm/acme/tool', { host: 'git.example.org', owner: 'acme', repo: 'tool' }],
    ['git@github.com:acme/tool.git', { host: 'github.com', owner: 'acme', repo: 'tool' }],
    ['ssh://git@github.com:22/acme/tool.git', { host: 'github.com', owner: 'acme', repo: 'tool' }],
    ['file:///srv/acme/tool.git', null],
    ['https://github.com/tool', null],
  ])('%s', (url, repository) => {
    expect(repositoryOf(url)).toEqual(repository);
  });

  it('is asked for of its own server only', () => {
    const on = (host: string) => ({ host, owner: 'a', repo: 'b' });
    for (const [host, api] of [
      ['github.com', 'https://api.github.com'],
      ['ssh.github.com', 'https://api.github.com'],
      ['git.example.org', 'https://git.example.org/api/v3'],
    ] as const) {
      expect(() => demandSameServer(on(host), api)).not.toThrow();
    }
    for (const host of ['github.com.evil.org', 'evil-github.com', 'git.example.org']) {
      expect(() => demandSameServer(on(host), 'https://api.github.com')).toThrow(/integration is for/);
    }
  });
});
