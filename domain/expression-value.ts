import { type Expression, ExpressionProblem } from './expression.ts';
import { isRecord, isSameValue } from './json-value.ts';

/** What paths begin with: `input`, `steps`, `state` … */
export type Names = Readonly<Record<string, unknown>>;

/** A path that leads nowhere; a default (`??`) takes its place. */
const NOWHERE = Symbol('nowhere');

export const asText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 0;
};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

interface Fn {
  /** With how many arguments it is called. */
  least: number;
  most: number;
  of: (...args: unknown[]) => unknown;
}
const one = (of: (value: unknown) => unknown): Fn => ({ least: 1, most: 1, of });

export const FUNCTIONS: ReadonlyMap<string, Fn> = new Map([
  ['size', one(sizeOf)],
  ['json', one((value) => JSON.stringify(value ?? null))],
  ['string', one(asText)],
  ['number', one((value) => (Number.isFinite(Number(value)) ? Number(value) : null))],
  ['lower', one((value) => asText(value).toLowerCase())],
  ['upper', one((value) => asText(value).toUpperCase())],
  ['first', one((value) => listOf(value)[0] ?? null)],
  ['last', one((value) => listOf(value).at(-1) ?? null)],
  ['keys', one((value) => (isRecord(value) ? Object.keys(value) : []))],
  ['join', { least: 1, most: 2, of: (value, by = ', ') => listOf(value).map(asText).join(asText(by)) }],
]);

function member(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    const index = Number(key);
    return Number.isInteger(index) && index >= 0 && index < value.length ? value[index] : NOWHERE;
  }
  return isRecord(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : NOWHERE;
}

/** Numbers with numbers and texts with texts: what is neither is in no order. */
function isBefore(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  return typeof a === 'string' && typeof b === 'string' && a < b;
}
const isOrdered = (a: unknown, b: unknown): boolean => typeof a === typeof b && ['number', 'string'].includes(typeof a);

function holds(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part);
  if (Array.isArray(whole)) return whole.some((each) => isSameValue(each, part));
  return isRecord(whole) && typeof part === 'string' && Object.hasOwn(whole, part);
}

/** Nothing, no, zero, and what is empty. */
export const isTruthy = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value) ? Object.keys(value).length > 0 : Boolean(value);
};

function compare(op: string, a: unknown, b: unknown): boolean {
  switch (op) {
    case '==':
      return isSameValue(a, b);
    case '!=':
      return !isSameValue(a, b);
    case '<':
      return isBefore(a, b);
    case '>':
      return isBefore(b, a);
    case '<=':
      return isOrdered(a, b) && !isBefore(b, a);
    case '>=':
      return isOrdered(a, b) && !isBefore(a, b);
    case 'in':
      return holds(b, a);
    default:
      return holds(a, b);
  }
}

/** As it would be written, to say which path it was. */
const written = (root: string, keys: unknown[]): string =>
  [root, ...keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))].join('');

/**
 * Strict where a path that leads nowhere is a mistake to be told; otherwise it is null, as in conditions, which ask.
 */
export function evaluate(expression: Expression, names: Names, strict: boolean): unknown {
  const at = (inner: Expression): unknown => {
    const value = found(inner, strict);
    return value === NOWHERE ? null : value;
  };
  const found = (inner: Expression, demanding: boolean): unknown => {
    switch (inner.is) {
      case 'value':
        return inner.value;
      case 'not':
        return !isTruthy(at(inner.of));
      case 'call':
        return FUNCTIONS.get(inner.name)?.of(...inner.args.map(at)) ?? null;
      case 'binary': {
        if (inner.op === '??') {
          const left = found(inner.left, false);
          return left === NOWHERE || left === null ? found(inner.right, demanding) : left;
        }
        if (inner.op === 'and') return isTruthy(at(inner.left)) && isTruthy(at(inner.right));
        if (inner.op === 'or') return isTruthy(at(inner.left)) || isTruthy(at(inner.right));
        return compare(inner.op, at(inner.left), at(inner.right));
      }
      case 'path': {
        const keys = inner.keys.map(at);
        let value = member(names, inner.root);
        for (const key of keys) value = value === NOWHERE ? NOWHERE : member(value, key);
        if (value === NOWHERE && demanding)
          throw new ExpressionProblem(`${written(inner.root, keys)} leads nowhere; write ?? for a default`);
        return value ?? null;
      }
    }
  };
  return at(expression);
}
