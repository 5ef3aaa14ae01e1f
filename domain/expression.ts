/**
 * The language of mappings and conditions: paths into what a run knows, comparisons, and a few functions. Small on
 * purpose: it has no clock, no loops and nothing to call outside of itself, so that it comes to the same wherever and
 * however often it is evaluated.
 */
export type Expression =
  | { is: 'value'; value: unknown }
  | { is: 'path'; root: string; keys: Expression[] }
  | { is: 'not'; of: Expression }
  | { is: 'binary'; op: string; left: Expression; right: Expression }
  | { is: 'call'; name: string; args: Expression[] };

/** What is wrong with an expression, in words for who wrote it. */
export class ExpressionProblem extends Error {
  override readonly name = 'ExpressionProblem';
}

const refuse = (message: string): never => {
  throw new ExpressionProblem(message);
};

const TOKEN =
  /\s*(?:(?<number>-?\d+(?:\.\d+)?)|(?<text>"[^"]*"|'[^']*')|(?<word>[A-Za-z_][\w-]*)|(?<sign>\?\?|==|!=|<=|>=|&&|\|\||[<>!()[\],.]))/y;

interface Token {
  kind: 'number' | 'text' | 'word' | 'sign' | 'end';
  text: string;
}

const MOST_TOKENS = 500;

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    if (!groups) return refuse(`“${source.slice(at).trim().slice(0, 20)}” is not understood`);
    for (const kind of ['number', 'text', 'word', 'sign'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text });
    }
    if (tokens.length > MOST_TOKENS) return refuse('it is too long');
  }
  return [...tokens, { kind: 'end', text: '' }];
}

/** Loosest first. `and`, `or` and `not` may be written as signs, too. */
const LEVELS: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'contains'],
  ['??'],
];
const SPELLED: Record<string, string> = { '&&': 'and', '||': 'or', '!': 'not' };
const CONSTANTS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class Parser {
  private at = 0;
  private depth = 0;
  constructor(private readonly tokens: Token[]) {}

  private get next(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: '' };
  }

  private operator(): string {
    const { kind, text } = this.next;
    return kind === 'sign' || kind === 'word' ? (SPELLED[text] ?? text) : '';
  }

  private expect(sign: string): void {
    if (this.next.kind !== 'sign' || this.next.text !== sign) refuse(`“${sign}” is missing`);
    this.at += 1;
  }

  whole(): Expression {
    if (this.next.kind === 'end') refuse('it is empty');
    const expression = this.level(0);
    if (this.next.kind !== 'end') refuse(`“${this.next.text}” is not expected here`);
    return expression;
  }

  private level(n: number): Expression {
    const operators = LEVELS[n];
    if (!operators) return this.unary();
    let left = this.level(n + 1);
    while (operators.includes(this.operator())) {
      const op = this.operator();
      this.at += 1;
      left = { is: 'binary', op, left, right: this.level(n + 1) };
    }
    return left;
  }

  private unary(): Expression {
    if (this.operator() !== 'not') return this.primary();
    this.at += 1;
    return { is: 'not', of: this.unary() };
  }

  private inner(): Expression {
    this.depth += 1;
    if (this.depth > 20) refuse('it is nested too deep');
    const expression = this.level(0);
    this.depth -= 1;
    return expression;
  }

  private primary(): Expression {
    const { kind, text } = this.next;
    this.at += 1;
    if (kind === 'number') return { is: 'value', value: Number(text) };
    if (kind === 'text') return { is: 'value', value: text.slice(1, -1) };
    if (kind === 'sign' && text === '(') {
      const expression = this.inner();
      this.expect(')');
      return expression;
    }
    if (kind !== 'word') return refuse(kind === 'end' ? 'it breaks off' : `“${text}” is not expected here`);
    if (CONSTANTS.has(text)) return { is: 'value', value: CONSTANTS.get(text) };
    if (this.next.text === '(' && this.next.kind === 'sign') return this.call(text);
    return { is: 'path', root: text, keys: this.keys() };
  }

  private call(name: string): Expression {
    this.at += 1;
    const args: Expression[] = [];
    while (this.next.text !== ')' || this.next.kind !== 'sign') {
      if (args.length > 0) this.expect(',');
      args.push(this.inner());
    }
    this.at += 1;
    return { is: 'call', name, args };
  }

  private keys(): Expression[] {
    const keys: Expression[] = [];
    for (;;) {
      const { kind, text } = this.next;
      if (kind !== 'sign' || (text !== '.' && text !== '[')) return keys;
      this.at += 1;
      if (text === '[') {
        keys.push(this.inner());
        this.expect(']');
        continue;
      }
      const key = this.next;
      if (key.kind !== 'word' && key.kind !== 'number') refuse('a name is missing after “.”');
      this.at += 1;
      keys.push({ is: 'value', value: key.text });
    }
  }
}

export const parseExpression = (source: string): Expression => new Parser(tokensOf(source)).whole();

/** Every path and function an expression names, however deep. */
export function partsOf(expression: Expression): Extract<Expression, { is: 'path' | 'call' }>[] {
  switch (expression.is) {
    case 'value':
      return [];
    case 'not':
      return partsOf(expression.of);
    case 'binary':
      return [...partsOf(expression.left), ...partsOf(expression.right)];
    case 'call':
      return [expression, ...expression.args.flatMap(partsOf)];
    case 'path':
      return [expression, ...expression.keys.flatMap(partsOf)];
  }
}
