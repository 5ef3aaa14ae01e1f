import { type Atom, atomsOf, textOfAtoms } from './atoms.ts';
import { addedBy, BASE, type Change, type FileLog, type LineRef } from './change.ts';

/** A change that cannot be had together with others: it is left out, and comes back when they go. */
export interface ChangeConflict {
  change_id: string;
  hunk_id: string;
  /**
   * `needs`: it was made on lines of changes that are not applied now. `overlaps`: others, earlier in the log, have
   * changed the same lines.
   */
  reason: 'needs' | 'overlaps';
  /** Those changes. */
  with: string[];
  message: string;
}

export type Includes = (change: Change) => boolean;
/** What the editor shows: everything but what was rejected. */
export const notRejected: Includes = ({ status }) => status !== 'rejected';
/** What an apply writes. */
export const accepted: Includes = ({ status }) => status === 'accepted';

const NONE = -1;
const HEAD = 0;

/**
 * All lines a file has ever had in this log, in one order: those of the base and those that each change brought, also
 * the rejected ones. A line shows if whoever brought it is applied and nobody who is applied removed it. So what a
 * choice of changes gives does not depend on the way that led to it, and later edits keep their place when something
 * below them goes.
 */
export class Weave {
  /** By number: 0 stands before the first line, then the base, then change by change. */
  readonly atoms: Atom[];
  readonly order: Int32Array;
  private readonly first = new Map<string, number>();
  /** Which change brought a line; NONE for the base. */
  private readonly bringer: Int32Array;
  private readonly removers: Int32Array;
  private readonly rank: Int32Array;
  readonly applied: boolean[] = [];
  readonly conflicts: ChangeConflict[] = [];

  constructor(
    readonly log: FileLog,
    includes: Includes,
  ) {
    const { changes } = log;
    this.atoms = ['', ...atomsOf(log.base_snapshot)];
    this.first.set(BASE, 1);
    const counts = changes.map((change) => {
      const added = addedBy(change);
      this.first.set(change.id, this.atoms.length);
      for (const atom of added) this.atoms.push(atom);
      return added.length;
    });
    const size = this.atoms.length;
    this.bringer = new Int32Array(size).fill(NONE);
    this.removers = new Int32Array(size).fill(NONE);
    this.order = new Int32Array(size);
    this.rank = new Int32Array(size);
    this.thread(counts);
    this.settle(includes);
  }

  private at({ of, line }: LineRef): number {
    const first = this.first.get(of);
    if (first === undefined) throw new Error(`the change log names lines of ${of}, which it does not hold`);
    return first + line - 1;
  }

  /** Puts the lines of every change behind those it replaces, or behind the one it follows. */
  private thread(counts: readonly number[]): void {
    const size = this.atoms.length;
    const next = new Int32Array(size).fill(NONE);
    const base = size - counts.reduce((sum, count) => sum + count, 0);
    for (let i = 1; i < base; i++) next[i - 1] = i;
    for (const [n, change] of this.log.changes.entries()) {
      const count = counts[n] ?? 0;
      const { removes, after } = change.place;
      const last = removes.at(-1);
      if (count === 0) continue;
      const from = this.first.get(change.id) ?? 0;
      let at = last ? this.at({ of: last.of, line: last.line + last.count - 1 }) : after ? this.at(after) : HEAD;
      const rest = next[at] ?? NONE;
      for (let i = from; i < from + count; i++) {
        this.bringer[i] = n;
        next[at] = i;
        at = i;
      }
      next[at] = rest;
    }
    for (let at = HEAD, n = 0; at !== NONE; at = next[at] ?? NONE, n++) {
      this.order[n] = at;
      this.rank[at] = n;
    }
  }

  shows(at: number): boolean {
    const bringer = this.bringer[at] ?? NONE;
    return at !== HEAD && (bringer === NONE || this.applied[bringer] === true) && this.removers[at] === NONE;
  }

  private removed(change: Change): number[] {
    return change.place.removes.flatMap(({ of, line, count }) => {
      const from = this.at({ of, line });
      return Array.from({ length: count }, (_, i) => from + i);
    });
  }

  /** In the order of the log: who comes later gives way. */
  private settle(includes: Includes): void {
    for (const [n, change] of this.log.changes.entries()) {
      this.applied.push(false);
      if (!includes(change)) continue;
      const removed = this.removed(change);
      const conflict = removed.length > 0 ? this.conflictOver(removed) : this.conflictAround(change);
      if (conflict) {
        this.conflicts.push(this.named(change, conflict));
        continue;
      }
      this.applied[n] = true;
      for (const at of removed) this.removers[at] = n;
    }
  }

