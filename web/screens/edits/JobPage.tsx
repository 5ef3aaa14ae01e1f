import { History, ListTree } from 'lucide-react';
import { Link, useParams } from 'react-router';
import type { Job } from '../../../domain/edits/wire.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { folderHref } from '../../file-paths.ts';
import { firstLine } from '../../format.ts';
import { lookOf } from '../../status.ts';
import { checkpointsHref } from './hrefs.ts';
import { JobEnd } from './JobEnd.tsx';
import { JobProgress } from './JobProgress.tsx';
import { useJob } from './job-queries.ts';
import { RefusedProposal } from './RefusedProposal.tsx';
import { Review } from './Review.tsx';

const LINK = 'inline-flex items-center gap-1.5 rounded text-small text-accent-ink hover:underline';

/** One job over all of its life: at work, asking, proposing, applied. */
export default function JobPage() {
  const { jobId = '' } = useParams();
  return <OneJob key={jobId} id={jobId} />;
}

function OneJob({ id }: { id: string }) {
  const { job, feed } = useJob(id);
  const found = job.data;
  const title = (found && firstLine(found.instruction)) || 'Edits';
  const files = found ? folderHref(found.notebook_id, '/') : '/files';
  return (
    <Page
      title={title}
      tab={found ? `${lookOf(found.status).word}: ${title}` : title}
      crumbs={[{ to: files, name: 'Files' }]}
      fixed
      aside={
        found && (
          <span className="flex shrink-0 items-center gap-x-4 max-sm:order-last max-sm:w-full">
            <StatusBadge status={found.status} filled />
            <Link to={`/runs/${encodeURIComponent(id)}`} className={LINK}>
              <ListTree aria-hidden size={14} /> View run
            </Link>
            <Link to={checkpointsHref(found.notebook_id)} className={LINK}>
              <History aria-hidden size={14} /> Checkpoints
            </Link>
          </span>
        )
      }
    >
      {found ? (
        <Stage job={found} feed={feed} />
      ) : job.error ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="There is no such job, or you may not see it" error={job.error} />
        </div>
      ) : (
        <div aria-busy className="flex flex-col gap-5 p-6">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-1/2" />
        </div>
      )}
      <p role="status" className="sr-only">
        {found && `Job status: ${lookOf(found.status).word}`}
      </p>
    </Page>
  );
}

function Stage({ job, feed }: { job: Job; feed: ReturnType<typeof useJob>['feed'] }) {
  const state = job.review?.state;
  if (state === 'conflict' && !job.diff_bundle && !lookOf(job.status).ended)
    return <RefusedProposal key={job.review?.review_id} job={job} />;
  if (
    job.diff_bundle &&
    (state === 'open' || state === 'conflict' || state === 'applying') &&
    !lookOf(job.status).ended
  )
    return <Review key={job.review?.review_id} job={job} />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-5 p-6 max-sm:p-4">
        {lookOf(job.status).ended ? <JobEnd job={job} /> : null}
        <JobProgress job={job} transcript={feed.transcript} />
      </div>
    </div>
  );
}
