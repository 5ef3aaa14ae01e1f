import { ExpressionProblem } from './expression.ts';
import { readTime } from './flow-input.ts';
import { isRecord } from './json-value.ts';
import { type Mention, mentionsOf, mentionsOfCondition } from './mapping.ts';
import { allSteps, innerLists } from './step-lists.ts';
import { comesAfter, dependenciesOf, orderOf } from './step-order.ts';
import type { FlowStep, WorkflowPlan } from './workflow-definition.ts';

/** What is wrong with a definition: at which step, and where in it. */
export interface GraphProblem {
  /** Null where it is about the whole. */
  step: string | null;
  /** From the definition down, as in `['steps', 0, 'input_mapping']`. */
  path: (string | number)[];
  message: string;
}

/** What a definition may refer to, by id or by name; what is not asked for is not checked. */
export interface Known {
  agent?: (reference: string) => boolean;
  tool?: (reference: string) => boolean;
  /** `circular`: it runs this very workflow again, by itself or through others. */
  workflow?: (reference: string) => 'known' | 'unknown' | 'circular';
}

type Place = (string | number)[];

/** What an expression at some place may speak of. */
interface Sight {
  steps: ReadonlySet<string>;
  names: ReadonlySet<string>;
}

const ROOTS = ['input', 'steps', 'state', 'run'];
const RESERVED = new Set([...ROOTS, 'output', 'index']);
const OF_STEP = ['output', 'error', 'status'];
const OF_RUN = ['id', 'caller_name', 'started_at'];
const DEEPEST = 6;
const MOST_STEPS = 500;

const hasExpression = (text: string): boolean => text.includes('{{');

class Inspection {
  readonly problems: GraphProblem[] = [];
  private readonly ids = new Set<string>();
  private readonly every: Map<string, FlowStep>;

  constructor(
    private readonly plan: Pick<WorkflowPlan, 'steps' | 'input_schema' | 'output_mapping'>,
    private readonly known: Known,
  ) {
    this.every = new Map(allSteps(plan.steps).map((step) => [step.id, step]));
  }

  private tell(step: FlowStep | null, path: Place, message: string): void {
    this.problems.push({ step: step?.id ?? null, path, message });
  }

  whole(): GraphProblem[] {
    const { steps, output_mapping } = this.plan;
    if (allSteps(steps).length > MOST_STEPS) this.tell(null, ['steps'], `there are more than ${MOST_STEPS} steps`);
    this.list(steps, ['steps'], { steps: new Set(), names: new Set(ROOTS) }, null, 1);
    if (output_mapping !== undefined) {
      const sight = { steps: this.seenAfter(steps), names: new Set(ROOTS) };
      this.mapping(null, output_mapping, ['output_mapping'], sight);
    }
    return this.problems;
  }

  /** What can be spoken of once these have run: themselves, and what is in them, but for what runs many times. */
  private seenAfter(steps: readonly FlowStep[]): Set<string> {
    const inside = (step: FlowStep): string[] =>
      step.type === 'map'
        ? []
        : innerLists(step).flatMap((inner) => inner.steps.flatMap(inside).concat(inner.steps.map(({ id }) => id)));
    return new Set(steps.flatMap((step) => [step.id, ...inside(step)]));
  }

  private list(steps: readonly FlowStep[], path: Place, sight: Sight, around: FlowStep | null, depth: number): void {
    if (depth > DEEPEST) {
      this.tell(around, path, `steps are nested more than ${DEEPEST} deep`);
      return;
    }
    if (steps.length === 0 && path.at(-1) !== 'else') this.tell(around, path, 'there are no steps in it');
    const siblings = new Set(steps.map(({ id }) => id));
    const { circular } = orderOf(steps);
    for (const [n, step] of steps.entries()) {
      const at = [...path, n];
      if (this.ids.has(step.id)) this.tell(step, [...at, 'id'], `there are several steps ${step.id}`);
      this.ids.add(step.id);
      for (const [m, id] of (step.depends_on ?? []).entries()) {
        const place = [...at, 'depends_on', m];
        if (id === step.id) this.tell(step, place, 'it depends on itself');
        else if (!siblings.has(id))
          this.tell(
            step,
            place,
            this.every.has(id) ? `${id} is not in the same list of steps` : `there is no step ${id}`,
          );
      }
      if (circular.includes(step.id) && !step.depends_on?.includes(step.id))
        this.tell(
          step,
          [...at, 'depends_on'],
          `it waits for itself, through ${circularThrough(steps, step.id, circular)}`,
        );
      const before = comesAfter(steps, step.id);
      before.delete(step.id);
      const seen = this.seenAfter(steps.filter(({ id }) => before.has(id)));
      this.step(step, at, { ...sight, steps: new Set([...sight.steps, ...seen]) }, depth);
    }
  }

