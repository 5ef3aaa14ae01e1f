import type { Atom } from './atoms.ts';
import { textBytes, withoutEnd } from './text.ts';

export interface HunkLimits {
  max_hunk_lines: number;
  max_hunk_bytes: number;
}

/** Lines that give way to others, and the lines that come. */
export interface Exchange {
  removed: readonly Atom[];
  added: readonly Atom[];
}

/** A part of an exchange: how many of each side it has, and whether it is still too large. */
export interface Piece {
  removed: number;
  added: number;
  oversized: boolean;
}

const bytesOf = (atom: Atom): number => textBytes(atom).length;

const bytesOfAll = (atoms: readonly Atom[]): number => atoms.reduce((sum, atom) => sum + bytesOf(atom), 0);

export function isOversized({ removed, added }: Exchange, { max_hunk_lines, max_hunk_bytes }: HunkLimits): boolean {
  if (removed.length + added.length > max_hunk_lines) return true;
  // A UTF-16 unit takes three bytes at most: mostly there is nothing to count.
  const units = [...removed, ...added].reduce((sum, { length }) => sum + length, 0);
  return units * 3 > max_hunk_bytes && bytesOfAll(removed) + bytesOfAll(added) > max_hunk_bytes;
}

const isBlank = (atom: Atom | undefined): boolean => atom !== undefined && withoutEnd(atom).trim() === '';
const endsSentence = (atom: Atom | undefined): boolean =>
  atom !== undefined && /[.!?…。！？]["'”’»)\]*_]*\s*$/u.test(withoutEnd(atom));
const beginsParagraph = (atom: Atom | undefined): boolean =>
  atom !== undefined && /^\s*(#{1,6}\s|[-*+]\s|\d+[.)]\s|>)/.test(atom);

/** Whether the lines may be cut before `at`: after blank ones, and never between two of them. */
const atBlank = (lines: readonly Atom[], at: number): boolean => isBlank(lines[at - 1]) && !isBlank(lines[at]);
const atSentence = (lines: readonly Atom[], at: number): boolean =>
  endsSentence(lines[at - 1]) || beginsParagraph(lines[at]);

/** How far to look on the shorter side for a blank line to cut at. */
const NEARBY = 10;

/** Sums from the top, to know the bytes of any stretch. */
const sums = (lines: readonly Atom[]): number[] => {
  const total = [0];
  for (const line of lines) total.push((total.at(-1) ?? 0) + bytesOf(line));
  return total;
};

/** Where the shorter side is cut when the longer one is cut at `at`: in proportion, at a blank line if one is near. */
function counterpart(lines: readonly Atom[], at: number, of: number, least: number): number {
  const wanted = Math.max(least, Math.round((lines.length * at) / of));
  for (let d = 0; d <= NEARBY; d++) {
    for (const cut of [wanted - d, wanted + d]) {
      if (cut >= least && cut <= lines.length && atBlank(lines, cut)) return cut;
    }
  }
  return wanted;
}

/**
 * Cuts an exchange that is too large at blank lines, and where there are none at the ends of sentences and paragraphs.
 * What cannot be cut stays as it is and says so.
 */
export function cutToSize(exchange: Exchange, limits: HunkLimits): Piece[] {
  const { removed, added } = exchange;
  const byAdded = added.length >= removed.length;
  const [long, short] = byAdded ? [added, removed] : [removed, added];
  const [longBytes, shortBytes] = [sums(long), sums(short)];
  // With room for the context that a patch has around it.
  const roomy = { lines: Math.max(1, limits.max_hunk_lines - 6), bytes: Math.floor(limits.max_hunk_bytes * 0.9) };

  const pieces: Piece[] = [];
  let [at, other] = [0, 0];
  while (at < long.length) {
    const otherAt = (to: number): number =>
      to === long.length ? short.length : counterpart(short, to, long.length, other);
    const fits = (to: number, lines: number, bytes: number): boolean => {
      const end = otherAt(to);
      const size = (longBytes[to] ?? 0) - (longBytes[at] ?? 0) + (shortBytes[end] ?? 0) - (shortBytes[other] ?? 0);
      return to - at + end - other <= lines && size <= bytes;
    };
    const furthest = (mayCut: (to: number) => boolean): number => {
      let best = -1;
      for (let to = at + 1; to <= long.length && to - at <= limits.max_hunk_lines; to++) {
        if ((to === long.length || mayCut(to)) && fits(to, roomy.lines, roomy.bytes)) best = to;
      }
      return best;
    };
    let to = furthest((cut) => atBlank(long, cut));
    if (to === -1) to = furthest((cut) => atSentence(long, cut));
    if (to === -1) {
      to = at + 1;
      while (to < long.length && !atBlank(long, to) && !atSentence(long, to)) to++;
    }
    const end = otherAt(to);
    const oversized = !fits(to, limits.max_hunk_lines, limits.max_hunk_bytes);
    const [l, s] = [to - at, end - other];
    pieces.push(byAdded ? { added: l, removed: s, oversized } : { added: s, removed: l, oversized });
    [at, other] = [to, end];
  }
  return pieces;
}
