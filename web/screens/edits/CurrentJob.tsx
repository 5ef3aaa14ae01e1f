import { FileSearch, ListTree } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { Job } from '../../../domain/edits/wire.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago } from '../../components/Times.tsx';
import { plural } from '../../format.ts';
import { lookOf } from '../../status.ts';
import { jobHref } from './hrefs.ts';
import { JobEnd } from './JobEnd.tsx';
import { JobProgress } from './JobProgress.tsx';
import { useJob } from './job-queries.ts';

/** The newest job of a session, live. */
export function CurrentJob({ id, onOver }: { id: string; onOver: () => void }) {
  const { job, feed } = useJob(id);
  const status = job.data?.status;
  const over = useRef(onOver);
  over.current = onOver;
  const before = useRef(status);
  useEffect(() => {
    // The session's own list knows it by the status it had.
    if (before.current !== undefined && status !== before.current) over.current();
    before.current = status;
  }, [status]);
  if (!job.data)
    return job.error ? (
      <ErrorNote title="The job could not be read" error={job.error} />
    ) : (
      <div aria-busy className="flex flex-col gap-3">
        <Skeleton className="w-2/3" />
        <Skeleton className="w-1/2" />
      </div>
    );
  const { instruction, created_at } = job.data;
  return (
    <article aria-label="Current job" className="flex flex-col gap-3">
      <p className="rounded-lg bg-hover px-3 py-2 break-words whitespace-pre-wrap">{instruction}</p>
      <p className="flex flex-wrap items-center gap-x-3 text-small text-soft">
        {status && <StatusBadge status={status} />}
        <Ago at={created_at} />
        <Link
          to={`/runs/${encodeURIComponent(id)}`}
          className="ml-auto inline-flex items-center gap-1 rounded text-accent-ink hover:underline"
        >
          <ListTree aria-hidden size={13} /> View run
        </Link>
      </p>
      <JobProgress job={job.data} transcript={feed.transcript} />
      <ToReview job={job.data} />
      {status && lookOf(status).ended && <JobEnd job={job.data} isBrief />}
    </article>
  );
}

function ToReview({ job }: { job: Job }) {
  const { review } = job;
  if (job.status !== 'awaiting_review' || !review) return null;
  return (
    <Link
      to={jobHref(job.job_id)}
      className="flex min-h-10 items-center justify-center gap-2 rounded-md bg-accent px-3 py-1.5 text-center font-medium text-on-accent hover:bg-accent-strong"
    >
      <FileSearch aria-hidden size={15} className="shrink-0" />
      {review.state === 'conflict'
        ? 'Files are not as expected: see the conflict'
        : `Review ${plural(review.hunks, 'hunk')} in ${plural(review.files, 'file')}`}
    </Link>
  );
}