  private step(step: FlowStep, at: Place, sight: Sight, depth: number): void {
    this.outputMapping(step, at, sight);
    switch (step.type) {
      case 'agent':
        this.reference(step, at, ['agent_id', 'agent'], this.known.agent);
        this.mapping(step, step.input_mapping, [...at, 'input_mapping'], sight);
        return;
      case 'tool':
        this.reference(step, at, ['tool_id', 'tool'], this.known.tool);
        if (step.input_mapping !== undefined && !isRecord(step.input_mapping) && !isWhole(step.input_mapping))
          this.tell(step, [...at, 'input_mapping'], 'the arguments of a tool have names');
        this.mapping(step, step.input_mapping, [...at, 'input_mapping'], sight);
        return;
      case 'workflow': {
        const { workflow } = this.known;
        this.reference(step, at, ['workflow_id', 'workflow'], workflow && ((name) => workflow(name) !== 'unknown'));
        const name = step.workflow_id ?? step.workflow;
        if (name !== undefined && workflow?.(name) === 'circular')
          this.tell(step, [...at, step.workflow_id ? 'workflow_id' : 'workflow'], `${name} runs this workflow again`);
        this.mapping(step, step.input_mapping, [...at, 'input_mapping'], sight);
        return;
      }
      case 'approval':
        this.mapping(step, step.message, [...at, 'message'], sight);
        this.mapping(step, step.input_mapping, [...at, 'input_mapping'], sight);
        return;
      case 'wait':
        this.wait(step, at, sight);
        return;
      case 'condition':
        this.reading(step, [...at, 'if'], sight, () => mentionsOfCondition(step.if));
        break;
      case 'map':
        if (!isWhole(step.over)) this.tell(step, [...at, 'over'], 'a list is expected, as in {{ steps.find.output }}');
        this.mapping(step, step.over, [...at, 'over'], sight);
        if (RESERVED.has(step.as) || sight.names.has(step.as))
          this.tell(step, [...at, 'as'], `${step.as} means something else here already`);
        break;
      case 'parallel':
        for (const [n, { id }] of step.branches.entries()) {
          if (step.branches.findIndex((other) => other.id === id) < n)
            this.tell(step, [...at, 'branches', n, 'id'], `there are several branches ${id}`);
        }
    }
    const names = step.type === 'map' ? new Set([...sight.names, step.as, 'index']) : sight.names;
    for (const inner of innerLists(step))
      this.list(inner.steps, [...at, ...inner.path], { steps: sight.steps, names }, step, depth + 1);
  }

  private outputMapping(step: FlowStep, at: Place, sight: Sight): void {
    const { output_mapping = {} } = step;
    // What runs in it has run by then.
    const inside = step.type === 'map' ? [] : innerLists(step).flatMap((inner) => [...this.seenAfter(inner.steps)]);
    const after = { steps: new Set([...sight.steps, ...inside]), names: new Set([...sight.names, 'output']) };
    for (const [name, value] of Object.entries(output_mapping)) {
      const place = [...at, 'output_mapping', name];
      if (name.startsWith('state.') && !/^state\.[A-Za-z_][\w-]*$/.test(name))
        this.tell(step, place, 'a value of the state has a plain name, as in state.total');
      this.mapping(step, value, place, after);
    }
  }

  private wait(step: Extract<FlowStep, { type: 'wait' }>, at: Place, sight: Sight): void {
    const { duration, until } = step;
    if ((duration === undefined) === (until === undefined)) {
      this.tell(step, at, 'give either a duration (seconds) or until (a time)');
      return;
    }
    if (typeof duration === 'string' && !hasExpression(duration))
      this.tell(step, [...at, 'duration'], 'a number of seconds is expected, or an expression in {{ }}');
    if (until !== undefined && !hasExpression(until) && Number.isNaN(readTime(until)))
      this.tell(step, [...at, 'until'], 'a time like 2030-01-31T09:00:00Z is expected, or an expression in {{ }}');
    this.mapping(step, duration, [...at, 'duration'], sight);
    this.mapping(step, until, [...at, 'until'], sight);
  }

