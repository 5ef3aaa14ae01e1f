import type { TreeNode } from '../domain/run-tree.ts';

export interface TreeRow {
  run: TreeNode;
  depth: number;
  /** Whether what is below it shows; null where nothing is. */
  open: boolean | null;
}

/** The runs in the order one reads a tree, without what is below those that are closed. */
export function treeRows(runs: readonly TreeNode[], closed: ReadonlySet<string>): TreeRow[] {
  const known = new Set(runs.map(({ id }) => id));
  const children = new Map<string | null, TreeNode[]>();
  for (const run of runs) {
    const parent = run.parent_run_id !== null && known.has(run.parent_run_id) ? run.parent_run_id : null;
    children.set(parent, [...(children.get(parent) ?? []), run]);
  }
  const rows: TreeRow[] = [];
  const add = (run: TreeNode, depth: number): void => {
    const below = children.get(run.id) ?? [];
    const open = below.length === 0 ? null : !closed.has(run.id);
    rows.push({ run, depth, open });
    if (open) for (const child of below) add(child, depth + 1);
  };
  for (const root of children.get(null) ?? []) add(root, 0);
  return rows;
}