  /** Of a line that is back: the change that had removed it and is not applied now. */
  private absentRemover(at: number): number {
    const { of, line } = this.refOf(at);
    const covers = (run: Change['place']['removes'][number]): boolean =>
      run.of === of && run.line <= line && line < run.line + run.count;
    return this.log.changes.findIndex(({ place }, n) => n < this.applied.length - 1 && place.removes.some(covers));
  }

  /** Lines that are to go must be there, and nothing new between them. */
  private conflictOver(removed: readonly number[]): { needs: Set<number>; overlaps: Set<number> } | null {
    const needs = new Set<number>();
    const overlaps = new Set<number>();
    for (const at of removed) {
      const bringer = this.bringer[at] ?? NONE;
      if (bringer !== NONE && !this.applied[bringer]) needs.add(bringer);
      const remover = this.removers[at] ?? NONE;
      if (remover !== NONE) overlaps.add(remover);
    }
    const from = this.rank[removed[0] ?? 0] ?? 0;
    const to = this.rank[removed.at(-1) ?? 0] ?? 0;
    if (to - from + 1 > removed.length) {
      const going = new Set(removed);
      for (let n = from; n < to; n++) {
        const at = this.order[n] ?? 0;
        if (going.has(at) || !this.shows(at)) continue;
        const gone = this.absentRemover(at);
        if (gone !== NONE) needs.add(gone);
        else overlaps.add(this.bringer[at] ?? NONE);
      }
    }
    overlaps.delete(NONE);
    return needs.size + overlaps.size > 0 ? { needs, overlaps } : null;
  }

  /** An insert has lost its place when the same change has taken both its neighbours. */
  private conflictAround({ place }: Change): { needs: Set<number>; overlaps: Set<number> } | null {
    if (!place.after || !place.before) return null;
    const [above, below] = [this.at(place.after), this.at(place.before)];
    const bringer = this.bringer[above] ?? NONE;
    const needs = bringer !== NONE && bringer === this.bringer[below] && !this.applied[bringer];
    const remover = this.removers[above] ?? NONE;
    const overlaps = remover !== NONE && remover === this.removers[below];
    if (!needs && !overlaps) return null;
    return { needs: new Set(needs ? [bringer] : []), overlaps: new Set(overlaps ? [remover] : []) };
  }

  private named(change: Change, { needs, overlaps }: { needs: Set<number>; overlaps: Set<number> }): ChangeConflict {
    const reason = needs.size > 0 ? 'needs' : 'overlaps';
    const others = [...(reason === 'needs' ? needs : overlaps)].flatMap((n) => this.log.changes[n]?.id ?? []);
    const what =
      reason === 'needs'
        ? `was made on ${others.join(', ')}, which is not applied: take that back in, or reject this one too`
        : `changes the same lines as ${others.join(', ')}: reject one of them`;
    return { change_id: change.id, hunk_id: change.hunk_id, reason, with: others, message: `${change.id} ${what}.` };
  }

  /** Who brought a line, and which of its lines it is. */
  refOf(at: number): LineRef {
    const bringer = this.bringer[at] ?? NONE;
    const of = bringer === NONE ? BASE : (this.log.changes[bringer]?.id ?? BASE);
    return { of, line: at - (this.first.get(of) ?? 1) + 1 };
  }

  bringerOf = (at: number): number => this.bringer[at] ?? NONE;
  removerOf = (at: number): number => this.removers[at] ?? NONE;

  /** The numbers of the lines that show, in their order. */
  visible(): number[] {
    const shown: number[] = [];
    for (const at of this.order) if (this.shows(at)) shown.push(at);
    return shown;
  }

  /** Null where there was no file, and nothing that is applied has made one. */
  text(): string | null {
    if (this.log.base_snapshot === null && !this.applied.includes(true)) return null;
    return textOfAtoms(this.visible().map((at) => this.atoms[at] ?? ''));
  }
}

/** The working buffer line by line, and whose the lines are. */
export function visibleAtoms(log: FileLog): { text: string | null; atoms: Atom[]; refs: LineRef[] } {
  const weave = new Weave(log, notRejected);
  const shown = weave.visible();
  return {
    text: weave.text(),
    atoms: shown.map((at) => weave.atoms[at] ?? ''),
    refs: shown.map((at) => weave.refOf(at)),
  };
}
