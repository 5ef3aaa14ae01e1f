import { z } from 'zod';
import { isRecord } from './json-value.ts';
import { type Known, problemsOf } from './step-graph.ts';
import { STEP_TYPES, type WorkflowPlan, workflowFields } from './workflow-definition.ts';
import { readYaml, writeYaml } from './yaml-text.ts';

/** A workflow as a file: what it is, without where it is kept. */
export const workflowFileSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2000).default(''),
  ...workflowFields,
});
export type WorkflowFile = z.infer<typeof workflowFileSchema>;

/** What is wrong with the text: on which line, and at which step. */
export interface FileProblem {
  line: number | null;
  step: string | null;
  message: string;
}

export interface WorkflowText {
  /** As far as it can be read; with problems it may not be able to run. */
  file: WorkflowFile | null;
  problems: FileProblem[];
}

/** The step that a place in the file belongs to: the innermost with an id and a type. */
function stepAt(value: unknown, path: readonly PropertyKey[]): string | null {
  let found: string | null = null;
  let here: unknown = value;
  for (const key of path) {
    here = isRecord(here) || Array.isArray(here) ? Reflect.get(here, key) : undefined;
    if (isRecord(here) && typeof here.id === 'string' && 'type' in here) found = here.id;
  }
  return found;
}

function said(issue: z.core.$ZodIssue): string {
  const at = issue.path.filter((part) => typeof part === 'string').at(-1);
  if (issue.code === 'invalid_union') return `type: one of ${STEP_TYPES.join(', ')}`;
  return at === undefined ? issue.message : `${String(at)}: ${issue.message}`;
}

/** The text of a workflow, with everything that is wrong with it. */
export function readWorkflowFile(text: string, known: Known = {}): WorkflowText {
  const { value, problems, lineOf } = readYaml(text);
  if (problems.length > 0) return { file: null, problems: problems.map((problem) => ({ ...problem, step: null })) };
  const parsed = workflowFileSchema.safeParse(value);
  const place = (path: readonly PropertyKey[]) => ({ line: lineOf(path), step: stepAt(value, path) });
  if (!parsed.success) {
    return {
      file: null,
      problems: parsed.error.issues.map((issue) => ({ ...place(issue.path), message: said(issue) })),
    };
  }
  const wrong = problemsOf(parsed.data, known);
  return {
    file: parsed.data,
    problems: wrong.map(({ path, step, message }) => ({ line: lineOf(path), step, message })),
  };
}

type Written = Pick<WorkflowFile, 'name' | 'description'> & WorkflowPlan;

/** Without what is as it would be anyway. */
function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  if (!isRecord(value)) return value;
  const isDefault = ([key, inner]: [string, unknown]): boolean =>
    inner === undefined ||
    ('type' in value && ((key === 'on_error' && inner === 'fail') || (key === 'on_denied' && inner === 'fail'))) ||
    (value.type === 'tool' && key === 'confirm' && inner === false) ||
    (value.type === 'map' && ((key === 'as' && inner === 'item') || (key === 'max_concurrency' && inner === 5)));
  const rank = (key: string): number => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
  const kept = Object.entries(value)
    .filter((entry) => !isDefault(entry))
    .sort(([a], [b]) => rank(a) - rank(b));
  return Object.fromEntries(kept.map(([key, inner]) => [key, key.endsWith('_mapping') ? inner : trimmed(inner)]));
}

/** What a reader looks for first. */
const FIRST = 'id type name agent agent_id tool tool_id workflow workflow_id if over as message duration until'.split(
  ' ',
);

/** Read back, it is the same workflow. */
export function writeWorkflowFile({ name, description, input_schema, steps, output_mapping, budget }: Written): string {
  return writeYaml({
    name,
    ...(description ? { description } : {}),
    ...(input_schema ? { input_schema } : {}),
    steps: trimmed(steps),
    ...(output_mapping === undefined || output_mapping === null ? {} : { output_mapping }),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
  });
}
