import { describe, expect, it } from 'vitest';
import { BUILTIN_TOOLS } from '../../domain/builtin-tools.ts';
import type { Considered, Dispatched, PlanStep } from '../../domain/dispatch.ts';
import { isForModels } from '../../domain/dispatch-candidates.ts';
import { choicesOf, confidenceWords, outcomeOf, toldIn } from '../../web/dispatching.ts';
import { dispatchable, howMany, isDispatcher, isOn, switched } from '../../web/enabled-list.ts';

const considered = (type: Considered['type'], name: string, more: Partial<Considered> = {}): Considered => ({
  type,
  name,
  title: name,
  description: `What ${name} does`,
  workspace_id: null,
  selected: false,
  reason: `It speaks of “${name}”.`,
  confidence: 0.2,
  ...more,
});

const step = (each: Considered, n: number, more: Partial<PlanStep> = {}): PlanStep => ({
  step: n + 1,
  type: each.type,
  name: each.name,
  title: each.title,
  input: {},
  depends_on: n === 0 ? [] : [n],
  takes: {},
  missing: [],
  ...more,
});

function decided(
  confidence: number,
  selected: Considered[],
  others: Considered[] = [],
  more: Partial<Dispatched> = {},
): Dispatched {
  const chosen = selected.map((each) => ({ ...each, selected: true, confidence }));
  return {
    routing_decision: {
      selected_tools: [],
      selected_agents: [],
      confidence,
      reasoning: 'Because.',
      alternatives: others.map(({ name }) => name),
      requires_disambiguation: confidence < 0.7,
    },
    execution_plan: chosen.map((each, n) => step(each, n)),
    decided_by: 'shortlist',
    fallback_reason: null,
    dropped: [],
    candidates: [...chosen, ...others],
    decision_run_id: null,
    run_id: null,
    not_executed: null,
    duration_ms: 1,
    ...more,
  };
}

const PLANNER = considered('agent', 'planner');
const WRITER = considered('agent', 'writer');
const SEARCH = considered('tool', 'search');

describe('what follows from a decision', () => {
  it('is a chat where it is surely one agent, and a run where it is a tool or several', () => {
    const told = { title: 'planner', reasoning: 'It speaks of “planner”.', confidence: 0.9, by: 'longhaul' };
    expect(outcomeOf(decided(0.9, [PLANNER], [WRITER]))).toEqual({ kind: 'chat', agent_id: 'planner', told });
    const byModel = decided(0.9, [PLANNER], [WRITER], { decided_by: 'model' });
    expect(outcomeOf(byModel)).toMatchObject({ told: { reasoning: 'Because.' } });
    expect(outcomeOf(decided(0.9, [SEARCH]))).toMatchObject({ kind: 'plan', told: { title: 'search' } });
    expect(outcomeOf(decided(0.9, [SEARCH, WRITER]))).toMatchObject({
      kind: 'plan',
      told: { title: 'search, then writer' },
    });
    const atOnce = decided(0.9, [PLANNER, WRITER]);
    const plan = atOnce.execution_plan.map((each) => ({ ...each, depends_on: [] }));
    expect(outcomeOf({ ...atOnce, execution_plan: plan })).toMatchObject({ told: { title: 'planner and writer' } });
  });

  it('is a question where it is not sure, and words where nothing fits or something was not said', () => {
    expect(outcomeOf(decided(0.69, [PLANNER], [WRITER]))).toMatchObject({ kind: 'choose', reasoning: 'Because.' });
    expect(outcomeOf(decided(0.7, [PLANNER], [WRITER]))).toMatchObject({ kind: 'chat' });
    expect(outcomeOf(decided(0.9, []))).toEqual({ kind: 'nothing', reasoning: 'Because.', choices: [] });
    expect(outcomeOf(decided(0, []))).toMatchObject({ kind: 'nothing' });
    expect(outcomeOf(decided(0.8, [], [WRITER]))).toMatchObject({ kind: 'nothing', choices: [{ title: 'writer' }] });
    expect(outcomeOf(decided(0.5, [], [WRITER]))).toMatchObject({
      kind: 'choose',
      reasoning: 'What you ask for is not clear enough to go on without you.',
    });
    const lacking = { execution_plan: [step(SEARCH, 0, { missing: ['path', 'text'] })] };
    expect(outcomeOf(decided(0.9, [SEARCH], [], lacking))).toMatchObject({
      kind: 'lacks',
      missing: 'search needs path, text',
    });
  });

  it('offers at most five, what was selected first and the others by how likely they are', () => {
    const others = [0.01, 0.05, 0.04, 0.03, 0.02].map((confidence, n) => considered('agent', `a${n}`, { confidence }));
    const titles = choicesOf(decided(0.6, [PLANNER], others)).map(({ title }) => title);
    expect(titles).toEqual(['planner', 'a1', 'a2', 'a3', 'a4']);
  });

  it('offers several together only where choosing them by name would run them in the same order', () => {
    const inOrder = choicesOf(decided(0.6, [SEARCH, WRITER], [PLANNER]));
    expect(inOrder.map(({ title }) => title)).toEqual(['search, then writer', 'planner']);
    expect(inOrder[0]?.chosen).toEqual({ tools: ['search'], agents: ['writer'] });
    const toolLast = choicesOf(decided(0.6, [WRITER, SEARCH]));
    expect(toolLast.map(({ title }) => title)).toEqual(['writer', 'search']);
  });

  it('does not give as a reason what already stands there', () => {
    const [choice] = choicesOf(decided(0.5, [], [considered('agent', 'x', { description: 'Same', reason: 'Same' })]));
    expect(choice).toMatchObject({ does: 'Same', reason: '' });
  });
});

