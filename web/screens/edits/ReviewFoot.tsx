import { Ban, Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Job } from '../../../domain/edits/wire.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { ErrorNote, Problem } from '../../components/ErrorNote.tsx';
import { Menu } from '../../components/Menu.tsx';
import { acceptable, applyWords, leftOutWords, tally } from '../../edit-review.ts';
import { ApiError } from '../../http.ts';
import { modName } from '../../shortcuts.ts';
import { useDiscard } from './job-queries.ts';
import type { Reviewing } from './reviewing.ts';
import { SendBack } from './SendBack.tsx';

interface Props {
  job: Job;
  does: Reviewing;
  isTyping: boolean;
  canUndo: boolean;
  canRedo: boolean;
  onBack: (way: 'undo' | 'redo') => void;
}

const isConflict = (error: Error | null): boolean => error instanceof ApiError && error.code === 'conflict';

/** How the review stands, and what ends it: apply, or back to the agent. */
export function ReviewFoot({ job, does, isTyping, canUndo, canRedo, onBack }: Props) {
  const files = job.diff_bundle?.files ?? [];
  const sums = tally(files);
  const open = acceptable(files);
  const leftOut = sums.accepted > 0 ? leftOutWords(sums) : '';
  const [isSendingBack, setIsSendingBack] = useState(false);
  const discard = useDiscard(job.job_id);
  const isConflicted = job.review?.state === 'conflict';
  const isApplying = job.review?.state === 'applying' || does.apply.isPending;
  const failed = isConflict(does.apply.error) ? null : (does.apply.error ?? discard.error);
  return (
    <footer className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2">
      {failed ? (
        <ErrorNote title="Nothing was written" error={failed} />
      ) : (
        // The apply was asked for elsewhere, or its answer was lost.
        job.error &&
        !isApplying && <Problem title="Nothing was written" code={job.error.code} message={job.error.message} />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="flex flex-wrap gap-x-3 text-small">
          <span className="text-done">{sums.accepted} accepted</span>
          <span className="text-failed">{sums.rejected} rejected</span>
          <span className={sums.pending > 0 ? 'text-waits' : 'text-faint'}>{sums.pending} undecided</span>
        </p>
        <p className="text-small text-faint max-[1700px]:hidden">
          <kbd className="font-sans">j</kbd> <kbd className="font-sans">k</kbd> move ·{' '}
          <kbd className="font-sans">a</kbd> accept · <kbd className="font-sans">r</kbd> reject ·{' '}
          <kbd className="font-sans">c</kbd> comment · <kbd className="font-sans">e</kbd> edit
        </p>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
          <IconButton label={`Undo (${modName()} Z)`} disabled={!canUndo || isApplying} onClick={() => onBack('undo')}>
            <Undo2 aria-hidden size={15} />
          </IconButton>
          <IconButton
            label={`Redo (${modName()} Shift Z)`}
            disabled={!canRedo || isApplying}
            onClick={() => onBack('redo')}
          >
            <Redo2 aria-hidden size={15} />
          </IconButton>
          <Menu
            label="More for this proposal"
            items={[{ name: 'Discard the proposal', icon: Ban, run: () => discard.mutate(), danger: true }]}
          />
          {open.length > 0 && (
            <Button disabled={isApplying} onClick={() => does.review.mutate({ hunk_ids: open, decision: 'accept' })}>
              Accept all undecided
            </Button>
          )}
          <Button disabled={isApplying} onClick={() => setIsSendingBack(true)}>
            Send back
          </Button>
          {leftOut !== '' && (
            <span id="left-out" className="text-small text-waits">
              {leftOut}
            </span>
          )}
          <Button
            {...(leftOut === '' ? {} : { 'aria-describedby': 'left-out' })}
            kind={isConflicted ? 'plain' : 'primary'}
            busy={isApplying}
            disabled={isTyping || sums.accepted === 0 || does.review.isPending}
            title={isTyping ? 'Save or drop your edit first' : 'Written to disk, all files or none'}
            onClick={() => does.apply.mutate()}
          >
            {isApplying ? 'Applying' : applyWords(sums)}
          </Button>
        </div>
      </div>
      <SendBack open={isSendingBack} does={does} onClose={() => setIsSendingBack(false)} />
    </footer>
  );
}
