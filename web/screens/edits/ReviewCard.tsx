import { FileSearch } from 'lucide-react';
import { Link } from 'react-router';
import type { ReviewSummary } from '../../../domain/edits/wire.ts';
import { plural } from '../../format.ts';
import { jobHref } from './hrefs.ts';

/** A proposal that waits for somebody to look at it, and how far they have come. */
export function ReviewCard({ review, jobId }: { review: ReviewSummary; jobId: string }) {
  const { hunks, files, pending, state } = review;
  return (
    <section
      aria-label="Review"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-waits/40 bg-waits-wash px-4 py-3"
    >
      <FileSearch aria-hidden size={16} className="shrink-0 text-waits" />
      <div className="min-w-48 flex-1">
        <p className="font-medium text-waits">Waits for review</p>
        <p>
          {hunks > 0 ? `${plural(hunks, 'hunk')} in ` : 'Edits of '}
          {plural(files, 'file')}
          {state === 'conflict'
            ? '. Files are not what they were made for; it must be run again.'
            : pending < hunks
              ? `, ${pending} still undecided.`
              : '. Nothing is written before you apply it.'}
        </p>
      </div>
      <Link
        to={jobHref(jobId)}
        className="inline-flex h-8 items-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong pointer-coarse:h-10"
      >
        Open review
      </Link>
    </section>
  );
}
