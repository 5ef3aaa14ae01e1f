import type { RunError } from './failures.ts';
import { dueAt, type FlowMoves, StepCalls } from './flow-calls.ts';
import { FlowFacts } from './flow-facts.ts';
import { addressOf, type FlowPlace, type FlowRun, inItem, namesAt, TOP, tryToFill } from './flow-names.ts';
import { isTolerated, nextTryAt } from './flow-rules.ts';
import type { FlowState, StepState } from './flow-state.ts';
import { mapped } from './mapping.ts';
import type { RunState } from './run-state.ts';
import { allSteps } from './step-lists.ts';
import { dependenciesOf } from './step-order.ts';
import type { Branch, FlowStep, StepOf, WorkflowPlan } from './workflow-definition.ts';

/** Of a list of steps: all are done, some are not, or one has failed for good. */
type Standing = 'done' | 'busy' | 'failed';

class Decision {
  readonly moves: FlowMoves = {
    facts: [],
    tools: [],
    runs: [],
    asks: [],
    ids: [],
    children: [],
    due: null,
    overdue: [],
    end: null,
  };
  private readonly flow: FlowState;
  private readonly tell: FlowFacts;
  private readonly calls: StepCalls;
  /** The step that failed for good, outermost last. */
  failure: StepState | null = null;

  constructor(
    state: RunState,
    about: FlowRun,
    private readonly now: number,
    mayBegin: boolean,
  ) {
    this.flow = state.flow;
    this.tell = new FlowFacts(state, about, now, mayBegin);
    this.moves.facts = this.tell.facts;
    this.calls = new StepCalls(state, about, now, this.tell, this.moves);
  }

  list(steps: readonly FlowStep[], place: FlowPlace): Standing {
    const dependencies = dependenciesOf(steps);
    let standing: Standing = 'done';
    const isOver = (id: string): boolean => {
      const step = steps.find((each) => each.id === id);
      const state = this.flow.steps.get(addressOf(place, id));
      return step !== undefined && state !== undefined && (state.status === 'completed' || isTolerated(step, state));
    };
    for (const step of steps) {
      if (isOver(step.id)) continue;
      const state = this.flow.steps.get(addressOf(place, step.id));
      const now = state ? this.goOn(step, state, place) : 'busy';
      if (!state && (dependencies.get(step.id) ?? []).every(isOver)) this.tell.begin(step, place, 1);
      if (now === 'failed') standing = 'failed';
      else if (standing !== 'failed') standing = 'busy';
    }
    return standing;
  }

  private goOn(step: FlowStep, state: StepState, place: FlowPlace): Standing {
    if (state.status === 'failed') {
      const at = nextTryAt(step, state);
      if (at === null) {
        // The first to fail is why: those after it were stopped.
        if (!this.failure || (state.ended_at ?? '') < (this.failure.ended_at ?? '')) this.failure = state;
        return 'failed';
      }
      if (at > this.now) dueAt(this.moves, at);
      else this.tell.begin(step, place, state.attempt + 1, { value: state.input });
      return 'busy';
    }
    switch (step.type) {
      case 'condition':
        return this.inside(step, state, place, [state.input === true ? step.steps : (step.else ?? [])], () => ({
          matched: state.input === true,
          output: this.lastOutput(state.input === true ? step.steps : (step.else ?? []), place),
        }));
      case 'parallel':
        return this.branches(step, state, place);
      case 'map':
        return this.items(step, state, place);
      case 'wait':
        return this.waiting(step, state, place);
      default:
        this.calls.goOn(step, state, place);
        return 'busy';
    }
  }

  private inside(
    step: FlowStep,
    state: StepState,
    place: FlowPlace,
    lists: (readonly FlowStep[])[],
    output: () => unknown,
  ): Standing {
    const standings = lists.map((steps) => this.list(steps, place));
    return this.composed(step, state, place, standings, output);
  }

  /** A step made of others fails as soon as one of them has, and is over when all are. */
  private composed(
    step: FlowStep,
    state: StepState,
    place: FlowPlace,
    standings: Standing[],
    output: () => unknown,
  ): Standing {
    if (standings.includes('failed')) return 'failed';
    if (standings.every((standing) => standing === 'done')) this.tell.end(step, state, place, output());
    return 'busy';
  }

  private lastOutput(steps: readonly FlowStep[], place: FlowPlace): unknown {
    const last = steps.at(-1);
    return last ? (this.flow.steps.get(addressOf(place, last.id))?.output ?? null) : null;
  }

