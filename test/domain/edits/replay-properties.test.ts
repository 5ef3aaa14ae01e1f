import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChangeStatus,
  changeSchema,
  type FileLog,
  openLog,
  recordUserEdit,
  splitChange,
  withStatuses,
} from '../../../domain/edits/change-log.ts';
import type { ProposedEdit } from '../../../domain/edits/edit.ts';
import { decide, edited, NO_HISTORY, redo, undo } from '../../../domain/edits/history.ts';
import { applyPatch } from '../../../domain/edits/patch.ts';
import { notRejected, placesInBuffer, replay } from '../../../domain/edits/replay.ts';
import { BOM, fileLines, linesOf, textHash } from '../../../domain/edits/text.ts';
import { anyProposal, anyProposalOf, anyRewriteOf, anyText, anyTextWith, onDisk, type Proposal } from './any-edits.ts';

const RUNS = { numRuns: 300 };

/** One edit after the other, from the bottom up, on lines that all end alike. */
function sequentially(base: string, edits: readonly ProposedEdit[]): string {
  const bom = base.startsWith(BOM) ? BOM : '';
  const end = base.includes('\r\n') ? '\r\n' : '\n';
  const isOpen = base !== '' && base !== BOM && !base.endsWith('\n');
  const lines = linesOf(base.slice(bom.length)).map((line) => line.replace(/\r?\n$/, ''));
  const numbered = edits.map((edit, n) => ({ edit, n }));
  numbered.sort((a, b) => b.edit.start_line - a.edit.start_line || b.n - a.n);
  for (const { edit } of numbered) {
    const { operation, start_line, end_line = start_line, new_text } = edit;
    const added = operation === 'delete' ? [] : new_text.replace(/\n$/, '').split('\n');
    lines.splice(start_line - 1, operation === 'insert' ? 0 : end_line - start_line + 1, ...added);
  }
  if (lines.length === 0) return bom;
  // An empty last line can only be seen by its end.
  return bom + lines.join(end) + (isOpen && lines.at(-1) !== '' ? '' : end);
}

const LF = 0x0a;
const CR = 0x0d;
const BOM_BYTES = Buffer.from([0xef, 0xbb, 0xbf]);

const endOf = (line: Buffer): '' | 'lf' | 'crlf' => (line.at(-1) !== LF ? '' : line.at(-2) === CR ? 'crlf' : 'lf');
const withoutEnd = (line: Buffer): Buffer => line.subarray(0, line.length - { '': 0, lf: 1, crlf: 2 }[endOf(line)]);

/** A file as it lies on disk, taken apart without a word of what is under test. */
function bytesIn(text: string) {
  const all = Buffer.from(text, 'utf8');
  const bom = all.subarray(0, 3).equals(BOM_BYTES);
  const lines: Buffer[] = [];
  for (let from = bom ? 3 : 0; from < all.length; ) {
    const end = all.indexOf(LF, from);
    const to = end === -1 ? all.length : end + 1;
    lines.push(all.subarray(from, to));
    from = to;
  }
  const ends = new Set(lines.map(endOf).filter((end) => end !== ''));
  return { bom, lines, ends, isOpen: lines.at(-1)?.at(-1) !== LF };
}

/** The lines that edits, top to bottom, leave behind: one of the file, or one of a new text. */
function placesOf(lines: readonly Buffer[], edits: readonly ProposedEdit[]) {
  const wanted: { kept: Buffer | null; content: Buffer }[] = [];
  const keep = (from: number, to: number): void => {
    for (const kept of lines.slice(from, to)) wanted.push({ kept, content: withoutEnd(kept) });
  };
  let at = 0;
  for (const { operation, start_line, end_line = start_line, new_text } of edits) {
    keep(at, start_line - 1);
    const added = operation === 'delete' ? [] : new_text.replace(/\n$/, '').split('\n');
    for (const line of added) wanted.push({ kept: null, content: Buffer.from(line, 'utf8') });
    at = operation === 'insert' ? start_line - 1 : end_line;
  }
  keep(at, lines.length);
  return wanted;
}

const anyStatus = fc.constantFrom<ChangeStatus>('pending', 'accepted', 'rejected');
const anyStatuses = fc.array(anyStatus, { minLength: 1, maxLength: 12 });
const statusesFor = (log: FileLog, chosen: readonly ChangeStatus[]): Record<string, ChangeStatus> =>
  Object.fromEntries(log.changes.map(({ id }, n) => [id, chosen[n % chosen.length] ?? 'pending']));

