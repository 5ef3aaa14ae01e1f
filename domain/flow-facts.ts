import type { Fact } from './facts.ts';
import { type RunError, runError } from './failures.ts';
import { inputOf } from './flow-input.ts';
import {
  addressOf,
  type FlowPlace,
  type FlowRun,
  namesAt,
  type Shaped,
  shapedOutput,
  tryToFill,
} from './flow-names.ts';
import type { FlowState, StepState } from './flow-state.ts';
import type { RunState } from './run-state.ts';
import type { FlowStep } from './workflow-definition.ts';

/** Steps that begin and end in one decision, as they will be told to the log. */
export class FlowFacts {
  readonly facts: Fact[] = [];
  private readonly flow: FlowState;
  private readonly turn: number;

  constructor(
    state: RunState,
    private readonly about: FlowRun,
    private readonly now: number,
    /** False while what is under way is to come to its end first. */
    private readonly mayBegin: boolean,
  ) {
    this.flow = state.flow;
    this.turn = (state.inherited?.turns ?? 0) + 1;
  }

  begin(step: FlowStep, place: FlowPlace, attempt: number, again?: { value: unknown }): void {
    if (!this.mayBegin) return;
    const address = addressOf(place, step.id);
    const given = again ?? (this.flow.overrides.has(address) ? { value: this.flow.overrides.get(address) } : null);
    const found = tryToFill(() => inputOf(step, namesAt(this.flow, this.about, place), given, this.now));
    const n = this.flow.calls + this.facts.filter(({ kind }) => kind === 'step_begun').length + 1;
    const begun: Extract<Fact, { kind: 'step_begun' }> = {
      kind: 'step_begun',
      turn: this.turn,
      step: address,
      id: step.id,
      type: step.type,
      name: this.about.nameOf(step),
      attempt,
      call_id: `s${n}`,
      input: found.ok ? found.value.input : null,
      ...(found.ok && found.value.until !== undefined ? { until: found.value.until } : {}),
    };
    this.facts.push(begun);
    const error = found.ok ? found.value.error : found.error;
    if (error) this.facts.push(this.ended(begun, 'failed', null, error));
  }

  private ended(
    { step, call_id, attempt }: { step: string; call_id: string; attempt: number },
    status: 'completed' | 'failed',
    output: unknown,
    error: RunError | null,
    more: { values?: Record<string, unknown>; begun_at?: string; told?: boolean } = {},
  ): Fact {
    return {
      kind: 'step_ended',
      turn: this.turn,
      step,
      call_id,
      attempt,
      status,
      output,
      error,
      duration_ms: more.begun_at ? Math.max(0, this.now - Date.parse(more.begun_at)) : 0,
      ...(more.values ? { values: more.values } : {}),
      ...(more.told ? { told: true as const } : {}),
    };
  }

  end(step: FlowStep, state: StepState, place: FlowPlace, raw: unknown, told = false): void {
    const { address, call_id, attempt, begun_at } = state;
    const shaped = tryToFill((): Shaped => shapedOutput(step, raw, namesAt(this.flow, this.about, place)));
    const about = { step: address, call_id, attempt };
    if (!shaped.ok) this.facts.push(this.ended(about, 'failed', null, shaped.error, { begun_at }));
    else {
      const { output, values } = shaped.value;
      this.facts.push(this.ended(about, 'completed', output, null, { begun_at, told, ...(values ? { values } : {}) }));
    }
  }

  fail(step: FlowStep, state: StepState, error: RunError | null, told = false): void {
    const { address, call_id, attempt, begun_at } = state;
    const why = error ?? runError('tool_failed', `The step ${step.id} failed.`);
    this.facts.push(this.ended({ step: address, call_id, attempt }, 'failed', null, why, { begun_at, told }));
  }
}
