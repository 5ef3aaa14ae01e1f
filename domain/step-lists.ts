import type { FlowStep } from './workflow-definition.ts';

/** The lists of steps inside a step, with the names they go by in it. */
export function innerLists(step: FlowStep): { path: (string | number)[]; steps: FlowStep[] }[] {
  switch (step.type) {
    case 'condition':
      return [
        { path: ['steps'], steps: step.steps },
        { path: ['else'], steps: step.else ?? [] },
      ];
    case 'parallel':
      return step.branches.map((branch, n) => ({ path: ['branches', n, 'steps'], steps: branch.steps }));
    case 'map':
      return [{ path: ['steps'], steps: step.steps }];
    default:
      return [];
  }
}

/** All steps, those inside others after them. */
export const allSteps = (steps: FlowStep[]): FlowStep[] =>
  steps.flatMap((step) => [step, ...innerLists(step).flatMap((inner) => allSteps(inner.steps))]);
