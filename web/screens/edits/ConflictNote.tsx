import { TriangleAlert } from 'lucide-react';
import type { Job } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { Diff } from '../../components/Diff.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { plural } from '../../format.ts';
import type { Reviewing } from './reviewing.ts';

/** Files are no longer what the proposal was made for: nothing was written, and a rerun looks at what is there now. */
export function ConflictNote({ job, does }: { job: Job; does: Reviewing }) {
  const { conflict } = job;
  const isRefused = job.diff_bundle === null;
  return (
    <section
      aria-label="Conflict"
      className="flex max-h-[45%] shrink-0 flex-col gap-2 overflow-y-auto bg-failed-wash px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <TriangleAlert aria-hidden size={16} className="shrink-0 text-failed" />
        <p role="alert" className="min-w-60 flex-1">
          <strong className="font-medium text-failed">
            {isRefused
              ? `${plural(conflict.length, 'file is', 'files are')} not what the agent expected.`
              : `${plural(conflict.length, 'file has', 'files have')} changed since this was proposed.`}
          </strong>{' '}
          Nothing was written. Run it again: the agent reads what is there now
          {isRefused ? ', and proposes anew.' : ', and is told what you rejected and said.'}
        </p>
        <Button kind="primary" busy={does.rerun.isPending} onClick={() => does.rerun.mutate('')}>
          Run again on the new files
        </Button>
      </div>
      <ul className="flex flex-col gap-2">
        {conflict.map(({ file_path, reason, diff }) => (
          <li key={file_path}>
            <details open={isRefused}>
              <summary className="cursor-default rounded text-small">
                <span className="font-mono font-medium">{file_path}</span>: {reason}
              </summary>
              {diff && (
                <div className="pt-2">
                  <Diff
                    patch={diff}
                    label={isRefused ? `${file_path}, as expected and as it is` : `${file_path}, since the proposal`}
                  />
                </div>
              )}
            </details>
          </li>
        ))}
      </ul>
      {does.rerun.error && <ErrorNote title="It was not run again" error={does.rerun.error} />}
    </section>
  );
}
