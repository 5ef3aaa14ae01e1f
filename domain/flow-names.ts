import { ExpressionProblem } from './expression.ts';
import type { Names } from './expression-value.ts';
import { type RunError, runError } from './failures.ts';
import type { FlowState } from './flow-state.ts';
import { mapped } from './mapping.ts';
import type { FlowStep, StepOf } from './workflow-definition.ts';

/** What the run is, for expressions. */
export interface FlowRun {
  input: unknown;
  /** What does a step: the name of its tool, agent or workflow. */
  nameOf: (step: FlowStep) => string;
  /** Whether a run of its own does it. */
  byRun: (step: FlowStep) => boolean;
  /** Whether a person is asked before a tool is called. */
  confirms: (step: StepOf<'tool'>) => boolean;
  run: { id: string; caller_name: string; started_at: string | null };
}

/** Where a step stands: in which items of which maps, outermost first. */
export interface FlowPlace {
  prefixes: readonly string[];
  items: Readonly<Record<string, unknown>>;
}

export const TOP: FlowPlace = { prefixes: [''], items: {} };

export const addressOf = ({ prefixes }: FlowPlace, id: string): string => `${prefixes.at(-1) ?? ''}${id}`;

export const inItem = (place: FlowPlace, mapId: string, index: number, as: string, item: unknown): FlowPlace => ({
  prefixes: [...place.prefixes, `${addressOf(place, mapId)}[${index}].`],
  items: { ...place.items, [as]: item, index },
});

/** The place of a step that has begun, found by its address: the items it is in are those of the maps around it. */
export function placeIn(flow: FlowState, address: string, asOf: (mapId: string) => string): FlowPlace {
  const items = [...address.matchAll(/([^.[\]]+)\[(\d+)\]\./g)];
  return items.reduce<FlowPlace>((place, [, id = '', n = '0']) => {
    const list = flow.steps.get(addressOf(place, id))?.input;
    return inItem(place, id, Number(n), asOf(id), Array.isArray(list) ? list[Number(n)] : null);
  }, TOP);
}

/** What an expression at a place can speak of: of each step that has ended there or further out, what came of it. */
export function namesAt(flow: FlowState, { input, run }: FlowRun, place: FlowPlace): Names {
  const steps: Record<string, unknown> = {};
  for (const prefix of place.prefixes) {
    for (const { address, id, status, output, error } of flow.steps.values()) {
      if (status !== 'running' && address === `${prefix}${id}`) steps[id] = { output, error, status };
    }
  }
  return { input, steps, state: flow.values, run, ...place.items };
}

type Valued<T> = { ok: true; value: T } | { ok: false; error: RunError };

/** A mapping that leads nowhere fails the step it belongs to, and says how. */
export function tryToFill<T>(evaluate: () => T): Valued<T> {
  try {
    return { ok: true, value: evaluate() };
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    return { ok: false, error: runError('bad_mapping', `A mapping cannot be filled: ${error.message}.`) };
  }
}

export interface Shaped {
  output: unknown;
  /** For the state of the run. */
  values: Record<string, unknown> | null;
}

const OF_STATE = 'state.';

/** What a step gives, once its output mapping was applied to what it came to. */
export function shapedOutput({ output_mapping }: FlowStep, raw: unknown, names: Names): Shaped {
  if (!output_mapping) return { output: raw, values: null };
  const entries = Object.entries(output_mapping).map(([name, mapping]) => [
    name,
    mapped(mapping, { ...names, output: raw }),
  ]);
  const isState = ([name]: unknown[]) => String(name).startsWith(OF_STATE);
  const own = entries.filter((entry) => !isState(entry));
  const state = entries.filter(isState).map(([name, value]) => [String(name).slice(OF_STATE.length), value]);
  return {
    output: own.length > 0 ? Object.fromEntries(own) : raw,
    values: state.length > 0 ? Object.fromEntries(state) : null,
  };
}
