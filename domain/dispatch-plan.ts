import type { PlanStep, SentAttachment } from './dispatch.ts';
import { type Eligible, refOf } from './dispatch-candidates.ts';
import type { Asked, Decision } from './dispatch-decision.ts';
import { isRecord } from './json-value.ts';
import { argumentCheck } from './output-schema.ts';
import type { FlowStep } from './workflow-definition.ts';

type Arguments = Record<string, unknown>;

function parsed(text: string): Arguments | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const FILE = /(?:^|[\s"'“(])(\/?[\w@.-]+(?:\/[\w@. -]+?)*\.\w{1,8})(?=$|[\s"'”),;:?!])/;
const LINK = /https?:\/\/[^\s"'<>]+/;

/** What a query gives for an argument of this name; undefined where it gives nothing. */
function said(name: string, { query, attachments }: Asked): string | undefined {
  if (/^(path|file|file_path|filename)$/.test(name)) return FILE.exec(query)?.[1];
  if (/^(url|link|address)$/.test(name)) return LINK.exec(query)?.[0] ?? attachments[0]?.url;
  if (/^(query|q|question|search|text|prompt|instruction|task|request|message|input)$/.test(name)) return query;
  return undefined;
}

/** Arguments that what came before is put into, where the query itself does not give them. */
const HANDED_ON = /^(text|content|body|input|message|data|document)$/;

interface Filled {
  input: Arguments;
  takes: Record<string, number>;
  missing: string[];
}

function filled(asked: Asked, parameters: Arguments, given: string | null, before: number | null): Filled {
  const own = given === null ? null : parsed(given);
  if (own && argumentCheck(parameters)(own).length === 0) return { input: own, takes: {}, missing: [] };
  const properties = isRecord(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : [];
  const input: Arguments = {};
  const takes: Record<string, number> = {};
  const missing: string[] = [];
  for (const name of required) {
    const type = isRecord(properties[name]) ? properties[name].type : undefined;
    const isText = type === undefined || type === 'string';
    const value = own?.[name] ?? (isText ? said(name, asked) : undefined);
    // Elsewhere a mapping could not name it.
    if (!/^[\w-]+$/.test(name)) missing.push(name);
    else if (before !== null && isText && HANDED_ON.test(name)) takes[name] = before;
    else if (value === undefined) missing.push(name);
    else input[name] = value;
  }
  return { input, takes, missing };
}

/** What a tool needs and neither was given nor is handed on; of an agent nothing. */
export function missingIn(parameters: Arguments | null, input: unknown, takes: Record<string, number>): string[] {
  const required = Array.isArray(parameters?.required) ? parameters.required.map(String) : [];
  return required.filter((name) => !(name in takes) && !(isRecord(input) && name in input));
}

const attached = (attachments: readonly SentAttachment[]): string =>
  attachments.length === 0
    ? ''
    : `\n\nAttached:\n${attachments.map(({ name, type, url }) => `- ${[name, type && `(${type})`, url].filter(Boolean).join(' ')}`).join('\n')}`;

/** What is to be done, in order; each step of a sequence comes after the one before, all others at once. */
export function planOf(asked: Asked, { selected, in_sequence }: Decision): PlanStep[] {
  return selected.map(({ candidate, arguments: given }, n): PlanStep => {
    const before = in_sequence && n > 0 ? n : null;
    const words = given?.trim() && !parsed(given) ? given.trim() : asked.query;
    const { input, takes, missing } = candidate.parameters
      ? filled(asked, candidate.parameters, given, before)
      : { input: `${words}${attached(asked.attachments)}`, takes: {}, missing: [] };
    return {
      step: n + 1,
      type: candidate.kind,
      name: refOf(candidate),
      title: candidate.name,
      input,
      depends_on: before === null ? [] : [before],
      takes,
      missing,
    };
  });
}

const stepId = (step: number): string => `step_${step}`;

/**
 * The plan as the steps of a workflow. What people and models wrote stands in the input of the run and is referred to
 * from here: in a mapping it would be read as one.
 */
export function stepsOf(plan: readonly PlanStep[], selected: readonly Eligible[]): FlowStep[] {
  const steps = plan.map(({ step, type, depends_on, takes, input }): FlowStep => {
    const id = stepId(step);
    const working = { id, on_error: 'fail' as const };
    const own = `{{ input.inputs.${id} }}`;
    const before = depends_on[0] === undefined ? null : `{{ steps.${stepId(depends_on[0])}.output }}`;
    if (type === 'agent') {
      const input_mapping = before === null ? own : `${own}\n\nWhat the step before came to:\n${before}`;
      return { ...working, type: 'agent', agent_id: selected[step - 1]?.id ?? '', input_mapping };
    }
    const handed = Object.entries(takes).map(([name, from]) => [name, `{{ string(steps.${stepId(from)}.output) }}`]);
    const given = Object.keys(isRecord(input) ? input : {}).map((name) => [
      name,
      `{{ input.inputs.${id}["${name}"] }}`,
    ]);
    const input_mapping = handed.length === 0 ? own : Object.fromEntries([...given, ...handed]);
    return { ...working, type: 'tool', tool: selected[step - 1]?.name ?? '', confirm: false, input_mapping };
  });
  const isSequence = plan.some(({ depends_on }) => depends_on.length > 0);
  if (plan.length < 2 || isSequence) return steps;
  const branches = steps.map((step, n) => ({ id: `branch_${n + 1}`, steps: [step] }));
  return [{ id: 'all', type: 'parallel', branches }];
}

/** What the run of a plan is given. */
export const inputOfPlan = (asked: Asked, plan: readonly PlanStep[]): Record<string, unknown> => ({
  query: asked.query,
  inputs: Object.fromEntries(plan.map(({ step, input }) => [stepId(step), input])),
});
