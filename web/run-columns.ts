import type { RunOrder } from '../domain/run-order.ts';

export type ColumnId =
  | 'status'
  | 'agent'
  | 'trigger'
  | 'caller'
  | 'workspace'
  | 'duration'
  | 'usage'
  | 'cost'
  | 'started';

export interface Column {
  id: ColumnId;
  name: string;
  rem: number;
  isFigure: boolean;
  /** What a click on its head sorts by, and what a second one does. */
  sorts: [RunOrder, RunOrder] | null;
  /** The higher, the longer it stays where there is little room. */
  worth: number;
}

/** In the order they stand in, after the task. */
export const COLUMNS: Column[] = [
  { id: 'status', name: 'Status', rem: 9.5, isFigure: false, sorts: ['status', 'status_desc'], worth: 9 },
  { id: 'agent', name: 'Agent', rem: 8, isFigure: false, sorts: ['agent', 'agent_desc'], worth: 7 },
  { id: 'trigger', name: 'Trigger', rem: 5.5, isFigure: false, sorts: ['trigger', 'trigger_desc'], worth: 2 },
  { id: 'caller', name: 'Caller', rem: 5.75, isFigure: false, sorts: ['caller', 'caller_desc'], worth: 3 },
  { id: 'workspace', name: 'Workspace', rem: 8, isFigure: false, sorts: null, worth: 1 },
  { id: 'duration', name: 'Duration', rem: 5.5, isFigure: true, sorts: ['longest', 'shortest'], worth: 6 },
  { id: 'usage', name: 'Iter. / tokens', rem: 6.25, isFigure: true, sorts: ['most_tokens', 'fewest_tokens'], worth: 4 },
  { id: 'cost', name: 'Cost', rem: 4.5, isFigure: true, sorts: ['costliest', 'cheapest'], worth: 5 },
  { id: 'started', name: 'Started', rem: 5.5, isFigure: true, sorts: ['newest', 'oldest'], worth: 8 },
];

const USUAL: ReadonlySet<ColumnId> = new Set([
  'status',
  'agent',
  'trigger',
  'caller',
  'duration',
  'usage',
  'cost',
  'started',
]);

/** The columns a person has chosen; without a choice, the usual ones. */
export function chosenColumns(kept: string | null): Column[] {
  const names = kept === null ? null : new Set(kept.split(','));
  return COLUMNS.filter(({ id }) => (names ? names.has(id) : USUAL.has(id)));
}

export function toggleColumn(kept: string | null, id: ColumnId): string {
  const chosen = new Set(chosenColumns(kept).map((column) => column.id));
  if (!chosen.delete(id)) chosen.add(id);
  return COLUMNS.filter((column) => chosen.has(column.id))
    .map((column) => column.id)
    .join(',');
}

/** What the task keeps: enough to tell runs apart, or as little as somebody's own choice of columns leaves it. */
const TASK_REM = { usual: 17.5, chosen: 11 };
const GAP_REM = 0.75;
const EDGES_REM = 3;

/** Of the chosen columns as many as leave the task readable, the least worth left out first. */
export function fittingColumns(chosen: readonly Column[], widthRem: number, isOwnChoice: boolean): Column[] {
  const room = widthRem - EDGES_REM - TASK_REM[isOwnChoice ? 'chosen' : 'usual'];
  const left = [...chosen].sort((a, b) => b.worth - a.worth);
  while (left.length > 1 && left.reduce((sum, { rem }) => sum + rem + GAP_REM, 0) > room) left.pop();
  return chosen.filter((column) => left.includes(column));
}

/** What a click on a column's head asks for, from what is asked for now. */
export const nextSort = ({ sorts }: Column, now: RunOrder): RunOrder => {
  const [first, second] = sorts ?? ['newest', 'newest'];
  return now === first ? second : first;
};
