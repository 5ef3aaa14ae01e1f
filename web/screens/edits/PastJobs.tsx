import { Link } from 'react-router';
import type { JobSummary } from '../../../domain/edits/wire.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago } from '../../components/Times.tsx';
import { firstLine } from '../../format.ts';
import { jobHref } from './hrefs.ts';

/** What the session did before; each opens again as it ended. */
export function PastJobs({ jobs }: { jobs: readonly JobSummary[] }) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label="Earlier in this session" className="flex flex-col gap-1 border-t border-line pt-3">
      <p className="text-small text-faint">Earlier in this session</p>
      <ul className="flex flex-col">
        {jobs.map(({ job_id, instruction, status, created_at }) => (
          <li key={job_id}>
            <Link
              to={jobHref(job_id)}
              className="-mx-2 flex flex-col rounded-md px-2 py-1.5 -outline-offset-2 hover:bg-hover"
            >
              <span className="truncate">{firstLine(instruction) || job_id}</span>
              <span className="flex gap-3 text-small text-faint">
                <StatusBadge status={status} /> <Ago at={created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