const ids = () => {
  let n = 0;
  return () => `u_${++n}`;
};

/** A review in which agent's hunks are decided and people write, in turns. */
const anyReview = anyProposal.chain(({ base, bundle }) => {
  const start = openLog(base, bundle);
  const next = ids();
  const step = (log: FileLog): fc.Arbitrary<FileLog> =>
    fc.tuple(anyRewriteOf(replay(log).text ?? ''), anyStatuses).map(([text, chosen]) => {
      const { log: written } = recordUserEdit(log, text, next);
      return withStatuses(written, statusesFor(written, chosen));
    });
  return step(start)
    .chain(step)
    .chain((log) => fc.boolean().chain((more) => (more ? step(log) : fc.constant(log))));
});

describe('[5] the working buffer', () => {
  const uniform = fc.constantFrom('lf' as const, 'crlf' as const);
  const hasLines = (text: string): boolean => text.replace(BOM, '') !== '' && /\n/.test(text);
  it('is what the edits give when they are made one after the other', () => {
    fc.assert(
      fc.property(anyProposalOf(anyTextWith(uniform).filter(hasLines)), ({ base, edits, bundle }) => {
        const { text, conflicts } = replay(openLog(base, bundle));
        expect(conflicts).toEqual([]);
        expect(onDisk(text)).toEqual(onDisk(sequentially(base ?? '', edits)));
      }),
      RUNS,
    );
  });

  it('has every byte of what no edit names, and of the new lines all but their ends, in files of any kind', () => {
    fc.assert(
      fc.property(anyProposalOf(anyText.filter((text) => fileLines(text).length > 0)), ({ base, edits, bundle }) => {
        const before = bytesIn(base ?? '');
        const after = bytesIn(replay(openLog(base, bundle)).text ?? '');
        const wanted = placesOf(before.lines, edits);
        expect(after.lines).toHaveLength(wanted.length);
        expect(after.bom).toBe(before.bom);
        for (const [n, { kept, content }] of wanted.entries()) {
          const line = after.lines[n] ?? Buffer.alloc(0);
          const isLast = n === wanted.length - 1;
          // Only the last line may have no end, and has none if the file had none; an empty one is seen by its end alone.
          if (isLast) expect(line.at(-1) === LF).toBe(!before.isOpen || content.length === 0);
          if (kept && kept.at(-1) === LF && !(isLast && before.isOpen)) expect(line).toEqual(kept);
          else expect(withoutEnd(line)).toEqual(content);
          // A line that is added ends as lines of this file do, whatever the model wrote.
          if (line.at(-1) === LF && before.ends.size > 0) expect(before.ends).toContain(endOf(line));
        }
      }),
      { numRuns: 600 },
    );
  });

  it('has of any choice of hunks exactly those', () => {
    const bottomUp = ({ base, bundle }: Proposal, chosen: ReadonlySet<string>): string => {
      const lines = linesOf(base ?? '');
      for (const { hunk_id, patch } of [...bundle.hunks].reverse()) {
        if (!chosen.has(hunk_id)) continue;
        const [, start = '0', count = '0'] = /^@@ -(\d+),(\d+)/.exec(patch) ?? [];
        const from = Number(start) - (count === '0' ? 0 : 1);
        const body = linesOf(patch).slice(1);
        const [above, below] = [body.findIndex((l) => !l.startsWith(' ')), body.findLastIndex((l) => /^[-+]/.test(l))];
        const within = body.slice(above, below + 1);
        const removed = within.filter((l) => !l.startsWith('+')).length;
        const added = within.filter((l) => !l.startsWith('-')).map((l) => l.slice(1));
        lines.splice(from + above, removed, ...added);
      }
      return lines.join('');
    };
    const closed = anyProposalOf(
      anyTextWith(fc.constantFrom('lf', 'mixed')).filter((text) => text.endsWith('\n') && !text.startsWith(BOM)),
    );
    fc.assert(
      fc.property(closed, anyStatuses, (proposal, statuses) => {
        const log = openLog(proposal.base, proposal.bundle);
        const decided = withStatuses(log, statusesFor(log, statuses));
        const chosen = new Set(decided.changes.filter(notRejected).map(({ id }) => id));
        expect(onDisk(replay(decided).text)).toEqual(onDisk(bottomUp(proposal, chosen)));
      }),
      RUNS,
    );
  });

  it('does not depend on the order in which hunks are accepted and rejected', () => {
    fc.assert(
      fc.property(anyReview, anyStatuses, fc.infiniteStream(fc.nat()), (log, statuses, random) => {
        const wanted = Object.entries(statusesFor(log, statuses));
        const shuffled = [...wanted].sort(() => ((random.next().value ?? 0) % 2 === 0 ? 1 : -1));
        let [one, other] = [log, log];
        for (const [id, status] of wanted) one = decide(one, NO_HISTORY, { [id]: status }).log;
        for (const [id, status] of shuffled) {
          other = decide(other, NO_HISTORY, { [id]: 'rejected' }).log;
          other = decide(other, NO_HISTORY, { [id]: status }).log;
        }
        expect(replay(other)).toEqual(replay(one));
      }),
      RUNS,
    );
  });

  it('is what a person has typed, whatever was decided before', () => {
    const typed = anyReview.chain((log) => fc.tuple(fc.constant(log), anyRewriteOf(replay(log).text ?? '')));
    fc.assert(
      fc.property(typed, ([log, text]) => {
        const before = replay(log);
        const { log: after, added } = recordUserEdit(log, text, () => `v_${Math.random()}`);
        const now = replay(after);
        expect(onDisk(now.text ?? '')).toEqual(onDisk(text));
        expect(now.conflicts).toEqual(before.conflicts);
        expect(now.applied).toEqual([...before.applied, ...added.map(({ id }) => id)]);
      }),
      RUNS,
    );
  });

  it('names each change that cannot be had with the others, and is the same without them', () => {
    fc.assert(
      fc.property(anyReview, (log) => {
        const { text, applied, conflicts } = replay(log);
        const named = conflicts.map(({ change_id }) => change_id);
        expect([...applied, ...named].sort()).toEqual(
          log.changes
            .filter(notRejected)
            .map(({ id }) => id)
            .sort(),
        );
        const without = withStatuses(log, Object.fromEntries(named.map((id) => [id, 'rejected'])));
        expect(replay(without)).toEqual({ text, applied, conflicts: [] });
        for (const { with: others, reason } of conflicts) {
          expect(others.length).toBeGreaterThan(0);
          for (const other of others) expect(applied.includes(other)).toBe(reason === 'overlaps');
        }
      }),
      RUNS,
    );
  });

  it('keeps what a person wrote elsewhere when a hunk of the agent is rejected', () => {
    fc.assert(
      fc.property(anyProposal, fc.nat(), ({ base, bundle }, which) => {
        fc.pre(bundle.hunks.length > 0);
        const log = openLog(base, bundle);
        const { text } = replay(log);
        const { log: written } = recordUserEdit(log, `PERSON\n${(text ?? '').replace(BOM, '')}`, ids());
        const id = bundle.hunks[which % bundle.hunks.length]?.hunk_id ?? '';
        const now = replay(withStatuses(written, { [id]: 'rejected' }));
        if (now.conflicts.length === 0) expect(now.text).toMatch(/^PERSON\r?$/m);
        else
          expect(
            now.conflicts.every(({ with: others }) => others.includes(id) || others.some((o) => o.startsWith('u_'))),
          ).toBe(true);
      }),
      RUNS,
    );
  });

  it('comes back with undo and with redo', () => {
    fc.assert(
      fc.property(anyReview, anyStatuses, fc.string(), (log, statuses, line) => {
        const first = decide(log, NO_HISTORY, statusesFor(log, statuses));
        const text = replay(first.log).text ?? '';
        const { log: written, added } = recordUserEdit(
          first.log,
          `${line.replace(/[\0\ud800-\udfff]/g, '')}\n${text}`,
          () => `v_${Math.random()}`,
        );
        const second = { log: written, history: edited(first.history, added) };
        const back = undo(second.log, second.history);
        expect(onDisk(back && replay(back.log).text)).toEqual(onDisk(replay(first.log).text));
        const start = back && undo(back.log, back.history);
        if (first.history.done.length > 0) expect(start && replay(start.log)).toEqual(replay(log));
        else expect(start).toBeNull();
        const again = back && redo(back.log, back.history);
        expect(again).toEqual(second);
      }),
      RUNS,
    );
  });

  it('says where each change is', () => {
    fc.assert(
      fc.property(anyReview, (log) => {
        const { text, applied } = replay(log);
        const count = fileLines(text ?? '').length;
        const places = placesInBuffer(log);
        for (const { change_id, start_line, line_count } of places) {
          expect(applied).toContain(change_id);
          expect(start_line).toBeGreaterThanOrEqual(1);
          expect(start_line + line_count).toBeLessThanOrEqual(count + 1);
        }
        expect(places.map(({ start_line }) => start_line)).toEqual(
          places.map(({ start_line }) => start_line).sort((a, b) => a - b),
        );
      }),
      RUNS,
    );
  });
});

