import { describe, expect, it } from 'vitest';
import { chooseModel, type ModePolicy, type ModeSituation, modeProblem } from '../../domain/hybrid.ts';

const policy = (more: Partial<ModePolicy> = {}): ModePolicy => ({
  mode: 'hybrid_auto',
  model: 'gpt-4o',
  local_model: 'ollama/llama3',
  remote_model: 'claude-sonnet-4-5',
  max_local_attempts: 3,
  remote_on_schema_fail: 2,
  remote_on_context_overflow: true,
  timeout_ms: 60_000,
  fallback_forbidden: false,
  ...more,
});

const situation = (more: Partial<ModeSituation> = {}): ModeSituation => ({
  failed_attempts: 0,
  schema_failures: 0,
  timeouts: 0,
  last_failure: null,
  tool_budget_exhausted: false,
  validation_failed: false,
  chosen_before: null,
  ...more,
});

const overflow = { code: 'context_overflow', retryable: false } as const;
const cut = { code: 'stream_cut', retryable: true } as const;
const unknown = { code: 'model_not_found', retryable: false } as const;

const TRIGGERS: [string, Partial<ModeSituation>][] = [
  ['tool_budget_exhausted', { tool_budget_exhausted: true }],
  ['validation_failed', { validation_failed: true }],
  ['schema_failures', { schema_failures: 2, failed_attempts: 2 }],
  ['context_overflow', { last_failure: overflow, failed_attempts: 1 }],
  ['timeout', { timeouts: 1, failed_attempts: 1, last_failure: { code: 'model_timeout', retryable: true } }],
  ['local_failed', { last_failure: unknown, failed_attempts: 1 }],
  ['local_attempts_used_up', { last_failure: cut, failed_attempts: 3 }],
];

describe('[4] hybrid_auto', () => {
  it('begins with the local model', () => {
    expect(chooseModel(policy(), situation())).toEqual({
      model: 'ollama/llama3',
      side: 'local',
      reason: 'local_first',
      trigger: null,
    });
  });

  it.each(TRIGGERS)('goes to the remote model on %s', (trigger, more) => {
    expect(chooseModel(policy(), situation(more))).toEqual({
      model: 'claude-sonnet-4-5',
      side: 'remote',
      reason: 'fallback',
      trigger,
    });
  });

  it.each(TRIGGERS)('stays with the local model on %s where a fallback is forbidden, and says so', (trigger, more) => {
    expect(chooseModel(policy({ fallback_forbidden: true }), situation(more))).toEqual({
      model: 'ollama/llama3',
      side: 'local',
      reason: 'fallback_forbidden',
      trigger,
    });
  });

  it.each<[string, Partial<ModePolicy>, Partial<ModeSituation>]>([
    ['one miss of the schema where two are borne', {}, { schema_failures: 1, failed_attempts: 1 }],
    ['misses of the schema where they do not count', { remote_on_schema_fail: 0 }, { schema_failures: 2 }],
    [
      'an overflow where it does not count',
      { remote_on_context_overflow: false },
      { last_failure: overflow, failed_attempts: 1 },
    ],
    ['a time-out where none is set', { timeout_ms: null }, { timeouts: 1, failed_attempts: 1 }],
    ['fewer failed attempts than are borne', {}, { failed_attempts: 2, last_failure: cut }],
  ])('stays with the local model after %s', (_, set, more) => {
    expect(chooseModel(policy(set), situation(more))).toMatchObject({ side: 'local', reason: 'local_first' });
  });

  it('stays with the remote model once there, and keeps what led to it', () => {
    const first = chooseModel(policy(), situation({ schema_failures: 2 }));
    const next = chooseModel(policy(), situation({ chosen_before: first }));
    expect(next).toEqual({ ...first, reason: 'stays_remote', trigger: 'schema_failures' });
    expect(chooseModel(policy(), situation({ chosen_before: next }))).toEqual(next);
  });

  it('names the trigger that says most where several hold', () => {
    const all = Object.assign({}, ...TRIGGERS.map(([, more]) => more));
    expect(chooseModel(policy(), situation(all)).trigger).toBe('tool_budget_exhausted');
  });
});

describe('[4] the other modes', () => {
  it.each(TRIGGERS)('local stays local on %s', (_, more) => {
    const choice = chooseModel(policy({ mode: 'local' }), situation(more));
    expect(choice).toEqual({ model: 'ollama/llama3', side: 'local', reason: 'mode_local', trigger: null });
  });

  it.each(TRIGGERS)('remote stays remote on %s', (_, more) => {
    const choice = chooseModel(policy({ mode: 'remote' }), situation(more));
    expect(choice).toEqual({ model: 'claude-sonnet-4-5', side: 'remote', reason: 'mode_remote', trigger: null });
  });

  it.each([
    ['remote', { remote_model: null }, 'gpt-4o'],
    ['local', { local_model: null, model: 'ollama/qwen3' }, 'ollama/qwen3'],
  ] as const)('%s without a model of its own takes the model of the agent', (mode, more, model) => {
    expect(chooseModel(policy({ mode, ...more }), situation()).model).toBe(model);
  });

  it.each([
    ['remote', null, 'gpt-4o', true],
    ['local', 'ollama/llama3', 'gpt-4o', true],
    ['hybrid_auto', null, 'demo/longhaul-demo', true],
    ['local', null, 'openai-compatible/m', true],
    ['local', null, 'gpt-4o', false],
    ['hybrid_auto', null, 'claude-sonnet-4-5', false],
  ] as const)('%s with local_model %s and model %s can be followed: %s', (mode, local_model, model, isFine) => {
    const problem = modeProblem(policy({ mode, local_model, model }));
    expect(problem).toBe(isFine ? null : `agent_mode ${mode} needs a local_model: ${model} does not run locally.`);
  });
});
