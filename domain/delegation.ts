import type { Delegate } from './agent.ts';
import type { ToolSchema } from './model.ts';
import { asSchema } from './output-schema.ts';
import type { ToolTraits } from './tool.ts';
import { fittingToolName, formerToolName } from './tool-name.ts';

/** An agent that a run may hand work to, as it was when the run began. */
export interface DelegateTarget extends Delegate {
  slug: string;
  name: string;
  description: string;
}

const wholeName = ({ slug }: DelegateTarget): string => `delegate_to_${slug}`;

const delegateToolName = (target: DelegateTarget): string => fittingToolName(wholeName(target));

/** Whom a call of this name is for. */
export const delegateNamed = (targets: DelegateTarget[], name: string): DelegateTarget | undefined =>
  targets.find((target) => delegateToolName(target) === name) ??
  targets.find((target) => formerToolName(wholeName(target)) === name);

const TASK = {
  type: 'object',
  properties: {
    task: {
      type: 'string',
      description: 'What to do, with everything the other agent must know: it sees nothing else.',
    },
  },
  required: ['task'],
  additionalProperties: false,
};

export const delegateSchema = (target: DelegateTarget): ToolSchema => ({
  name: delegateToolName(target),
  description: `Hand a task to the agent ${target.name}; its answer is the result. ${target.description}`.trim(),
  parameters: target.input_schema ? asSchema(target.input_schema) : TASK,
});

export const delegateTraits = (target: DelegateTarget): ToolTraits => ({
  name: delegateToolName(target),
  operation: null,
  effect: false,
  asks: false,
  delegates: true,
});

/** What the other agent is given: the task in words, or the arguments as they are. */
export const delegatedInput = (target: DelegateTarget, args: Record<string, unknown>): unknown =>
  target.input_schema ? args : typeof args.task === 'string' ? args.task : args;
