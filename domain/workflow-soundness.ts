import { Failure } from './failures.ts';
import { argumentCheck } from './output-schema.ts';
import { type Known, problemsOf } from './step-graph.ts';
import { allSteps } from './step-lists.ts';
import type { WorkflowPlan } from './workflow-definition.ts';

const saidOf = (path: (string | number)[]): string => path.join('.');

/** What could only fail once it runs is refused when it is saved, with the step named. */
export function demandSoundWorkflow(plan: WorkflowPlan, known: Known = {}): void {
  argumentCheck(plan.input_schema);
  for (const step of allSteps(plan.steps)) if (step.type === 'agent') argumentCheck(step.output_schema ?? null);
  const problems = problemsOf(plan, known);
  const [first] = problems;
  if (!first) return;
  const where = first.step === null ? '' : `Step ${first.step}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new Failure('invalid_request', `${where}${first.message}${more}.`, {
    in: 'body',
    fields: Object.fromEntries(problems.map(({ path, message }) => [saidOf(path), message])),
    problems,
  });
}
