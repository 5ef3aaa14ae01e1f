import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleStop, GitFork, Pause, Play, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { toast } from '../../components/Toasts.tsx';
import { usePageActions } from '../../page-actions.ts';
import { lookOf } from '../../status.ts';

interface Props {
  id: string;
  status: RunStatus;
  /** Other runs were made by this one. */
  hasBelow: boolean;
  /** Null where there is nothing to go on from. */
  onResume: (() => void) | null;
  onFork: (() => void) | null;
}

/** What can be done with a run as it stands. */
export function RunActions({ id, status, hasBelow, onResume, onFork }: Props) {
  const { ended } = lookOf(status);
  usePageActions([
    ...(ended && onFork ? [{ name: 'Fork run', icon: GitFork, run: onFork }] : []),
    ...(status === 'failed' && onResume ? [{ name: 'Resume run', icon: RotateCw, run: onResume }] : []),
  ]);
  if (!ended)
    return (
      <div className="flex gap-2">
        <PauseRun key={status} id={id} status={status} />
        <CancelRun id={id} hasBelow={hasBelow} />
      </div>
    );
  return (
    <div className="flex gap-2">
      {onFork && (
        <Button onClick={onFork}>
          <GitFork aria-hidden size={14} /> <span className="max-sm:sr-only">Fork</span>
        </Button>
      )}
      {status === 'failed' && onResume && (
        <Button kind="primary" onClick={onResume}>
          <RotateCw aria-hidden size={14} /> Resume
        </Button>
      )}
    </div>
  );
}

function PauseRun({ id, status }: { id: string; status: RunStatus }) {
  const client = useQueryClient();
  const isPaused = status === 'paused';
  const change = useMutation({
    mutationFn: () => (isPaused ? api.unpauseRun(id) : api.pauseRun(id)),
    onSettled: () => client.invalidateQueries({ queryKey: ['run', id] }),
    onError: (error) => toast(error.message, 'failed'),
  });
  // Taken, and not in the log yet: the button stays as it is and takes no second click.
  const busy = change.isPending || change.isSuccess;
  const icon = isPaused ? Play : Pause;
  usePageActions(busy ? [] : [{ name: isPaused ? 'Unpause run' : 'Pause run', icon, run: () => change.mutate() }]);
  return (
    <Button
      busy={busy}
      title={isPaused ? 'Lets it go on' : 'What is under way is finished, nothing new begins; also in runs below'}
      onClick={() => change.mutate()}
    >
      {isPaused ? (
        <>
          <Play aria-hidden size={14} /> <span className="max-sm:sr-only">Unpause</span>
        </>
      ) : (
        <>
          <Pause aria-hidden size={14} /> <span className="max-sm:sr-only">{busy ? 'Pausing…' : 'Pause'}</span>
        </>
      )}
    </Button>
  );
}

function CancelRun({ id, hasBelow }: { id: string; hasBelow: boolean }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api.cancelRun(id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['run', id] }),
    onError: (error) => toast(error.message, 'failed'),
  });
  usePageActions([{ name: 'Cancel run', icon: CircleStop, run: () => setAsks(true) }]);
  return (
    <>
      <Button kind="danger" busy={cancel.isPending || cancel.isSuccess} onClick={() => setAsks(true)}>
        {cancel.isSuccess ? 'Cancelling…' : 'Cancel run'}
      </Button>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={hasBelow ? 'Cancel this run and all below it?' : 'Cancel this run?'}
        description={
          hasBelow
            ? 'It and every run it has handed work to stop within seconds and cannot be taken up again. What they have done so far stays.'
            : 'It stops within seconds and cannot be taken up again. What it has done so far stays.'
        }
        confirm={hasBelow ? 'Yes, cancel them all' : 'Yes, cancel it'}
        keep="Keep running"
        onConfirm={() => cancel.mutate()}
      />
    </>
  );
}
