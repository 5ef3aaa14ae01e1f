import { calledTool } from './call-words.ts';
import { commandOutcome } from './command-outcome.ts';
import type { CallItem, Item } from './transcript-items.ts';

/** Where a row stands: whose log it is from, how deep, and what its key begins with. */
interface Place {
  /** Null for the run of the page itself. */
  run_id: string | null;
  depth: number;
}

/** A line of the activity map: an item, or several calls of one tool folded into one. */
export type Row = Place &
  (
    | {
        type: 'item';
        key: string;
        item: Item /** Whether what is below it shows; null where nothing is. */;
        open: boolean | null;
      }
    | { type: 'fold'; key: string; calls: CallItem[]; items: Item[]; open: boolean }
  );

const FOLD_FROM = 3;

export const foldDuration = (calls: readonly CallItem[]): number =>
  calls.reduce((sum, call) => sum + (call.result?.duration_ms ?? 0), 0);

/** Nothing to look at: it went well, nobody was asked. Whatever failed stays open, and so does another agent's work. */
const isQuietCall = (item: Item): item is CallItem =>
  item.kind === 'call' &&
  item.result?.ok === true &&
  item.action === null &&
  item.question === null &&
  item.delegation === null &&
  commandOutcome(item)?.isGood !== false;

const isQuietModel = (item: Item): boolean =>
  item.kind === 'model' && item.state === 'done' && item.text.trim() === '' && item.failures.length === 0;

/** The quiet calls of one tool from `from` on, over answers without a word between them, ending with a call. */
function foldAt(items: readonly Item[], from: number): { calls: CallItem[]; length: number } | null {
  const first = items[from];
  if (!first || !isQuietCall(first)) return null;
  const { name } = calledTool(first);
  const calls: CallItem[] = [];
  let length = 0;
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (!item) break;
    if (isQuietCall(item) && calledTool(item).name === name) {
      calls.push(item);
      length = index - from + 1;
    } else if (!isQuietModel(item)) break;
  }
  return calls.length >= FOLD_FROM ? { calls, length } : null;
}

/** A node of the map over all runs on it. */
export const nodeKey = (runId: string | null, key: string): string => (runId === null ? key : `${runId}/${key}`);

/** What the runs below have done so far, for those that are known. */
export type Below = (runId: string) => readonly Item[] | undefined;

const NOBODY: Below = () => undefined;
const ROOT: Place = { run_id: null, depth: 0 };

export function rowsOf(
  items: readonly Item[],
  opened: ReadonlySet<string>,
  below: Below = NOBODY,
  { run_id, depth }: Place = ROOT,
): Row[] {
  const rows: Row[] = [];
  const add = (item: Item, at: number): void => {
    const key = nodeKey(run_id, item.key);
    const child = item.kind === 'call' ? (item.delegation?.run_id ?? null) : null;
    const open = child === null ? null : opened.has(key);
    rows.push({ type: 'item', key, run_id, depth: at, item, open });
    if (child === null || !open) return;
    for (const row of rowsOf(below(child) ?? [], opened, below, { run_id: child, depth: at + 1 })) rows.push(row);
  };
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (!item) continue;
    const fold = foldAt(items, index);
    if (!fold) {
      add(item, depth);
      continue;
    }
    const inside = items.slice(index, index + fold.length);
    const key = nodeKey(run_id, `fold-${item.key}`);
    const open = opened.has(key);
    rows.push({ type: 'fold', key, run_id, depth, calls: fold.calls, items: inside, open });
    if (open) for (const one of inside) add(one, depth + 1);
    index += fold.length - 1;
  }
  return rows;
}

/** The runs whose own activity is open on the map. */
export function openRuns(items: readonly Item[], opened: ReadonlySet<string>, below: Below): string[] {
  return rowsOf(items, opened, below).flatMap((row) =>
    row.type === 'item' && row.open && row.item.kind === 'call' && row.item.delegation
      ? [row.item.delegation.run_id]
      : [],
  );
}
