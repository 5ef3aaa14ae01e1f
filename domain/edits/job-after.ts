import type { RunEvent } from '../run-events.ts';
import type { ChangeStatus } from './change-log.ts';
import type { DiffBundle, Hunk, Job, ReviewFile, ReviewReply } from './wire.ts';

type DiffFile = DiffBundle['files'][number];
type Statuses = Readonly<Record<string, ChangeStatus>>;

/** A job whose review has gone on since it was read. */
export interface JobAfter {
  job: Job;
  /** Files whose working buffer is another one now. */
  touched: string[];
  /** Those of which more has changed than can be told from here: their hunks are to be read again. */
  stale: string[];
}

const ACCEPTED: Record<ChangeStatus, boolean | null> = { pending: null, accepted: true, rejected: false };

/** With the counts of what its hunks say; a file that nothing happened to stays the very same object. */
function withFiles(job: Job, change: (file: DiffFile) => DiffFile): Job {
  if (!job.diff_bundle || !job.review) return job;
  const files = job.diff_bundle.files.map(change);
  const counts = { hunks: 0, accepted: 0, rejected: 0, pending: 0 };
  for (const { hunks } of files) {
    for (const { accepted } of hunks) {
      counts.hunks++;
      counts[accepted === null ? 'pending' : accepted ? 'accepted' : 'rejected']++;
    }
  }
  return { ...job, review: { ...job.review, ...counts }, diff_bundle: { ...job.diff_bundle, files } };
}

/** With hunks as they were read again. */
export const withHunks = (job: Job, read: readonly Pick<ReviewFile, 'file_path' | 'hunks'>[]): Job => {
  const hunksOf = new Map(read.map(({ file_path, hunks }) => [file_path, hunks]));
  return withFiles(job, (file) => {
    const hunks = hunksOf.get(file.file_path);
    return hunks ? { ...file, hunks } : file;
  });
};

/** Where something comes into the buffer or goes out of it, what was changed by hand there may fit no more, or again. */
const mayBlock = (hunks: readonly Hunk[], moved: readonly [before: Hunk, after: Hunk][]): boolean =>
  moved.some(([before, after]) => before.accepted === false || after.accepted === false) &&
  hunks.some(({ origin }) => origin === 'user');

export function withStatuses(job: Job, statuses: Statuses): JobAfter {
  const touched: string[] = [];
  const stale: string[] = [];
  const next = withFiles(job, (file) => {
    const moved: [Hunk, Hunk][] = [];
    const hunks = file.hunks.map((hunk) => {
      const status = statuses[hunk.hunk_id];
      if (status === undefined || ACCEPTED[status] === hunk.accepted) return hunk;
      const after = { ...hunk, accepted: ACCEPTED[status] };
      moved.push([hunk, after]);
      return after;
    });
    if (moved.length === 0) return file;
    touched.push(file.file_path);
    if (mayBlock(file.hunks, moved)) stale.push(file.file_path);
    return { ...file, hunks };
  });
  return { job: next, touched, stale };
}

/** After a step of one's own, from what the server replied to it. */
export function afterReply(job: Job, { review, cursor, statuses, files }: ReviewReply): JobAfter {
  const paths = new Set(files.map(({ file_path }) => file_path));
  const decided = withStatuses(job, statuses);
  const named = job.diff_bundle?.files.filter(({ hunks }) => hunks.some(({ hunk_id }) => hunk_id in statuses)) ?? [];
  // One event a file: where there are more, somebody else did something too, which is yet to be heard of.
  const own = files.length > 0 ? 1 : named.length;
  const next = withHunks(decided.job, files);
  return {
    job: { ...next, review, cursor: cursor - job.cursor <= own ? Math.max(cursor, job.cursor) : job.cursor },
    touched: [...new Set([...decided.touched, ...paths])],
    stale: decided.stale.filter((path) => !paths.has(path)),
  };
}

const isStatus = (value: unknown): value is ChangeStatus => typeof value === 'string' && value in ACCEPTED;

const statusesIn = ({ statuses }: RunEvent['data']): Statuses =>
  statuses !== null && typeof statuses === 'object'
    ? Object.fromEntries(
        Object.entries(statuses).filter((entry): entry is [string, ChangeStatus] => isStatus(entry[1])),
      )
    : {};

function withComment(job: Job, file_path: string, comment: unknown): Job {
  if (comment === null || typeof comment !== 'object' || !('hunk_id' in comment) || !('text' in comment)) return job;
  const { hunk_id, text } = comment;
  if (typeof text !== 'string') return job;
  return withFiles(job, (file) =>
    file.file_path === file_path
      ? { ...file, hunks: file.hunks.map((hunk) => (hunk.hunk_id === hunk_id ? { ...hunk, comment: text } : hunk)) }
      : file,
  );
}

/**
 * After what others have done in its review, as its events tell it. Null where something else has happened, or some of
 * it is missing: then the whole job is to be read again.
 */
export function afterEvents(before: Job, events: readonly RunEvent[]): JobAfter | null {
  let job = before;
  const touched = new Set<string>();
  const stale = new Set<string>();
  for (const { cursor, type, data } of events) {
    if (cursor <= job.cursor) continue;
    const { action, file_path, review_id } = data;
    const isNext = cursor === job.cursor + 1 && type === 'review.updated' && review_id === before.review?.review_id;
    if (!isNext || action === 'rerun' || typeof file_path !== 'string') return null;
    const after = withStatuses(job, statusesIn(data));
    job = { ...withComment(after.job, file_path, data.comment), cursor };
    for (const path of after.touched) touched.add(path);
    for (const path of after.stale) stale.add(path);
    if (action !== 'edit' && action !== 'split') continue;
    touched.add(file_path);
    stale.add(file_path);
  }
  return job === before ? null : { job, touched: [...touched], stale: [...stale] };
}
