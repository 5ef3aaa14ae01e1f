import { ArrowUpRight, ListTree, RotateCw } from 'lucide-react';
import { Link } from 'react-router';
import type { Run, RunStatus } from '../../../domain/run.ts';
import type { SessionStatus } from '../../../domain/session.ts';
import { Button } from '../../components/Button.tsx';
import { Problem } from '../../components/ErrorNote.tsx';
import { Elapsed } from '../../components/Times.tsx';
import { Working } from '../../components/Working.tsx';
import { cost, plural, short } from '../../format.ts';
import { lookOf } from '../../status.ts';
import { spentInTree, statusOf, type Transcript } from '../../transcript.ts';

interface Props {
  runId: string;
  transcript: Transcript | null;
  record: Run | undefined;
  /** Of the conversation, where this run is its latest. */
  status: SessionStatus | null;
  hasSteps: boolean;
  onShowSteps: (runId: string) => void;
  /** Null where something was said since. */
  onRetry: ((runId: string) => void) | null;
}

function statusNow({ transcript, record, status }: Props): RunStatus | null {
  if (transcript) return statusOf(transcript);
  return status && status !== 'pending' ? status : (record?.status ?? null);
}

const errorOf = ({ transcript, record }: Props) =>
  transcript?.items.findLast((item) => item.kind === 'end')?.error ?? record?.error ?? null;

const BUSY: Partial<Record<RunStatus, string>> = {
  queued: 'Waits for a worker…',
  running: 'Thinking…',
  paused: 'Paused',
};

/** The word under the last line while nothing is being written. */
function busyWord(transcript: Transcript | null, status: RunStatus): string | null {
  const isWriting = (transcript?.writing?.text ?? '').trim() !== '';
  if (transcript?.turn_at) return 'Waits for its turn: the requests of this hour are used up.';
  return isWriting ? 'Writing…' : (BUSY[status] ?? null);
}

/** Closes what one run has said: how it stands, what it has used, and where to look closer. */
export function Foot(props: Props) {
  const { runId, transcript, record, hasSteps, onShowSteps, onRetry } = props;
  const status = statusNow(props);
  const ended = status !== null && lookOf(status).ended;
  const error = errorOf(props);
  const busy = status && !ended ? busyWord(transcript, status) : null;
  const spent = transcript
    ? spentInTree(transcript)
    : record
      ? { ...record.tree, ...(record.cost_usd === null && { cost_usd: null }) }
      : null;
  const started = transcript?.started_at ?? record?.started_at ?? null;
  const isBad = status === 'failed' || status === 'budget_exceeded';
  return (
    <div className="flex flex-col gap-2 pt-1 pb-4">
      {busy && <Working word={busy} />}
      {isBad && (
        <Problem
          title={status === 'failed' ? 'It could not finish' : 'Its budget is used up'}
          code={error?.code ?? status}
          message={error?.message ?? 'What it has done so far stands above.'}
        >
          {onRetry && (
            <div className="mt-1">
              <Button onClick={() => onRetry(runId)}>
                <RotateCw aria-hidden size={14} /> Try again
              </Button>
            </div>
          )}
        </Problem>
      )}
      {status === 'cancelled' && (
        <p className="text-soft">Stopped. What it has done stays; what it was writing is not kept.</p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-faint">
        {spent && spent.tokens > 0 && (
          <span>
            {short(spent.tokens)} tokens · {cost(spent.cost_usd)}
          </span>
        )}
        {started && !(busy === null && !ended) && (
          <Elapsed from={started} to={transcript?.ended?.at ?? record?.completed_at ?? null} />
        )}
        {!hasSteps && (
          <button
            type="button"
            onClick={() => onShowSteps(runId)}
            className="inline-flex items-center gap-1 rounded text-accent-ink hover:underline"
          >
            <ListTree aria-hidden size={12} /> Show its steps
            {record && record.iterations_used > 1 ? ` (${plural(record.iterations_used, 'turn')})` : ''}
          </button>
        )}
        <Link
          to={`/runs/${encodeURIComponent(runId)}`}
          className="inline-flex items-center gap-1 rounded text-accent-ink hover:underline"
        >
          View run details <ArrowUpRight aria-hidden size={12} />
        </Link>
      </p>
    </div>
  );
}
