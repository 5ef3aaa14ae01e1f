import { z } from 'zod';
import { type Block, diffOfLines } from './line-diff.ts';
import { linesOf } from './text.ts';

const REGION_KINDS = ['same', 'current', 'proposed', 'both', 'conflict'] as const;

const sideSchema = z.object({ start_line: z.number(), lines: z.array(z.string()) });

/**
 * A stretch of the three-way compare: `same` on all sides, changed in `current` or `proposed` alone, in `both` to the
 * same text, or to different ones (`conflict`). Lines come with their ends; `start_line` counts from 1, also of none.
 */
export const regionSchema = z.object({
  kind: z.enum(REGION_KINDS),
  base: sideSchema,
  current: sideSchema,
  proposed: sideSchema,
});
export type Region = z.infer<typeof regionSchema>;

/** One side against the base, read from the top: how far its blocks have been taken, and by how much it is shifted. */
class Side {
  private taken = 0;
  private shift = 0;
  constructor(
    readonly lines: readonly string[],
    private readonly blocks: readonly Block[],
  ) {}

  next = (): Block | undefined => this.blocks[this.taken];

  /** Takes the blocks that begin within the base up to `end`, and says how far they reach. */
  reach(end: number): number {
    let to = end;
    for (let block = this.next(); block && block.old_at <= to; block = this.next()) {
      to = Math.max(to, block.old_at + block.old_count);
      this.shift += block.new_count - block.old_count;
      this.taken++;
    }
    return to;
  }

  at = (base: number): number => base + this.shift;
  part = (from: number, to: number): Region['base'] => ({ start_line: from + 1, lines: this.lines.slice(from, to) });
}

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i]);

/** Current file, checkpoint base and what the run proposed, side by side. No file counts as an empty one. */
export function compareThree(current: string | null, base: string | null, proposed: string | null): Region[] {
  const [ours, old, theirs] = [current, base, proposed].map((text) => linesOf(text ?? ''));
  if (!ours || !old || !theirs) return [];
  const left = new Side(ours, diffOfLines(old, ours));
  const right = new Side(theirs, diffOfLines(old, theirs));
  const regions: Region[] = [];
  let at = 0;
  const add = (to: number, kind: Region['kind'] | null, l: number, r: number): void => {
    const [mine, other] = [left.part(l, left.at(to)), right.part(r, right.at(to))];
    regions.push({
      kind: kind ?? (isEqual(mine.lines, other.lines) ? 'both' : 'conflict'),
      base: { start_line: at + 1, lines: old.slice(at, to) },
      current: mine,
      proposed: other,
    });
    at = to;
  };
  for (;;) {
    const start = Math.min(left.next()?.old_at ?? old.length, right.next()?.old_at ?? old.length);
    if (start > at) add(start, 'same', left.at(at), right.at(at));
    if (!left.next() && !right.next()) return regions;
    const [l, r] = [left.at(at), right.at(at)];
    let end = start;
    let [mine, others] = [false, false];
    // One side's change may reach into the next of the other, and so on.
    for (let grown = true; grown; ) {
      const before = end;
      const [a, b] = [left.next(), right.next()];
      end = right.reach(left.reach(end));
      mine ||= a !== left.next();
      others ||= b !== right.next();
      grown = end > before;
    }
    add(end, mine && others ? null : mine ? 'current' : 'proposed', l, r);
  }
}
