import type { Region } from '../domain/edits/compare.ts';
import type { Checkpoint } from '../domain/edits/wire.ts';

type Side = 'current' | 'base' | 'proposed';
export const SIDES: readonly Side[] = ['current', 'base', 'proposed'];

interface Cell {
  line: number;
  text: string;
}

export interface ThreeRow {
  /** Its place in the compare. */
  key: string;
  kind: Region['kind'];
  cells: Record<Side, Cell | null>;
}

export type ThreePart = { type: 'rows'; key: string; rows: ThreeRow[] } | { type: 'gap'; key: string; lines: number };

/** Lines of what is the same that are shown around what is not. */
const AROUND = 3;
/** A shorter gap takes as much room as what it hides. */
const LEAST_GAP = 4;

const bare = (line: string): string => line.replace(/\r?\n$/, '');

function rowsIn({ kind, ...sides }: Region, at: number): ThreeRow[] {
  const length = Math.max(...SIDES.map((side) => sides[side].lines.length));
  const cell = ({ start_line, lines }: Region['base'], index: number): Cell | null => {
    const text = lines[index];
    return text === undefined ? null : { line: start_line + index, text: bare(text) };
  };
  return Array.from({ length }, (_, index) => ({
    key: `${at}-${index}`,
    kind,
    cells: {
      current: cell(sides.current, index),
      base: cell(sides.base, index),
      proposed: cell(sides.proposed, index),
    },
  }));
}

/** Three versions line beside line; long stretches where nothing differs are folded. */
export function threeParts(regions: readonly Region[]): ThreePart[] {
  return regions.flatMap((region, at): ThreePart[] => {
    const rows = rowsIn(region, at);
    const whole: ThreePart = { type: 'rows', key: `${at}`, rows };
    if (region.kind !== 'same') return [whole];
    const above = at === 0 ? 0 : AROUND;
    const below = at === regions.length - 1 ? 0 : AROUND;
    const lines = rows.length - above - below;
    if (lines < LEAST_GAP) return [whole];
    return [
      { type: 'rows', key: `${at}-above`, rows: rows.slice(0, above) },
      { type: 'gap', key: `${at}-gap`, lines },
      { type: 'rows', key: `${at}-below`, rows: rows.slice(rows.length - below) },
    ];
  });
}

export type CheckpointFile = Checkpoint['affected_files'][number];

/** What can still be taken back. */
export const takenFrom = (files: readonly CheckpointFile[]): string[] =>
  files.flatMap(({ hunks }) => hunks.filter(({ status }) => status === 'accepted').map(({ hunk_id }) => hunk_id));

/** A hunk in a few words: the first line that going back would bring or take. */
export function hunkLine(reversePatch: string): string {
  const body = reversePatch
    .slice(Math.max(0, reversePatch.indexOf('@@')))
    .split('\n')
    .slice(1);
  // The reverse takes away what the job brought: that is how one knows it.
  const line = body.find((each) => each.startsWith('-')) ?? body.find((each) => each.startsWith('+'));
  return line?.slice(1).trim() ?? '';
}
