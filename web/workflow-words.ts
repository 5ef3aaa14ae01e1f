import { Bot, GitFork, Hand, type LucideIcon, Repeat, Split, Timer, Workflow, Wrench } from 'lucide-react';
import type { FlowStepView } from '../domain/flow-view.ts';
import { allSteps } from '../domain/step-lists.ts';
import type { FlowStep } from '../domain/workflow-definition.ts';
import { plural } from './format.ts';
import type { Tone } from './status.ts';

export const STEP_ICONS: Record<FlowStep['type'], LucideIcon> = {
  agent: Bot,
  tool: Wrench,
  workflow: Workflow,
  approval: Hand,
  condition: GitFork,
  parallel: Split,
  map: Repeat,
  wait: Timer,
};

/** What does a step, as the workflow refers to it. */
export function referenceOf(step: FlowStep): string | undefined {
  switch (step.type) {
    case 'agent':
      return step.agent ?? step.agent_id;
    case 'tool':
      return step.tool ?? step.tool_id;
    case 'workflow':
      return step.workflow ?? step.workflow_id;
    default:
      return undefined;
  }
}

/** What a step does, in a few words under its name; it may refer by id to what has a name. */
export function stepWords(step: FlowStep, name: string | undefined): string {
  switch (step.type) {
    case 'agent':
      return `Agent ${name ?? referenceOf(step) ?? '?'}`;
    case 'tool':
      return `Tool ${name ?? referenceOf(step) ?? '?'}`;
    case 'workflow':
      return `Workflow ${name ?? referenceOf(step) ?? '?'}`;
    case 'approval':
      return `Asks: ${step.message}`;
    case 'condition':
      return `If ${step.if.replace(/^\{\{\s*|\s*\}\}$/g, '')}`;
    case 'parallel':
      return plural(step.branches.length, 'branch', 'branches');
    case 'map':
      return `For each of ${step.over.replace(/^\{\{\s*|\s*\}\}$/g, '')}`;
    case 'wait':
      return step.until === undefined ? `Waits ${step.duration} s` : `Waits until ${step.until}`;
  }
}

export interface StepLook {
  word: string;
  tone: Tone;
  /** Of a step in a map: how many of how many. */
  count: string | null;
}

const FAILED = 'Failed';
const UNFINISHED = 'Not finished';

/** How all runs of one step stand together: in a map there is one for each item. */
export function lookOfStep(
  id: string,
  all: readonly FlowStepView[],
  waits: ReadonlySet<string>,
  /** Nothing goes on any more: what has not ended by now was stopped. */
  isOver = false,
): StepLook | null {
  const own = all.filter((step) => step.id === id);
  if (own.length === 0) return null;
  const by = (status: FlowStepView['status']) => own.filter((step) => step.status === status).length;
  const count = own.length > 1 ? `${by('completed')} of ${own.length}` : null;
  if (own.some(({ action_id, status }) => status === 'running' && action_id !== null && waits.has(action_id)))
    return { word: 'Waits for you', tone: 'waits', count };
  if (by('failed') > 0) return { word: FAILED, tone: 'failed', count };
  if (by('running') > 0 && isOver) return { word: UNFINISHED, tone: 'failed', count };
  if (by('running') > 0) return { word: 'Running', tone: 'running', count };
  const taken = own.every(({ inherited }) => inherited);
  return { word: taken ? 'Taken over' : 'Completed', tone: taken ? 'quiet' : 'done', count };
}

/** Of every step that has begun. What is made of others and was stopped because one of them failed has failed with it. */
export function looksOf(
  steps: FlowStep[],
  all: readonly FlowStepView[],
  waits: ReadonlySet<string>,
  isOver: boolean,
): Map<string, StepLook> {
  const every = allSteps(steps);
  const looks = new Map(
    every.flatMap(({ id }): [string, StepLook][] => {
      const look = lookOfStep(id, all, waits, isOver);
      return look ? [[id, look]] : [];
    }),
  );
  for (const step of every) {
    const look = looks.get(step.id);
    if (look?.word !== UNFINISHED) continue;
    if (allSteps([step]).some(({ id }) => looks.get(id)?.word === FAILED))
      looks.set(step.id, { ...look, word: FAILED });
  }
  return looks;
}

/** "6 steps: 3 agents, 2 tools, 1 approval". */
export function summaryOf(steps: FlowStep[]): string {
  const all = allSteps(steps);
  const kinds = [...new Set(all.map(({ type }) => type))];
  const parts = kinds.map((kind) => plural(all.filter(({ type }) => type === kind).length, kind, `${kind}s`));
  return `${plural(all.length, 'step', 'steps')}: ${parts.join(', ')}`;
}