  private hasBegun = (steps: readonly FlowStep[], place: FlowPlace): boolean =>
    allSteps([...steps]).some(({ id }) => this.flow.steps.has(addressOf(place, id)));

  /** So many at once: those that have begun go on, and others begin where there is room. */
  private bounded<T>(
    all: readonly T[],
    most: number,
    begun: (one: T) => boolean,
    goOn: (one: T) => Standing,
  ): Standing[] {
    let busy = 0;
    const standings = all.map((one): Standing | null => {
      if (!begun(one)) return null;
      const standing = goOn(one);
      if (standing === 'busy') busy += 1;
      return standing;
    });
    if (standings.includes('failed')) return ['failed'];
    return standings.map((standing, n) => {
      const one = all[n];
      if (standing !== null || one === undefined) return standing ?? 'busy';
      if (busy >= most) return 'busy';
      busy += 1;
      return goOn(one);
    });
  }

  private branches(step: StepOf<'parallel'>, state: StepState, place: FlowPlace): Standing {
    const { branches, max_concurrency = branches.length } = step;
    const standings = this.bounded(
      branches,
      max_concurrency,
      (branch: Branch) => this.hasBegun(branch.steps, place),
      (branch: Branch) => this.list(branch.steps, place),
    );
    return this.composed(step, state, place, standings, () =>
      Object.fromEntries(branches.map(({ id, steps }) => [id, this.lastOutput(steps, place)])),
    );
  }

  private items(step: StepOf<'map'>, state: StepState, place: FlowPlace): Standing {
    const list = Array.isArray(state.input) ? state.input : [];
    const places = list.map((item, n) => inItem(place, step.id, n, step.as, item));
    const lenient = step.on_error === 'continue';
    const failed = new Set<FlowPlace>();
    const standings = this.bounded(
      places,
      step.max_concurrency,
      (inner) => this.hasBegun(step.steps, inner),
      (inner) => {
        const before = this.failure;
        const standing = this.list(step.steps, inner);
        if (standing !== 'failed' || !lenient) return standing;
        this.failure = before;
        failed.add(inner);
        return 'done';
      },
    );
    return this.composed(step, state, place, standings, () =>
      places.map((inner) => (failed.has(inner) ? null : this.lastOutput(step.steps, inner))),
    );
  }

  private waiting(step: StepOf<'wait'>, state: StepState, place: FlowPlace): Standing {
    const until = Date.parse(state.until ?? state.begun_at);
    if (until > this.now) dueAt(this.moves, until);
    else this.tell.end(step, state, place, { until: state.until });
    return 'busy';
  }
}

const failedAt = ({ address, error }: StepState): RunError => ({
  code: error?.code ?? 'tool_failed',
  message: `Step ${address}: ${error?.message ?? 'it failed.'}`,
  details: { ...error?.details, step: address },
  retryable: true,
});

export function nextInFlow(
  plan: WorkflowPlan,
  state: RunState,
  about: FlowRun,
  now: number,
  mayBegin = true,
): FlowMoves {
  const decision = new Decision(state, about, now, mayBegin);
  const standing = decision.list(plan.steps, TOP);
  const { moves, failure } = decision;
  if (standing === 'failed' && failure) {
    // Nothing new begins, and what is under way is stopped by who carries the run; what has finished is not lost.
    const finished = moves.facts.filter(
      (fact) => fact.kind === 'step_ended' && state.flow.steps.get(fact.step)?.call_id === fact.call_id,
    );
    const end = { status: 'failed' as const, output: null, error: failedAt(failure) };
    return { ...moves, facts: finished, tools: [], runs: [], asks: [], end: finished.length > 0 ? null : end };
  }
  if (standing !== 'done') return moves;
  const output = tryToFill(() => outputOf(plan, state, about));
  if (!output.ok)
    return { ...moves, end: { status: 'failed', output: null, error: { ...output.error, retryable: true } } };
  return { ...moves, end: { status: 'completed', output: output.value, error: null } };
}

function outputOf({ steps, output_mapping }: WorkflowPlan, { flow }: RunState, about: FlowRun): unknown {
  if (output_mapping !== undefined && output_mapping !== null) return mapped(output_mapping, namesAt(flow, about, TOP));
  const last = steps.at(-1);
  return last ? (flow.steps.get(last.id)?.output ?? null) : null;
}
