import type { Considered, Dispatched, PlanStep } from '../domain/dispatch.ts';
import type { Chosen } from './dispatch-api.ts';

/** One thing a person can choose: a tool, an agent, or several in a row. */
export interface Choice {
  title: string;
  kind: 'tool' | 'agent' | 'plan';
  /** What it does. */
  does: string;
  reason: string;
  confidence: number;
  chosen: Chosen;
}

/** What was chosen, as it is told where it is at work. */
export interface Told {
  title: string;
  reasoning: string;
  confidence: number;
  by: 'longhaul' | 'you';
}

export type Outcome =
  /** One agent: a conversation with it. */
  | { kind: 'chat'; agent_id: string; told: Told }
  /** Everything else: a run of the plan as it is told here. */
  | { kind: 'plan'; plan: PlanStep[]; told: Told }
  /** It is clear what is meant, and something that it needs was not said. */
  | { kind: 'lacks'; told: Told; missing: string }
  | { kind: 'choose'; reasoning: string; choices: Choice[] }
  /** With what comes closest, if anything does. */
  | { kind: 'nothing'; reasoning: string; choices: Choice[] };

const MOST_CHOICES = 5;
const UNCLEAR = 'What you ask for is not clear enough to go on without you.';
const FAR = 'Nothing that may be used here seems to be made for this.';

const isOf = ({ type }: Considered, kind: Considered['type']): boolean => type === kind;

const chosenOf = (all: readonly Considered[]): Chosen => ({
  tools: all.filter((each) => isOf(each, 'tool')).map(({ name }) => name),
  agents: all.filter((each) => isOf(each, 'agent')).map(({ name }) => name),
});

const alone = (each: Considered): Choice => ({
  title: each.title,
  kind: each.type,
  does: each.description,
  reason: each.reason === each.description ? '' : each.reason,
  confidence: each.confidence,
  chosen: chosenOf([each]),
});

/** Several that are chosen by name run one after the other, tools first: where that is not the plan, each stands alone. */
const keepsOrder = (selected: readonly Considered[], plan: readonly PlanStep[]): boolean =>
  plan.slice(1).every(({ depends_on }) => depends_on.length > 0) &&
  selected.every((each, n) => n === 0 || !isOf(each, 'tool') || selected.slice(0, n).every((one) => isOf(one, 'tool')));

function together(selected: readonly Considered[], confidence: number): Choice {
  return {
    title: selected.map(({ title }) => title).join(', then '),
    kind: 'plan',
    does: 'One after the other; each is given what the one before came to.',
    reason: selected.map(({ title, reason }) => `${title}: ${reason}`).join(' '),
    confidence,
    chosen: chosenOf(selected),
  };
}

/** What is offered where people are asked, most likely first. */
export function choicesOf({ candidates, routing_decision, execution_plan }: Dispatched): Choice[] {
  const selected = candidates.filter((each) => each.selected);
  const others = candidates.filter((each) => !each.selected).map(alone);
  const isPlan = selected.length > 1 && keepsOrder(selected, execution_plan);
  const first = isPlan ? [together(selected, routing_decision.confidence)] : selected.map(alone);
  return [...first, ...others.sort((a, b) => b.confidence - a.confidence)].slice(0, MOST_CHOICES);
}

const titleOf = ({ execution_plan: plan }: Dispatched): string => {
  const isSequence = plan.some(({ depends_on }) => depends_on.length > 0);
  return plan.map(({ title }) => title).join(isSequence ? ', then ' : ' and ');
};

/** What of a tool's arguments the question did not give, in words. */
const missingOf = ({ execution_plan }: Pick<Dispatched, 'execution_plan'>): string =>
  execution_plan
    .filter(({ missing }) => missing.length > 0)
    .map(({ title, missing }) => `${title} needs ${missing.join(', ')}`)
    .join('; ');

/** Why nothing was selected does not fit above those that have a reason of their own. */
const lead = (reasoning: string, plan: readonly PlanStep[], choices: readonly Choice[], words: string): string =>
  plan.length === 0 && choices.some(({ reason }) => reason !== '') ? words : reasoning;

/** What follows from a decision. */
export function outcomeOf(dispatched: Dispatched): Outcome {
  const { requires_disambiguation, reasoning, confidence } = dispatched.routing_decision;
  const plan = dispatched.execution_plan;
  const choices = choicesOf(dispatched);
  if (requires_disambiguation && choices.length > 0) {
    return { kind: 'choose', reasoning: lead(reasoning, plan, choices, UNCLEAR), choices };
  }
  const [first] = plan;
  if (!first) return { kind: 'nothing', reasoning: lead(reasoning, plan, choices, FAR), choices };
  const by = dispatched.decided_by === 'caller' ? 'you' : 'longhaul';
  const [only, ...more] = dispatched.candidates.filter((each) => each.selected);
  // By relevance, what is said of the one that was selected says it all.
  const why = dispatched.decided_by === 'shortlist' && only && more.length === 0 ? only.reason : reasoning;
  const told: Told = { title: titleOf(dispatched), reasoning: why, confidence, by };
  if (plan.length === 1 && first.type === 'agent') return { kind: 'chat', agent_id: first.name, told };
  const missing = missingOf(dispatched);
  return missing === '' ? { kind: 'plan', plan, told } : { kind: 'lacks', told, missing };
}

const WORDS: [number, string][] = [
  [0.9, 'Almost certain'],
  [0.7, 'Likely'],
  [0.4, 'Quite possible'],
  [0.15, 'Possible'],
  [0, 'Unlikely'],
];

/** How sure it is, for people: a word, and the figure for those who compare. */
export function confidenceWords(confidence: number): string {
  const [, word = 'Unlikely'] = WORDS.find(([least]) => confidence >= least) ?? [];
  return `${word} · ${Math.round(confidence * 100)} %`;
}

/** Handed over with the address of the conversation, where it survives a reload; whatever else stands there is none. */
export function toldIn(state: unknown): Told | null {
  if (typeof state !== 'object' || state === null || !('dispatched' in state)) return null;
  const { dispatched } = state;
  if (typeof dispatched !== 'object' || dispatched === null) return null;
  const { title, reasoning, confidence, by } = {
    title: '',
    reasoning: '',
    confidence: 0,
    by: 'longhaul',
    ...dispatched,
  };
  if (typeof title !== 'string' || typeof reasoning !== 'string' || typeof confidence !== 'number') return null;
  return { title, reasoning, confidence, by: by === 'you' ? 'you' : 'longhaul' };
}
