import { alignedTo, atomsOf } from './atoms.ts';
import { BASE, type Change, type ChangeStatus, type FileLog, type LineRef, runsOf } from './change.ts';
import { addedOf, type FileBundle } from './hunks.ts';
import { diffOfLines } from './line-diff.ts';
import { patchesOf } from './patch.ts';
import { BOM, textHash } from './text.ts';
import { visibleAtoms } from './weave.ts';

export {
  CHANGE_STATUSES,
  type Change,
  type ChangeStatus,
  changeSchema,
  type FileLog,
} from './change.ts';
export { splitChange } from './split.ts';

const STATUS_OF = (accepted: boolean | null): ChangeStatus =>
  accepted === null ? 'pending' : accepted ? 'accepted' : 'rejected';

/** The log a review begins with: the hunks of a bundle as pending changes (or as decided in `accepted`). */
export function openLog(base_snapshot: string | null, bundle: FileBundle): FileLog {
  const { file_path, base_file_hash } = bundle;
  const atoms = atomsOf(base_snapshot);
  const offset = atoms[0] === BOM ? 1 : 0;
  const ref = (at: number): LineRef | null => (atoms[at] === undefined ? null : { of: BASE, line: at + 1 });
  const changes: Change[] = [];
  // What the last change above brought, for one that begins where that one ended.
  let above: { end: number; last: LineRef | null } = { end: -1, last: null };
  for (const hunk of bundle.hunks) {
    const at = hunk.old_start - 1 + offset;
    const end = at + hunk.old_lines;
    const added = addedOf(hunk);
    const { forward, reverse } = patchesOf(atoms, { at, removed: hunk.old_lines, added });
    const after = above.end === at ? (above.last ?? ref(at - 1)) : ref(at - 1);
    const last: LineRef | null = added.length > 0 ? { of: hunk.hunk_id, line: added.length } : null;
    changes.push({
      id: hunk.hunk_id,
      hunk_id: hunk.hunk_id,
      file_path,
      origin: 'agent',
      forward_patch: forward,
      reverse_patch: reverse,
      status: STATUS_OF(hunk.accepted),
      file_hash_before: base_file_hash,
      place: {
        after,
        before: ref(end),
        removes: hunk.old_lines > 0 ? [{ of: BASE, line: at + 1, count: hunk.old_lines }] : [],
        ...(hunk.added ? { added: hunk.added } : {}),
      },
    });
    above = { end, last: last ?? (above.end === at && hunk.old_lines === 0 ? above.last : null) };
  }
  return { file_path, base_snapshot, changes };
}

/**
 * A manual edit: `text` is the whole file as the person left it. Each place that differs from the working buffer
 * becomes a change of its own; a text that differs nowhere gives the same log. `nextId` gives a new id with each call.
 */
export function recordUserEdit(
  log: FileLog,
  text: string,
  nextId: () => string,
  status: ChangeStatus = 'accepted',
): { log: FileLog; added: Change[] } {
  const { text: before, atoms, refs } = visibleAtoms(log);
  if (text === (before ?? '')) return { log, added: [] };
  const now = alignedTo(atoms, atomsOf(text));
  const hash = before === null ? null : textHash(before);
  const added = diffOfLines(atoms, now).map(({ old_at, old_count, new_at, new_count }): Change => {
    const brought = now.slice(new_at, new_at + new_count);
    const { forward, reverse, tells } = patchesOf(atoms, { at: old_at, removed: old_count, added: brought });
    const id = nextId();
    return {
      id,
      hunk_id: id,
      file_path: log.file_path,
      origin: 'user',
      forward_patch: forward,
      reverse_patch: reverse,
      status,
      file_hash_before: hash,
      place: {
        after: refs[old_at - 1] ?? null,
        before: refs[old_at + old_count] ?? null,
        removes: runsOf(refs.slice(old_at, old_at + old_count)),
        ...(tells ? {} : { added: brought }),
      },
    };
  });
  return { log: { ...log, changes: [...log.changes, ...added] }, added };
}

/** With new statuses; ids that are not in the log change nothing. */
export function withStatuses(log: FileLog, statuses: Readonly<Record<string, ChangeStatus>>): FileLog {
  return {
    ...log,
    changes: log.changes.map((change) => {
      const status = statuses[change.id];
      return status === undefined || status === change.status ? change : { ...change, status };
    }),
  };
}
