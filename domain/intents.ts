/**
 * What an effect is about to do, written before it does it, so that whoever comes after a crash can find out
 * whether it happened.
 */
export type Intent = StagedIntent | OutsideIntent;
export type StagedIntent = FileIntent | FilesIntent;

/**
 * Each file has a staged one beside its target, which the effect takes away: while it is there as it was made, the effect
 * has not happened.
 */
export type FileIntent =
  /** The staged content takes the place of the target. */
  | { effect: 'rename'; staged: string; target: string; after_hash: string }
  /** The staged content gets a name that must be free. */
  | { effect: 'create'; staged: string; target: string; after_hash: string }
  /** The target is moved over the staged marker, and let go. */
  | { effect: 'remove'; staged: string; target: string; before_hash: string };

/** A patch: each of its files as it would be by itself. */
export interface FilesIntent {
  effect: 'several';
  changes: FileIntent[];
}

/** Something beyond the notebook's files, which nothing can be staged for: the key is all that names it. */
export interface OutsideIntent {
  effect: 'outside';
  key: string;
  /** When it was first begun: who does it again says the same time. */
  at?: string;
}
