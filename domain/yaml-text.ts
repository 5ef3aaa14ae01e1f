import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { storageProblem } from './storable.ts';

export interface YamlProblem {
  /** From 1; null where it is about the whole. */
  line: number | null;
  message: string;
}

export interface YamlText {
  value: unknown;
  problems: YamlProblem[];
  /** Where something stands, or the nearest that is there of what it would stand in. */
  lineOf: (path: readonly PropertyKey[]) => number | null;
}

const MAX_ALIASES = 100;

/** Only what JSON has, too: no infinite numbers. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value);
  return Object.values(value).every(isPlain);
}

const broken = (message: string): YamlText => ({
  value: null,
  problems: [{ line: null, message }],
  lineOf: () => null,
});

/** The value under a key or index, and where the two begin. */
function step(document: Document, node: unknown, key: PropertyKey): { node: unknown; at: number | undefined } | null {
  const actual = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(actual)) {
    const item = actual.items[Number(key)] as Node | undefined;
    return item ? { node: item, at: item.range?.[0] } : null;
  }
  if (!isMap(actual)) return null;
  const pair = actual.items.find((each) => String(isScalar(each.key) ? each.key.value : each.key) === String(key));
  return pair ? { node: pair.value, at: (pair.key as Node).range?.[0] } : null;
}

/** YAML 1.2 of one document, with what is wrong with it and where everything stands. */
export function readYaml(text: string): YamlText {
  const counter = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  try {
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
    const problems = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
      line: lineAt(pos[0]),
      message,
    }));
    if (problems.length > 0) return { value: null, problems, lineOf: () => null };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // First, since an alias may lead back to what it stands in.
    const unstorable = storageProblem(value);
    if (unstorable) return broken(unstorable);
    if (!isPlain(value)) return broken('only what JSON can hold');
    const lineOf = (path: readonly PropertyKey[]): number | null => {
      let found: { node: unknown; at: number | undefined } | null = { node: document.contents, at: undefined };
      let line: number | null = null;
      for (const key of path) {
        found = step(document, found.node, key);
        if (!found) break;
        if (found.at !== undefined) line = lineAt(found.at);
      }
      return line;
    };
    return { value, problems: [], lineOf };
  } catch (error) {
    // Too many aliases, or brackets nested so deep that the parser itself gives up.
    return broken(error instanceof Error ? error.message : String(error));
  }
}

/** Lines of nothing but spaces do not come back out of a block as they went in; neither does a beginning of spaces. */
const readsWellAsBlock = (text: string): boolean =>
  /^\S/.test(text) && !/^[^\S\n]+$/m.test(text) && !/[\r\u2028\u2029\u0085]/.test(text);

/** Texts of several lines as they are, everything else in the plainest way that reads back the same. */
export function writeYaml(value: Record<string, unknown>): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== 'string' || !node.value.includes('\n')) return;
      node.type = readsWellAsBlock(node.value) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 });
}
