import type { Names } from './expression-value.ts';
import { type RunError, runError } from './failures.ts';
import { isRecord } from './json-value.ts';
import { isMet, mapped } from './mapping.ts';
import type { FlowStep, StepOf } from './workflow-definition.ts';

/** What a step begins with; with an error it ends as soon as it has begun. */
export interface StepInput {
  input: unknown;
  until?: string;
  error?: RunError;
}

/** The furthest time a date can name. */
const MOST_MS = 8.64e15;

function demand(value: unknown, fits: (value: unknown) => boolean, said: string): StepInput {
  if (fits(value)) return { input: value };
  const shown = JSON.stringify(value)?.slice(0, 100) ?? 'nothing';
  return { input: value, error: runError('bad_mapping', `${said}, not ${shown}.`) };
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Of a time in ISO 8601; without an offset it is UTC, wherever it is read. NaN where it is none. */
export function readTime(text: unknown): number {
  const [whole, offset] = (typeof text === 'string' && TIME.exec(text.trim())) || [];
  if (whole === undefined) return Number.NaN;
  return Date.parse(whole.includes('T') && offset === undefined ? `${whole}Z` : whole);
}

/** Nothing and lists would count as zero, and yes as one. */
const readSeconds = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;

function waitOf(step: StepOf<'wait'>, names: Names, now: number): StepInput {
  const value = mapped(step.until ?? step.duration, names);
  const time = step.until === undefined ? now + readSeconds(value) * 1000 : readTime(value);
  if (Number.isFinite(time) && Math.abs(time) < MOST_MS) return { input: null, until: new Date(time).toISOString() };
  return { input: null, error: runError('bad_mapping', `The step ${step.id} has no time to wait for.`) };
}

/** `given` takes the place of what the mapping says. */
export function inputOf(step: FlowStep, names: Names, given: { value: unknown } | null, now: number): StepInput {
  const filled = (mapping: unknown, otherwise: unknown) =>
    given ? given.value : mapping === undefined ? otherwise : mapped(mapping, names);
  switch (step.type) {
    case 'agent':
    case 'workflow':
      return { input: filled(step.input_mapping, names.input) };
    case 'tool':
      return demand(filled(step.input_mapping, {}), isRecord, 'The arguments of a tool have names');
    case 'approval':
      return demand(filled(step.input_mapping, {}), isRecord, 'What is shown has names');
    case 'map':
      return demand(filled(step.over, []), Array.isArray, 'A map goes over a list');
    case 'condition':
      return { input: isMet(step.if, names) };
    case 'parallel':
      return { input: null };
    case 'wait':
      return waitOf(step, names, now);
  }
}
