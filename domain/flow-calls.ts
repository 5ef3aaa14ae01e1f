import type { Fact } from './facts.ts';
import { type RunError, runError } from './failures.ts';
import type { FlowFacts } from './flow-facts.ts';
import type { FlowPlace, FlowRun } from './flow-names.ts';
import { deadlineOf, timedOut } from './flow-rules.ts';
import type { StepState } from './flow-state.ts';
import { type CallState, currentTurn, type RunState } from './run-state.ts';
import type { FlowStep, StepOf } from './workflow-definition.ts';

/** What comes next in a run of a workflow, from its log alone: whoever picks it up, and whenever, comes to the same. */
export interface FlowMoves {
  /** Steps that begin or end now; whoever has told them asks again. */
  facts: Fact[];
  /** Calls to be made: of tools, of other runs, and of people. */
  tools: StepCall[];
  runs: StepCall[];
  asks: StepCall[];
  /** What is waited for: answers of people, runs below, and the next time something is due. */
  ids: string[];
  children: string[];
  due: number | null;
  /** Runs below whose time is up. */
  overdue: string[];
  /** The whole has come to its end. */
  end: { status: 'completed' | 'failed'; output: unknown; error: RunError | null } | null;
}

export interface StepCall {
  step: FlowStep;
  state: StepState;
  call: CallState;
}

export const dueAt = (moves: FlowMoves, time: number): void => {
  moves.due = Math.min(moves.due ?? time, time);
};

/** The steps that are calls: of a tool, of a run below, or of a person. */
export class StepCalls {
  constructor(
    private readonly state: RunState,
    private readonly about: FlowRun,
    private readonly now: number,
    private readonly tell: FlowFacts,
    private readonly moves: FlowMoves,
  ) {}

  /** Of a step that has begun: what is to be called, waited for or stopped, or what it came to. */
  goOn(step: FlowStep, state: StepState, place: FlowPlace): void {
    const call = currentTurn(this.state)?.calls.find(({ call: { tool_call_id } }) => tool_call_id === state.call_id);
    if (!call) throw new Error(`the step ${state.address} has no call`);
    const one = { step, state, call };
    const deadline = deadlineOf(step, state);
    const isLate = deadline !== null && deadline <= this.now;
    if (call.finished) this.settle(one, place, isLate);
    else if (step.type === 'approval') this.approval(one, step, place, isLate);
    else if (call.child) {
      this.moves.children.push(call.child.child_run_id);
      if (isLate) this.moves.overdue.push(call.child.child_run_id);
    } else if (call.revised && !call.decision) this.moves.asks.push(one);
    else if (call.action && !call.decision) this.moves.ids.push(call.action.action_id);
    else if (step.type === 'tool' && this.about.confirms(step) && !call.action) this.moves.asks.push(one);
    else (this.about.byRun(step) ? this.moves.runs : this.moves.tools).push(one);
    // A tool is told when its time is up by who calls it.
    if (deadline !== null && !isLate && !call.finished && step.type !== 'tool') dueAt(this.moves, deadline);
  }

  private settle({ step, state, call }: StepCall, place: FlowPlace, isLate: boolean): void {
    const { finished } = call;
    if (!finished) return;
    // What was stopped because its time was up did not fail by itself.
    const wasStopped = isLate && (step.type === 'tool' || finished.error?.details.status === 'cancelled');
    if (finished.ok) this.tell.end(step, state, place, finished.result, true);
    else this.tell.fail(step, state, wasStopped ? timedOut(step) : finished.error, !wasStopped);
  }

  private approval({ state, call }: StepCall, step: StepOf<'approval'>, place: FlowPlace, isLate: boolean): void {
    const { action, decision } = call;
    if (decision?.confirmed || (decision && step.on_denied === 'continue')) {
      const { confirmed: approved, by, reason } = decision;
      this.tell.end(step, state, place, {
        approved,
        by: by.name,
        reason,
        arguments: decision.arguments ?? state.input,
      });
    } else if (decision) {
      const why = decision.reason ? ` The reason given: ${decision.reason}` : '';
      this.tell.fail(
        step,
        state,
        runError('denied', `${decision.by.name} did not approve it.${why}`, false, { denied: true }),
      );
    } else if (isLate) this.tell.fail(step, state, timedOut(step));
    else if (action && !call.revised) this.moves.ids.push(action.action_id);
    else this.moves.asks.push({ step, state, call });
  }
}
