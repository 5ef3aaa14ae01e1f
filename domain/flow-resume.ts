import type { Fact } from './facts.ts';
import { Failure } from './failures.ts';
import { isTolerated } from './flow-rules.ts';
import type { FlowState, StepState } from './flow-state.ts';
import { lastStep, stateAtStep } from './inheritance.ts';
import type { Entry } from './log-entry.ts';
import { NOTHING_SPENT, type RunState } from './run-state.ts';
import { addSpent, spentInTree, unconfirmedBefore } from './spending.ts';
import { allSteps, innerLists } from './step-lists.ts';
import { comesAfter } from './step-order.ts';
import { stepCount } from './trace.ts';
import type { FlowStep, WorkflowPlan } from './workflow-definition.ts';

/** What is made of other steps, and goes on as long as one of them does. */
const isComposed = ({ type }: Pick<StepState, 'type'>): boolean => ['condition', 'parallel', 'map'].includes(type);
/** Those that are given something a person could change. */
const TAKES_INPUT: ReadonlySet<FlowStep['type']> = new Set(['agent', 'tool', 'workflow', 'approval', 'map']);

/** The items of maps that a step stands in: what its address begins with. */
const itemsOf = (address: string): string => address.slice(0, address.lastIndexOf('.') + 1);
const withoutLast = (items: string): string => items.replace(/[^.]*\.$/, '');

interface Place {
  list: FlowStep[];
  /** The step that the list is in. */
  around: FlowStep | null;
}

function placeOf(steps: FlowStep[], id: string, around: FlowStep | null = null): Place | null {
  if (steps.some((step) => step.id === id)) return { list: steps, around };
  for (const step of steps) {
    for (const inner of innerLists(step)) {
      const found = placeOf(inner.steps, id, step);
      if (found) return found;
    }
  }
  return null;
}

const idsIn = (steps: FlowStep[]): string[] => allSteps(steps).map(({ id }) => id);

/** Whether a step is done again because another is: it is that one, in it, or after it, there or further out. */
function followsFrom(plan: WorkflowPlan, begin: StepState, { address, id }: StepState): boolean {
  let items = itemsOf(begin.address);
  const isIn = (ids: string[]) => ids.includes(id) && itemsOf(address).startsWith(items);
  const own = allSteps(plan.steps).find((step) => step.id === begin.id);
  if (address === begin.address || isIn(own ? innerLists(own).flatMap(({ steps }) => idsIn(steps)) : [])) return true;
  for (let at = begin.id; ; ) {
    const place = placeOf(plan.steps, at);
    if (!place) return false;
    const { list, around } = place;
    if (isIn(idsIn(list.filter((step) => comesAfter(list, step.id).has(at))))) return true;
    if (!around) return false;
    if (around.type === 'map') items = withoutLast(items);
    at = around.id;
  }
}

/** Where it is gone on from: the step that is named, as it is (`each[3].sum`) or wherever it failed (`sum`). */
function beginningsOf(plan: WorkflowPlan, flow: FlowState, from: string): StepState[] {
  const named = [...flow.steps.values()].filter(({ address, id }) => address === from || id === from);
  const failed = named.filter(({ status }) => status !== 'completed');
  if (named.length > 0) return failed.length > 0 ? failed : named;
  const known = allSteps(plan.steps).map(({ id }) => id);
  throw new Failure('invalid_request', `The run did not come to a step ${from}.`, {
    steps: known,
    begun: [...flow.steps.keys()],
  });
}

/** The steps that failed and are not made of others. */
const failedSteps = (flow: FlowState): StepState[] =>
  [...flow.steps.values()].filter((step) => step.status === 'failed' && !isComposed(step));

const staysFailed = (plan: WorkflowPlan, state: StepState): boolean => {
  const step = allSteps(plan.steps).find(({ id }) => id === state.id);
  return step !== undefined && isTolerated(step, state);
};

/**
 * The steps that the next run need not do again: all that were completed, but for the one it goes on from and what
 * comes after that. What is made of others stays begun, with its list or branch as it was.
 */
function handedOn(plan: WorkflowPlan, flow: FlowState, from: string | null): StepState[] {
  const beginnings = from === null ? [] : beginningsOf(plan, flow, from);
  const around = new Set(beginnings.flatMap((begin) => aroundOf(plan, begin.id)));
  return [...flow.steps.values()].flatMap((step) => {
    if (beginnings.some((begin) => followsFrom(plan, begin, step))) return [];
    if (isComposed(step) && (step.status !== 'completed' || around.has(step.id))) {
      return [{ ...step, status: 'running' as const, output: null, error: null, ended_at: null }];
    }
    return step.status === 'completed' || staysFailed(plan, step) ? [step] : [];
  });
}

