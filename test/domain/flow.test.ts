import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../domain/facts.ts';
import { runError } from '../../domain/failures.ts';
import { nextInFlow } from '../../domain/flow.ts';
import type { FlowRun } from '../../domain/flow-names.ts';
import { fold } from '../../domain/fold.ts';
import { emptyState, type RunState } from '../../domain/run-state.ts';
import { dependenciesOf } from '../../domain/step-order.ts';
import { type FlowStep, type WorkflowPlan, workflowPlanSchema } from '../../domain/workflow-definition.ts';
import { begun } from './told.ts';

const about: FlowRun = {
  input: {},
  nameOf: ({ id }) => id,
  byRun: () => false,
  confirms: () => false,
  run: { id: 'run_1', caller_name: 'Ana', started_at: null },
};

/** Does what the decision says, one call at a time in whatever order, and keeps what was begun and ended when. */
function play(plan: WorkflowPlan, choose: (n: number) => number, fails: (step: string) => boolean) {
  const state: RunState = emptyState();
  const told: { step: string; what: 'begun' | 'completed' | 'failed'; running: number }[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const append = (facts: Fact[]) => {
    now += 1;
    const { n, next_step: first_step, next_cursor: first_cursor } = state;
    fold(state, { n: n + 1, token: null, at: new Date(now).toISOString(), facts, first_step, first_cursor });
    for (const fact of facts) {
      const running = [...state.flow.steps.values()].filter(
        ({ status, type }) => status === 'running' && type === 'tool',
      ).length;
      if (fact.kind === 'step_begun') told.push({ step: fact.step, what: 'begun', running });
      if (fact.kind === 'step_ended') told.push({ step: fact.step, what: fact.status, running });
    }
  };
  append(begun);
  for (let round = 0; round < 500; round++) {
    const moves = nextInFlow(plan, state, about, now);
    if (moves.facts.length > 0) append(moves.facts);
    else if (moves.end) return { told, end: moves.end, state };
    else {
      const one = moves.tools[choose(moves.tools.length)];
      if (!one) throw new Error('nothing to do, and no end');
      const failed = fails(one.state.address);
      const error = failed ? runError('tool_failed', 'It failed.') : null;
      const times = { started_at: new Date(now).toISOString(), duration_ms: 0 };
      const result = { ok: !failed, result: one.state.address, error, was_allowed: true, target: null, ...times };
      append([{ kind: 'tool_finished', turn: 1, call_id: one.state.call_id, name: one.step.id, ...result }]);
    }
  }
  throw new Error('it never ends');
}

const tool = (id: string, more: object = {}) => ({ id, type: 'tool', tool: 't', ...more });
const plan = (steps: unknown[]) => workflowPlanSchema.parse({ steps });

/** Lists of tools, with any dependencies that are no circle, and maps and branches of them. */
const lists = (depth: number, prefix: string): fc.Arbitrary<unknown[]> =>
  fc.integer({ min: 1, max: 4 }).chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, n) => {
        const id = `${prefix}${n}`;
        const before = Array.from({ length: n }, (_, m) => `${prefix}${m}`);
        const depends = fc.option(fc.subarray(before), { nil: undefined });
        const leaf = depends.map((depends_on) => tool(id, depends_on ? { depends_on } : {}));
        if (depth === 0) return leaf;
        const inner = lists(depth - 1, `${id}_`);
        const map = fc.tuple(inner, fc.integer({ min: 1, max: 3 })).map(([steps, max_concurrency]) => ({
          id,
          type: 'map',
          over: '{{ input ?? 0 }}',
          steps,
          max_concurrency,
        }));
        const parallel = inner.map((steps) => ({ id, type: 'parallel', branches: [{ id: 'b', steps }] }));
        const condition = fc
          .tuple(inner, fc.boolean())
          .map(([steps, met]) => ({ id, type: 'condition', if: String(met), steps }));
        return fc.oneof(leaf, leaf, map, parallel, condition);
      }),
    ),
  );

/** Of the siblings in one list and item, whoever comes after another begins after that has completed. */
function expectOrdered(
  steps: readonly FlowStep[],
  told: { step: string; what: string }[],
  items: readonly string[],
): void {
  const at = (step: string, what: string) => told.findIndex((each) => each.step === step && each.what === what);
  for (const item of items) {
    for (const [id, before] of dependenciesOf(steps)) {
      const begin = at(`${item}${id}`, 'begun');
      if (begin < 0) continue;
      for (const other of before)
        expect([
          `${item}${other}`,
          at(`${item}${other}`, 'completed') < begin && at(`${item}${other}`, 'completed') >= 0,
        ]).toEqual([`${item}${other}`, true]);
    }
    for (const step of steps) {
      if (step.type === 'map')
        expectOrdered(
          step.steps,
          told,
          [0, 1, 2].map((n) => `${item}${step.id}[${n}].`),
        );
      if (step.type === 'parallel') for (const { steps: inner } of step.branches) expectOrdered(inner, told, [item]);
      if (step.type === 'condition') expectOrdered(step.steps, told, [item]);
    }
  }
}

describe('[7] whatever a workflow is made of', () => {
  const threeItems = { ...about, input: [1, 2, 3] };
  about.input = threeItems.input;

  it('each step begins once, after all it depends on, and the run completes', () => {
    fc.assert(
      fc.property(lists(2, 's'), fc.infiniteStream(fc.nat(50)), (steps, choices) => {
        const made = plan(steps);
        const { told, end } = play(
          made,
          (n) => (n === 0 ? 0 : Number(choices.next().value) % n),
          () => false,
        );
        expect(end.status).toBe('completed');
        const starts = told.filter(({ what }) => what === 'begun').map(({ step }) => step);
        expect(new Set(starts).size).toBe(starts.length);
        expect(told.filter(({ what }) => what === 'completed')).toHaveLength(starts.length);
        expectOrdered(made.steps, told, ['']);
      }),
      { numRuns: 60 },
    );
  });

  it('a step that fails is named, and nothing begins after it', () => {
    fc.assert(
      fc.property(lists(1, 's'), fc.nat(20), (steps, nth) => {
        const made = plan(steps);
        const all = play(
          made,
          () => 0,
          () => false,
        ).told.filter(({ step, what }) => what === 'begun' && !/\[/.test(step));
        const tools = all
          .map(({ step }) => step)
          .filter((step) => !made.steps.some(({ id, type }) => id === step && type !== 'tool'));
        const bad = tools[nth % Math.max(1, tools.length)];
        if (bad === undefined) return;
        const { told, end } = play(
          made,
          () => 0,
          (step) => step === bad,
        );
        expect(end).toMatchObject({ status: 'failed', error: { details: { step: bad } } });
        const failed = told.findIndex(({ step, what }) => step === bad && what === 'failed');
        expect(told.slice(failed + 1).filter(({ what }) => what === 'begun')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('no more items of a map are at work than may be', () => {
    const made = plan([
      { id: 'm', type: 'map', over: '{{ input }}', max_concurrency: 2, steps: [tool('a'), tool('b')] },
    ]);
    const { told, end } = play(
      made,
      (n) => n - 1,
      () => false,
    );
    expect(end.output).toEqual(['m[0].b', 'm[1].b', 'm[2].b']);
    expect(Math.max(...told.map(({ running }) => running))).toBe(2);
  });
});
