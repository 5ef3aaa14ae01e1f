import { plural } from './format.ts';
import type { CallItem, Item } from './transcript.ts';

/** A line of the activity map: an item, or several calls of one tool folded into one. */
export type Row =
  | { type: 'item'; key: string; item: Item; nested: boolean }
  | { type: 'fold'; key: string; calls: CallItem[]; items: Item[]; open: boolean };

const FOLD_FROM = 3;

const VERBS: Record<string, { now: string; many: (count: number) => string; argument: string }> = {
  read_file: { now: 'Read', many: (n) => `Read ${plural(n, 'file')}`, argument: 'path' },
  list_files: { now: 'List', many: (n) => `Listed ${plural(n, 'folder')}`, argument: 'path' },
  search_content: { now: 'Search', many: (n) => `Searched ${plural(n, 'time')}`, argument: 'query' },
  search_project: { now: 'Search', many: (n) => `Searched ${plural(n, 'time')}`, argument: 'query' },
  write_file: { now: 'Write', many: (n) => `Wrote ${plural(n, 'file')}`, argument: 'path' },
  create_file: { now: 'Create', many: (n) => `Created ${plural(n, 'file')}`, argument: 'path' },
  delete_file: { now: 'Delete', many: (n) => `Deleted ${plural(n, 'file')}`, argument: 'path' },
};

/** What a call does, as a verb and the one argument that matters; an unknown tool by its name. */
export function callWords(call: Pick<CallItem, 'name' | 'arguments'>): { verb: string; object: string } {
  const known = VERBS[call.name];
  const given = call.arguments[known?.argument ?? 'path'] ?? Object.values(call.arguments)[0];
  const object = typeof given === 'string' ? given : '';
  if (!known) return { verb: call.name, object };
  return { verb: known.now, object: object || (call.name === 'list_files' ? '/' : '') };
}

export const foldWords = (calls: readonly CallItem[]): string => {
  const name = calls[0]?.name ?? '';
  return VERBS[name]?.many(calls.length) ?? `${name} × ${calls.length}`;
};

export const foldDuration = (calls: readonly CallItem[]): number =>
  calls.reduce((sum, call) => sum + (call.result?.duration_ms ?? 0), 0);

/** Nothing to look at: it went well, nobody was asked. Whatever failed stays open. */
const isQuietCall = (item: Item): item is CallItem =>
  item.kind === 'call' && item.result?.ok === true && item.action === null && item.question === null;

const isQuietModel = (item: Item): boolean =>
  item.kind === 'model' && item.state === 'done' && item.text.trim() === '' && item.failures.length === 0;

/** The quiet calls of one tool from `from` on, over answers without a word between them, ending with a call. */
function foldAt(items: readonly Item[], from: number): { calls: CallItem[]; length: number } | null {
  const first = items[from];
  if (!first || !isQuietCall(first)) return null;
  const calls: CallItem[] = [];
  let length = 0;
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (!item) break;
    if (isQuietCall(item) && item.name === first.name) {
      calls.push(item);
      length = index - from + 1;
    } else if (!isQuietModel(item)) break;
  }
  return calls.length >= FOLD_FROM ? { calls, length } : null;
}

export function rowsOf(items: readonly Item[], opened: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (!item) continue;
    const fold = foldAt(items, index);
    if (!fold) {
      rows.push({ type: 'item', key: item.key, item, nested: false });
      continue;
    }
    const inside = items.slice(index, index + fold.length);
    const key = `fold-${item.key}`;
    const open = opened.has(key);
    rows.push({ type: 'fold', key, calls: fold.calls, items: inside, open });
    if (open) for (const one of inside) rows.push({ type: 'item', key: one.key, item: one, nested: true });
    index += fold.length - 1;
  }
  return rows;
}
