import type { Fact } from './facts.ts';
import type { RunError } from './failures.ts';
import type { FlowStep } from './workflow-definition.ts';

/**
 * How far the steps of a workflow have come, as the log of its run tells. A step goes by its address: its id, and
 * before it the items of the maps it is in, as in `each[3].summarize`.
 */
export interface StepState {
  address: string;
  id: string;
  type: FlowStep['type'];
  name: string;
  attempt: number;
  /** The call that does it: of its newest attempt; none where it was done in another run. */
  call_id: string;
  status: 'running' | 'completed' | 'failed';
  /** What it was given; of a map its list, of a condition whether it held. */
  input: unknown;
  output: unknown;
  error: RunError | null;
  /** When a wait is over. */
  until: string | null;
  begun_at: string;
  ended_at: string | null;
  /** Taken over from the run this one goes on from. */
  inherited: boolean;
}

export interface FlowState {
  /** In the order they began. */
  steps: Map<string, StepState>;
  /** What steps have put into the state of the run. */
  values: Record<string, unknown>;
  /** How many calls there were: the next gets a name of its own. */
  calls: number;
  /** What a step is given instead of what its mapping says, by address. */
  overrides: Map<string, unknown>;
}

/** What a resumed or forked run takes over. */
export interface HandedOnFlow {
  steps: StepState[];
  values: Record<string, unknown>;
  override?: { address: string; input: unknown };
}

export const emptyFlow = (): FlowState => ({ steps: new Map(), values: {}, calls: 0, overrides: new Map() });

type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

/** Those that are done by a call: by a tool, by another run, or by a person. */
export const CALLING: ReadonlySet<FlowStep['type']> = new Set(['agent', 'tool', 'workflow', 'approval']);

export function beginStep(flow: FlowState, fact: FactOf<'step_begun'>, at: string): void {
  const { step: address, id, type, name, attempt, call_id, input } = fact;
  flow.calls += 1;
  flow.steps.set(address, {
    address,
    id,
    type,
    name,
    attempt,
    call_id,
    status: 'running',
    input,
    output: null,
    error: null,
    until: fact.until ?? null,
    begun_at: at,
    ended_at: null,
    inherited: false,
  });
}

export function endStep(flow: FlowState, fact: FactOf<'step_ended'>, at: string): void {
  const step = flow.steps.get(fact.step);
  if (!step) throw new Error(`the log ends the step ${fact.step}, which never began`);
  step.status = fact.status;
  step.output = fact.output;
  step.error = fact.error;
  step.ended_at = at;
  if (fact.values) flow.values = { ...flow.values, ...fact.values };
}

export function takeOverFlow(flow: FlowState, { steps, values, override }: HandedOnFlow): void {
  for (const step of structuredClone(steps)) flow.steps.set(step.address, { ...step, call_id: '', inherited: true });
  flow.values = structuredClone(values);
  if (override) flow.overrides.set(override.address, override.input);
}

/** What a record may hold of it: the log has it whole. */
const MOST_CHARS = 64_000;

export interface WorkflowState {
  steps: Record<
    string,
    Pick<StepState, 'type' | 'status' | 'attempt'> & { output?: unknown; error?: RunError; inherited?: true }
  >;
  state: Record<string, unknown>;
  /** Outputs were left out because they are large. */
  truncated?: true;
}

/** The steps with what they gave, as the record of a run shows them. */
export function workflowState({ steps, values }: FlowState): WorkflowState {
  let left = MOST_CHARS;
  let truncated = false;
  const fits = (value: unknown): boolean => {
    const size = JSON.stringify(value ?? null).length;
    if (size > left) {
      truncated = true;
      return false;
    }
    left -= size;
    return true;
  };
  const shown: WorkflowState['steps'] = {};
  for (const { address, type, status, attempt, output, error, inherited } of steps.values()) {
    shown[address] = {
      type,
      status,
      attempt,
      ...(status === 'completed' && fits(output) ? { output } : {}),
      ...(error ? { error } : {}),
      ...(inherited ? { inherited: true as const } : {}),
    };
  }
  const state = fits(values) ? values : {};
  return { steps: shown, state, ...(truncated ? { truncated: true as const } : {}) };
}
