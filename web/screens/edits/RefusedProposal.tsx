import { useState } from 'react';
import type { Job } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Scroll } from '../../components/Scroll.tsx';
import { plural } from '../../format.ts';
import { ConflictNote } from './ConflictNote.tsx';
import { useDiscard } from './job-queries.ts';
import { useReviewing } from './reviewing.ts';
import { SendBack } from './SendBack.tsx';

const SHOWN = 200;

/** A proposal for other lines than there are: there is nothing to decide about, but what was wanted can be seen. */
export function RefusedProposal({ job }: { job: Job }) {
  const does = useReviewing(job);
  const discard = useDiscard(job.job_id);
  const [isSendingBack, setIsSendingBack] = useState(false);
  const missed = new Set(
    job.conflict.flatMap(({ file_path, edits = [] }) => edits.map(({ edit_id }) => `${file_path}\n${edit_id}`)),
  );
  const shown = job.proposed_edits.slice(0, SHOWN);
  return (
    <>
      <ConflictNote job={job} does={does} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <section aria-label="Proposed edits" className="mx-auto flex max-w-3xl flex-col gap-4 p-6 max-sm:p-4">
          <h2 className="font-medium">{plural(job.proposed_edits.length, 'edit was', 'edits were')} proposed</h2>
          <ul className="flex flex-col gap-3">
            {shown.map((edit) => (
              <li
                key={`${edit.file_path}\n${edit.edit_id}`}
                className="overflow-hidden rounded-md border border-line bg-surface"
              >
                <p className="flex flex-wrap items-baseline gap-x-3 border-b border-line bg-canvas px-3 py-1.5 text-small">
                  <span className="min-w-0 font-mono break-all">{edit.file_path}</span>
                  <span className="text-soft">{placeWords(edit)}</span>
                  {missed.has(`${edit.file_path}\n${edit.edit_id}`) && (
                    <span className="text-failed">expects other lines</span>
                  )}
                </p>
                {edit.rationale && <p className="px-3 pt-2 break-words text-soft">{edit.rationale}</p>}
                {edit.new_text && (
                  <Scroll label={`New text of ${edit.edit_id}`}>
                    <pre className="max-h-60 px-3 py-2 font-mono text-small">{edit.new_text}</pre>
                  </Scroll>
                )}
              </li>
            ))}
          </ul>
          {job.proposed_edits.length > SHOWN && (
            <p className="text-soft">and {job.proposed_edits.length - SHOWN} more.</p>
          )}
        </section>
      </div>
      <footer className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2">
        {discard.error && <ErrorNote title="It was not discarded" error={discard.error} />}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button busy={discard.isPending} onClick={() => discard.mutate()}>
            Discard the proposal
          </Button>
          <Button onClick={() => setIsSendingBack(true)}>Send back with a comment</Button>
        </div>
        <SendBack open={isSendingBack} does={does} onClose={() => setIsSendingBack(false)} />
      </footer>
    </>
  );
}

function placeWords({ operation, start_line, end_line = start_line }: Job['proposed_edits'][number]): string {
  if (operation === 'insert') return `insert before line ${start_line}`;
  return `${operation} ${start_line === end_line ? `line ${start_line}` : `lines ${start_line} to ${end_line}`}`;
}
