import type { RunError } from './failures.ts';
import type { FlowStep } from './workflow-definition.ts';

/** What is told of the steps of a workflow: one is being tried, and what came of it. */
export type StepFact =
  | {
      kind: 'step_begun';
      turn: number;
      /** Its address: its id, and before it the items of the maps it is in. */
      step: string;
      id: string;
      type: FlowStep['type'];
      name: string;
      attempt: number;
      call_id: string;
      input: unknown;
      /** When a wait is over. */
      until?: string;
    }
  | {
      kind: 'step_ended';
      turn: number;
      step: string;
      call_id: string;
      attempt: number;
      status: 'completed' | 'failed';
      output: unknown;
      error: RunError | null;
      /** What it puts into the state of the run. */
      values?: Record<string, unknown>;
      duration_ms: number;
      /** The call that did it has told its outcome already. */
      told?: true;
    };
