import { isFailure } from '../domain/failures.ts';
import type { Standing } from '../files/checkout-repository.ts';
import type { CheckoutSnapshot } from '../store/checkout-snapshots.ts';

export interface SnapshotLimits {
  /** After so many that stand on each other comes one that stands on the base alone, so that none is far from it. */
  depth: number;
  /** Bytes of one; that of the repository where it is not said. */
  packed?: number;
}

export const isTooLarge = (error: unknown): boolean => isFailure(error) && error.code === 'files_too_large';

export const standingOf = ({ commit, tree, head, refs }: CheckoutSnapshot): Standing => ({
  commit,
  tree,
  head,
  refs: Object.fromEntries(refs),
});

/** A run that goes on from another on a branch of its own: what that one called its branch is called so here. */
export function onBranch(standing: Standing, from: string, to: string): Standing {
  const [old, now] = [`refs/heads/${from}`, `refs/heads/${to}`];
  const named = (name: string): string => (name === old ? now : name);
  return {
    ...standing,
    head: named(standing.head),
    refs: Object.fromEntries(Object.entries(standing.refs).map(([name, commit]) => [named(name), commit])),
  };
}
