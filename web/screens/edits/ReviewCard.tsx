import { FileSearch } from 'lucide-react';
import { Link } from 'react-router';
import type { PendingReview } from '../../../domain/pending.ts';
import { Diff } from '../../components/Diff.tsx';
import { plural } from '../../format.ts';
import { jobHref } from './hrefs.ts';

/** A proposal that waits for somebody to look at it, and how far they have come. */
export function ReviewCard({ review }: { review: PendingReview }) {
  const { hunks, files, pending, state, conflict = [] } = review;
  const isConflict = state === 'conflict';
  return (
    <section
      aria-label="Review"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-waits/40 bg-waits-wash px-4 py-3"
    >
      <FileSearch aria-hidden size={16} className="shrink-0 text-waits" />
      <div className="min-w-48 flex-1">
        <p className="font-medium text-waits">{isConflict ? 'Conflict: waits to be run again' : 'Waits for review'}</p>
        <p>
          {hunks > 0 ? `${plural(hunks, 'hunk')} in ` : 'Edits of '}
          {plural(files, 'file')}
          {isConflict
            ? '. Files are not what they were made for; it must be run again.'
            : pending < hunks
              ? `, ${pending} still undecided.`
              : '. Nothing is written before you apply it.'}
        </p>
      </div>
      <Link
        to={jobHref(review.job_id)}
        className="inline-flex h-8 items-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong pointer-coarse:h-10"
      >
        {isConflict ? 'Look and run again' : 'Open review'}
      </Link>
      {conflict.length > 0 && (
        <ul aria-label="What differs" className="flex w-full flex-col gap-2">
          {conflict.map(({ file_path, reason, diff }) => (
            <li key={file_path}>
              <details>
                <summary className="cursor-default rounded text-small">
                  <span className="font-mono font-medium">{file_path}</span>: {reason}
                </summary>
                {diff && (
                  <div className="pt-2">
                    <Diff patch={diff} label={`${file_path}, as it differs`} />
                  </div>
                )}
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
