import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Failure } from './failures.ts';
import { isRecord } from './json-value.ts';
import { storageProblem } from './storable.ts';

type JsonSchema = Record<string, unknown>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that only a schema has: without any of them, an object is a map of properties. */
const KEYWORDS = words(
  '$schema $id $ref $defs type properties required items enum const anyOf oneOf allOf not additionalProperties',
);
/** Those that take a schema or a map of them, and so could be the names of properties just as well. */
const HOLDING = words(
  '$defs definitions properties patternProperties additionalProperties unevaluatedProperties propertyNames items ' +
    'unevaluatedItems contains not if then else dependentSchemas dependentRequired default',
);

/** A property may be called like a keyword (`type`, `items`): then all are schemas, and a schema would not hold them. */
function isMapOfProperties(given: JsonSchema): boolean {
  const names = Object.keys(given);
  if (names.length === 0) return false;
  if (!names.some((name) => KEYWORDS.has(name))) return true;
  return names.every((name) => isRecord(given[name])) && names.some((name) => !HOLDING.has(name));
}

/** A bare map of properties is read as an object that requires them all. */
export const asSchema = (given: JsonSchema): JsonSchema =>
  isMapOfProperties(given)
    ? { type: 'object', properties: given, required: Object.keys(given), additionalProperties: false }
    : given;

export type OutputCheck = (text: string) => { ok: true; value: unknown } | { ok: false; errors: string[] };

const said = ({ instancePath, message = 'does not fit', params }: ErrorObject): string => {
  const more = 'additionalProperty' in params ? ` (${String(params.additionalProperty)})` : '';
  return `${instancePath || '(whole)'} ${message}${more}`;
};

/** Models like to wrap JSON in a code fence; what is within it is what they mean. */
const unfenced = (text: string): string => /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

const MOST_ERRORS = 20;

type Fits = (value: unknown) => string[];

/** Said by who matches patterns: nobody knows whether the text fits, and nobody has the time to find out. */
export class PatternTooSlow extends Error {
  override readonly name = 'PatternTooSlow';
  constructor(readonly pattern: string) {
    super(`the pattern ${pattern.slice(0, 100)} takes too long on this text`);
  }
}

type PatternEngine = (pattern: string, flags: string) => { test: (text: string) => boolean };
let engine: PatternEngine = (pattern, flags) => new RegExp(pattern, flags);

/** For a process that others depend on: how long a pattern may take is not for whoever wrote it to say. */
export const matchPatternsWith = (given: PatternEngine): void => {
  engine = given;
};

/** As ajv takes it: it tells patterns apart by how they are written. The code is for schemas compiled ahead. */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    const expression = engine(pattern, flags);
    return { test: (text: string) => expression.test(text), toString: () => `/${pattern}/${flags}` };
  },
  { code: 'new RegExp' },
);

/** A text that takes too long to look at does not fit. */
function problemsOf(fits: ValidateFunction, value: unknown): string[] {
  try {
    return fits(value) ? [] : (fits.errors ?? []).slice(0, MOST_ERRORS).map(said);
  } catch (error) {
    if (error instanceof PatternTooSlow) return [error.message];
    throw error;
  }
}

const OPTIONS = { allErrors: true, strict: false, validateFormats: true };
const DIALECTS = { older: Ajv, ours: Ajv2020 };
type Dialect = keyof typeof DIALECTS;

/** What tells a schema from anything else is compiled once for each: that takes longer than all the rest. */
const judges: Partial<Record<Dialect, Ajv>> = {};

function judgeOf(dialect: Dialect): Ajv {
  const judge = judges[dialect] ?? addFormats.default(new DIALECTS[dialect](OPTIONS));
  judges[dialect] = judge;
  return judge;
}

/** A schema that is none is refused with what is wrong with it. */
function compile(schema: JsonSchema): Fits {
  // Ours are of 2020-12; what others describe their tools with says so where it is older.
  const dialect = /draft-0[467]/.test(String(schema.$schema ?? '')) ? 'older' : 'ours';
  const whole = asSchema(schema);
  try {
    judgeOf(dialect).validateSchema(whole, true);
    // One of its own: names that schemas give themselves are no business of others, and it goes with the schema.
    const ajv = addFormats.default(new DIALECTS[dialect]({ ...OPTIONS, code: { regExp }, validateSchema: false }));
    const fits = ajv.compile(whole);
    return (value) => problemsOf(fits, value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure('invalid_schema', `This is not a JSON Schema (2020-12): ${why}`, {}, { cause });
  }
}

/** What is wrong with the arguments of a call; nothing where there is no schema to fit. */
export const argumentCheck = (schema: JsonSchema | null): Fits => (schema ? compile(schema) : () => []);

/** Compiled once per run. */
export function outputCheck(schema: JsonSchema): OutputCheck {
  const problems = compile(schema);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(unfenced(text));
    } catch (error) {
      return { ok: false, errors: [`not JSON: ${error instanceof Error ? error.message : String(error)}`] };
    }
    const unstorable = storageProblem(value);
    const errors = unstorable ? [unstorable] : problems(value);
    return errors.length === 0 ? { ok: true, value } : { ok: false, errors };
  };
}

export const rejection = (errors: string[]): string =>
  ['Your answer does not fit the required output schema:', ...errors.map((error) => `- ${error}`)].join('\n') +
  '\nAnswer again with nothing but JSON that fits the schema.';