/** The steps that a step is part of. */
function aroundOf(plan: WorkflowPlan, id: string): string[] {
  const around = placeOf(plan.steps, id)?.around;
  return around ? [around.id, ...aroundOf(plan, around.id)] : [];
}

export interface Resumption {
  from_step?: string | undefined;
  override_input?: unknown;
}

/** The one step whose input is changed. */
function overridden(plan: WorkflowPlan, flow: FlowState, from: string | null, input: unknown) {
  const candidates = from === null ? failedSteps(flow) : beginningsOf(plan, flow, from);
  const [only, second] = candidates;
  if (!only || second) {
    throw new Failure('invalid_request', 'Say with from_step whose input it is.', {
      steps: candidates.map(({ address }) => address),
    });
  }
  if (!TAKES_INPUT.has(only.type)) {
    throw new Failure('invalid_request', `The step ${only.address} (${only.type}) takes no input.`, {
      step: only.address,
    });
  }
  return { address: only.address, input };
}

/** Without another input, the step that was begun with a changed one is begun with it again. */
function lastOverride({ overrides }: FlowState) {
  const [address, input] = [...overrides].at(-1) ?? [];
  return address === undefined ? null : { address, input };
}

type Inherited = Extract<Fact, { kind: 'inherited' }>;

const takenOver = (
  from: string,
  relation: Inherited['relation'],
  state: RunState,
  flow: NonNullable<Inherited['flow']>,
): Inherited => {
  const lost = unconfirmedBefore(state);
  return {
    kind: 'inherited',
    from,
    relation,
    step: state.next_step - 1,
    turns: [],
    injected: [],
    spent: [
      { iterations: 0, tokens: lost.tokens, micros: lost.micros },
      state.inherited?.spent ?? NOTHING_SPENT,
    ].reduce(addSpent, spentInTree(state)),
    flow,
  };
};

/** What a run takes over that goes on where another run of the workflow failed. */
export function resumedFlow(
  from: string,
  plan: WorkflowPlan,
  state: RunState,
  { from_step, override_input }: Resumption,
): { fact: Inherited; from_step: string } {
  const { flow } = state;
  const [firstFailed] = failedSteps(flow).toSorted((a, b) => (a.ended_at ?? '').localeCompare(b.ended_at ?? ''));
  const begin = from_step ?? null;
  const steps = handedOn(plan, flow, begin);
  const override =
    override_input === undefined
      ? lastOverride(flow)
      : overridden(plan, flow, begin ?? firstFailed?.address ?? null, override_input);
  return {
    from_step: begin ?? firstFailed?.address ?? '',
    fact: takenOver(from, 'resume', state, { steps, values: flow.values, ...(override ? { override } : {}) }),
  };
}

/** The last step of the log before a step of the workflow was first begun. */
function stepBefore(plan: WorkflowPlan, entries: Entry[], state: RunState, from: string): number {
  const meant = new Set(beginningsOf(plan, state.flow, from).map(({ address }) => address));
  for (const { facts, first_step } of entries) {
    let next = first_step;
    for (const fact of facts) {
      if (fact.kind === 'step_begun' && meant.has(fact.step)) return next - 1;
      next += stepCount(fact);
    }
  }
  const run_id = state.inherited?.from;
  throw new Failure('invalid_request', `The step ${from} was taken over from the run ${run_id}: fork that one.`, {
    field: 'from_step',
    run_id,
  });
}

/**
 * What a run takes over that goes another way from a step of another: all that was completed when that step began.
 * What ran beside it then is done again, since the files are those of that moment too.
 */
export function forkedFlow(
  from: string,
  plan: WorkflowPlan,
  entries: Entry[],
  { step, from_step, override_input }: Resumption & { step?: number | undefined },
): { fact: Inherited; step: number } {
  const whole = stateAtStep(entries, lastStep(entries));
  if (from_step === undefined && override_input !== undefined) {
    throw new Failure('invalid_request', 'Say with from_step whose input it is.', { field: 'from_step' });
  }
  const at = from_step === undefined ? (step ?? 0) : stepBefore(plan, entries, whole, from_step);
  const override =
    override_input === undefined
      ? lastOverride(whole.flow)
      : overridden(plan, whole.flow, from_step ?? null, override_input);
  const state = stateAtStep(entries, at);
  const steps = handedOn(plan, state.flow, null);
  const flow = { steps, values: state.flow.values, ...(override ? { override } : {}) };
  return { fact: takenOver(from, 'fork', state, flow), step: at };
}
