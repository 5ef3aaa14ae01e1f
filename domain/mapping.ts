import { type Expression, ExpressionProblem, parseExpression, partsOf } from './expression.ts';
import { asText, evaluate, FUNCTIONS, isTruthy, type Names } from './expression-value.ts';

/**
 * Values with `{{ expressions }}` in their texts. A text that is one whole expression keeps the type of its value; in
 * any other, values are written as text.
 */
const EXPRESSION = /\{\{((?:[^"'}]|\}(?!\})|"[^"]*"|'[^']*')*)\}\}/g;

type Part = string | Expression;

function partsOfText(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(EXPRESSION)) {
    parts.push(text.slice(end, match.index), parseExpression(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  const rest = text.slice(end);
  if (rest.includes('{{'))
    throw new ExpressionProblem(`“${rest.slice(rest.indexOf('{{')).slice(0, 30)}” is not closed`);
  return [...parts, rest].filter((part) => part !== '');
}

const wholeOf = (text: string): Expression | null => {
  const parts = partsOfText(text);
  const [only] = parts;
  return parts.length === 1 && typeof only === 'object' ? only : null;
};

function textValue(text: string, names: Names): unknown {
  const whole = wholeOf(text);
  if (whole) return evaluate(whole, names, true);
  return partsOfText(text)
    .map((part) => (typeof part === 'string' ? part : asText(evaluate(part, names, true))))
    .join('');
}

/** The mapping with everything put in. Throws an ExpressionProblem where a path leads nowhere. */
export function mapped(mapping: unknown, names: Names): unknown {
  if (typeof mapping === 'string') return textValue(mapping, names);
  if (Array.isArray(mapping)) return mapping.map((each) => mapped(each, names));
  if (typeof mapping !== 'object' || mapping === null) return mapping;
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, mapped(value, names)]));
}

/** A condition may be written with or without its brackets; a path that leads nowhere is null in it. */
const conditionOf = (text: string): Expression => wholeOf(text.trim()) ?? parseExpression(text);
export const isMet = (condition: string, names: Names): boolean =>
  isTruthy(evaluate(conditionOf(condition), names, false));

/** A path as far as it is known without running: its first name, and the fixed ones after it. */
export interface Mention {
  root: string;
  keys: string[];
}

function mentionsIn(expression: Expression): Mention[] {
  return partsOf(expression).flatMap((part): Mention[] => {
    if (part.is === 'call') {
      const known = FUNCTIONS.get(part.name);
      if (!known)
        throw new ExpressionProblem(`there is no function ${part.name}; there are ${[...FUNCTIONS.keys()].join(', ')}`);
      if (part.args.length < known.least || part.args.length > known.most)
        throw new ExpressionProblem(
          `${part.name} takes ${known.least === known.most ? known.least : `${known.least} to ${known.most}`} value(s)`,
        );
      return [];
    }
    const fixed = part.keys.findIndex((key) => key.is !== 'value');
    const keys = (fixed < 0 ? part.keys : part.keys.slice(0, fixed)).flatMap((key) =>
      key.is === 'value' ? [String(key.value)] : [],
    );
    return [{ root: part.root, keys }];
  });
}

/** Everything a mapping refers to, with the place in it; throws an ExpressionProblem where it cannot be read. */
export function mentionsOf(mapping: unknown): Mention[] {
  if (typeof mapping === 'string')
    return partsOfText(mapping).flatMap((part) => (typeof part === 'string' ? [] : mentionsIn(part)));
  if (Array.isArray(mapping)) return mapping.flatMap(mentionsOf);
  if (typeof mapping !== 'object' || mapping === null) return [];
  return Object.values(mapping).flatMap(mentionsOf);
}

export const mentionsOfCondition = (condition: string): Mention[] => mentionsIn(conditionOf(condition));
