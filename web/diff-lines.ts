export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'hunk' | 'meta';
  text: string;
  old: number | null;
  new: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const HEADER = /^--- .*\n\+\+\+ /m;

/** Lines of a unified diff with their numbers: none where nothing changes, null where the text is no diff. */
export function diffLines(patch: string): DiffLine[] | null {
  if (!patch.split('\n').some((line) => HUNK.test(line))) return HEADER.test(patch) ? [] : null;
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      lines.push({ kind: 'hunk', text: line, old: null, new: null });
    } else if (!inHunk || line.startsWith('\\') || line.startsWith('diff ') || line.startsWith('Index: ')) {
      if (line.startsWith('diff ') || line.startsWith('Index: ')) inHunk = false;
      lines.push({ kind: 'meta', text: line, old: null, new: null });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text: line.slice(1), old: null, new: after });
      after += 1;
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line.slice(1), old: before, new: null });
      before += 1;
    } else {
      lines.push({ kind: 'same', text: line.slice(1), old: before, new: after });
      before += 1;
      after += 1;
    }
  }
  return lines;
}

export const changed = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter((line) => line.kind === 'added').length,
  removed: lines.filter((line) => line.kind === 'removed').length,
});
