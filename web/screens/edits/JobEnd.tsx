import { useMutation } from '@tanstack/react-query';
import { CircleCheck, RotateCcw } from 'lucide-react';
import { Link, useNavigate } from 'react-router';
import type { Job } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote, Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { editsApi } from '../../edits-api.ts';
import { fileHref } from '../../file-paths.ts';
import { asText, plural } from '../../format.ts';
import { checkpointHref, jobHref } from './hrefs.ts';

/** What became of a job that is over: what was written, or why nothing was, and what to do next. */
export function JobEnd({ job, isBrief = false }: { job: Job; isBrief?: boolean }) {
  const navigate = useNavigate();
  const again = useMutation({
    mutationFn: () => editsApi.rerun(job.job_id, ''),
    onSuccess: ({ job_id }) => void navigate(jobHref(job_id)),
  });
  const tryAgain = (
    <Button busy={again.isPending} onClick={() => again.mutate()} className="self-start">
      <RotateCcw aria-hidden size={14} /> Run it again
    </Button>
  );
  return (
    <section aria-label="Outcome" className="flex flex-col gap-3">
      {job.checkpoint_id !== null && <Written job={job} checkpoint={job.checkpoint_id} isBrief={isBrief} />}
      {job.checkpoint_id === null && job.status === 'completed' && (
        <>
          <h2 className="font-semibold">Nothing was changed</h2>
          <Markdown text={asText(job.output) || 'The agent ended without a proposal.'} />
          {tryAgain}
        </>
      )}
      {job.status === 'cancelled' && (
        <>
          <h2 className="font-semibold">Cancelled</h2>
          <p className="text-soft">Nothing of its proposal was written.</p>
          {tryAgain}
        </>
      )}
      {job.error && job.status !== 'completed' && (
        <>
          <div role="alert">
            <Problem title="The job failed; nothing was written" code={job.error.code} message={job.error.message} />
          </div>
          {tryAgain}
        </>
      )}
      {again.error && <ErrorNote title="It was not begun again" error={again.error} />}
    </section>
  );
}

function Written({ job, checkpoint, isBrief }: { job: Job; checkpoint: string; isBrief: boolean }) {
  return (
    <>
      <h2 className="flex items-center gap-2 font-semibold">
        <CircleCheck aria-hidden size={16} className="text-done" /> Applied to{' '}
        {plural(job.applied_files.length, 'file')}
      </h2>
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-soft">
        How the files were before is kept.
        <Link to={checkpointHref(checkpoint)} className="rounded text-accent-ink underline">
          Compare or roll back
        </Link>
        {isBrief && (
          <Link to={jobHref(job.job_id)} className="rounded text-accent-ink underline">
            See what was written
          </Link>
        )}
      </p>
      {!isBrief && (
        <ul aria-label="Written files" className="divide-y divide-line rounded-lg border border-line">
          {job.applied_files.map(({ file_path, applied_hunks, rejected_hunks }) => (
            <li key={file_path} className="flex min-w-0 flex-wrap items-center gap-x-4 px-3 py-2">
              <Link
                to={fileHref(job.notebook_id, `/${file_path}`)}
                className="min-w-0 flex-1 truncate rounded font-mono text-small text-accent-ink hover:underline"
              >
                {file_path}
              </Link>
              <span className="text-small text-soft">
                {plural(applied_hunks, 'hunk')} applied{rejected_hunks > 0 && `, ${rejected_hunks} rejected`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