  private reference(step: FlowStep, at: Place, fields: [string, string], isKnown?: (name: string) => boolean): void {
    const given = fields.flatMap((field) => {
      const value = Object.entries(step).find(([key]) => key === field)?.[1];
      return typeof value === 'string' ? [{ field, value }] : [];
    });
    const [only, second] = given;
    if (!only || second) this.tell(step, at, `give either ${fields[0]} or ${fields[1]}`);
    else if (isKnown && !isKnown(only.value))
      this.tell(step, [...at, only.field], `there is no ${step.type} ${only.value} that you could use here`);
  }

  private mapping(step: FlowStep | null, mapping: unknown, path: Place, sight: Sight): void {
    if (isRecord(mapping)) {
      for (const [key, value] of Object.entries(mapping)) this.mapping(step, value, [...path, key], sight);
      return;
    }
    this.reading(step, path, sight, () => mentionsOf(mapping));
  }

  private reading(step: FlowStep | null, path: Place, sight: Sight, read: () => Mention[]): void {
    try {
      for (const mention of read()) {
        const problem = this.mention(mention, sight);
        if (problem) this.tell(step, path, problem);
      }
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error;
      this.tell(step, path, `the expression cannot be read: ${error.message}`);
    }
  }

  private mention({ root, keys }: Mention, sight: Sight): string | null {
    if (!sight.names.has(root)) return `there is no ${root} here; there are ${[...sight.names].join(', ')}`;
    const [first, second] = keys;
    if (root === 'run' && (first === undefined || !OF_RUN.includes(first)))
      return `of the run there are ${OF_RUN.join(', ')}`;
    if (root === 'input' && first !== undefined) return this.inputProblem(first);
    if (root !== 'steps') return null;
    if (first === undefined) return 'name the step, as in steps.find.output';
    if (!this.every.has(first)) return `there is no step ${first}`;
    if (!sight.steps.has(first)) return this.unseen(first);
    if (second === undefined || !OF_STEP.includes(second))
      return `of a step there are ${OF_STEP.join(', ')}, as in steps.${first}.output`;
    return null;
  }

  private unseen(id: string): string {
    const around = [...this.every.values()].find(
      (step) => step.type === 'map' && allSteps(step.steps).some((inner) => inner.id === id),
    );
    if (around) return `${id} runs once for each of ${around.id}: speak of steps.${around.id}.output`;
    return `${id} has not run before this step; put it into depends_on, or write it before`;
  }

  private inputProblem(name: string): string | null {
    const { input_schema } = this.plan;
    const properties = input_schema?.properties;
    if (!isRecord(properties) || input_schema?.additionalProperties !== false || Object.hasOwn(properties, name))
      return null;
    return `the input has no ${name}; its schema has ${Object.keys(properties).join(', ') || 'nothing'}`;
  }
}

const isWhole = (mapping: unknown): boolean => typeof mapping === 'string' && /^\{\{[\s\S]*\}\}$/.test(mapping);

function circularThrough(steps: readonly FlowStep[], id: string, circular: string[]): string {
  const through = (dependenciesOf(steps).get(id) ?? []).filter((other) => circular.includes(other));
  return through.join(', ');
}

/** Everything that is wrong with the steps of a workflow, named by step; nothing where it can run. */
export const problemsOf = (
  plan: Pick<WorkflowPlan, 'steps'> & Partial<Pick<WorkflowPlan, 'input_schema' | 'output_mapping'>>,
  known: Known = {},
): GraphProblem[] => new Inspection({ input_schema: null, output_mapping: undefined, ...plan }, known).whole();

/** What a definition refers to, as it is written: whoever keeps those must know who uses them. */
export function referencesOf(steps: readonly FlowStep[]): { agents: string[]; tools: string[]; workflows: string[] } {
  const all = allSteps([...steps]);
  const found = (of: (step: FlowStep) => (string | undefined)[]) => [
    ...new Set(all.flatMap(of).filter((name) => name !== undefined)),
  ];
  return {
    agents: found((step) => (step.type === 'agent' ? [step.agent_id ?? step.agent] : [])),
    tools: found((step) => (step.type === 'tool' ? [step.tool_id ?? step.tool] : [])),
    workflows: found((step) => (step.type === 'workflow' ? [step.workflow_id ?? step.workflow] : [])),
  };
}