describe('[5] a change', () => {
  it('fits what it was made on, and its reverse patch takes it back', () => {
    fc.assert(
      fc.property(anyProposal, ({ base, bundle }) => {
        const check = (before: string | null, changes: FileLog['changes']): void => {
          for (const change of changes) {
            expect(changeSchema.parse(change)).toEqual(change);
            expect(change.file_hash_before).toBe(before === null ? null : textHash(before));
            const made = applyPatch(before, change.forward_patch);
            expect(made).not.toBeNull();
            expect(onDisk(applyPatch(made, change.reverse_patch))).toEqual(onDisk(before ?? ''));
          }
        };
        const log = openLog(base, bundle);
        check(base, log.changes);
        const { text } = replay(log);
        check(text, recordUserEdit(log, `${text ?? ''}x`, ids()).added);
        check(text, recordUserEdit(log, BOM + (text ?? ''), ids()).added);
      }),
      RUNS,
    );
  });

  it('split by hand gives the same as the whole, and lets each part be refused', () => {
    const anyLog = anyProposal.chain(({ base, bundle }) => {
      const log = openLog(base, bundle);
      return fc.tuple(fc.constant(log), anyRewriteOf(replay(log).text ?? ''));
    });
    fc.assert(
      fc.property(anyLog, fc.nat(), fc.nat(), fc.nat(), ([agents, text], which, a, b) => {
        const { log } = recordUserEdit(agents, text, ids());
        const change = log.changes[which % Math.max(1, log.changes.length)];
        fc.pre(change !== undefined);
        if (!change) return;
        const removed = change.place.removes.reduce((sum, { count }) => sum + count, 0);
        const added = change.place.added?.length ?? replayedLines(change.forward_patch);
        const cut = { new_lines: a % (added + 1), old_lines: b % (removed + 1) };
        fc.pre(cut.new_lines + cut.old_lines > 0 && cut.new_lines + cut.old_lines < added + removed);
        fc.pre(change.origin === 'agent' || change.place.added === undefined);
        const split = splitChange(log, change.id, cut);
        expect(onDisk(replay(split).text ?? '')).toEqual(onDisk(replay(log).text ?? ''));
        expect(replay(split).conflicts).toEqual([]);
        if (change.origin === 'user') return;
        const alone = splitChange(agents, change.id, cut);
        const parts = alone.changes.map(({ id }) => id).filter((id) => id.startsWith(`${change.id}.`));
        const refused = withStatuses(alone, Object.fromEntries(parts.map((id) => [id, 'rejected'])));
        const without = withStatuses(agents, { [change.id]: 'rejected' });
        expect(onDisk(replay(refused).text)).toEqual(onDisk(replay(without).text));
        for (const part of alone.changes.filter(({ id }) => parts.includes(id))) {
          expect(replay(withStatuses(alone, { [part.id]: 'rejected' })).conflicts).toEqual([]);
          const thereAndBack = applyPatch(applyPatch(log.base_snapshot, part.forward_patch), part.reverse_patch);
          expect(onDisk(thereAndBack)).toEqual(onDisk(log.base_snapshot ?? ''));
        }
      }),
      RUNS,
    );
  });
});

const replayedLines = (patch: string): number => {
  const body = linesOf(patch)
    .slice(1)
    .filter((line) => !line.startsWith('\\'));
  const [first, last] = [body.findIndex((l) => /^[-+]/.test(l)), body.findLastIndex((l) => /^[-+]/.test(l))];
  return body.slice(first, last + 1).filter((line) => !line.startsWith('-')).length;
};