it.each([
  [1, 'Almost certain · 100 %'],
  [0.7, 'Likely · 70 %'],
  [0.4, 'Quite possible · 40 %'],
  [0.2, 'Possible · 20 %'],
  [0, 'Unlikely · 0 %'],
])('a confidence of %s is “%s”', (confidence, words) => {
  expect(confidenceWords(confidence)).toBe(words);
});

it('reads what was chosen from the state of an address, and nothing from anything else', () => {
  const told = { title: 'planner', reasoning: 'Because.', confidence: 0.9, by: 'you' };
  expect(toldIn({ dispatched: told })).toEqual(told);
  for (const state of [null, undefined, 'x', {}, { dispatched: null }, { dispatched: { title: 1 } }]) {
    expect(toldIn(state)).toBeNull();
  }
});

describe('what the dispatcher may use', () => {
  it('lists the tools the server would hand something to, each name once', () => {
    const builtin = BUILTIN_TOOLS.map(({ name }) => ({ name, is_builtin: true }));
    const own = { name: 'clarify_user', is_builtin: false };
    const listed = dispatchable([...builtin, own, own]);
    const handed = builtin.filter(({ name }) => !isForModels(name));
    expect(listed).toEqual([...handed, own]);
    expect(isDispatcher({ slug: 'dispatcher', is_builtin: true })).toBe(true);
    expect(isDispatcher({ slug: 'dispatcher', is_builtin: false })).toBe(false);
  });

  it('is all until something is switched off, and keeps what is not in sight', () => {
    const all = ['a', 'b', 'c'];
    expect(isOn(null, 'later')).toBe(true);
    expect(switched(null, all, 'b', false)).toEqual(['a', 'c']);
    expect(switched(['a', 'elsewhere'], all, 'b', true)).toEqual(['a', 'elsewhere', 'b']);
    expect(switched(['a'], all, 'a', true)).toEqual(['a']);
    expect([howMany(null, all), howMany(['a', 'elsewhere'], all), howMany(['elsewhere'], all)]).toEqual([
      'All 3',
      '1 of 3',
      'None',
    ]);
  });
});
