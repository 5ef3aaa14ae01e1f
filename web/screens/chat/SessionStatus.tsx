import { CircleDashed } from 'lucide-react';
import type { SessionSummary, SessionStatus as Status } from '../../../domain/session.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useRunFeed } from '../../live-hooks.ts';
import { statusOf } from '../../transcript.ts';

/** As the log of its latest run tells it, which is ahead of all records. */
export function LiveStatus({ session }: { session: SessionSummary }) {
  return session.run_id === null ? (
    <SessionStatus status={session.status} />
  ) : (
    <StatusOfRun runId={session.run_id} known={session.status} />
  );
}

function StatusOfRun({ runId, known }: { runId: string; known: Status }) {
  const { transcript } = useRunFeed(runId);
  return <SessionStatus status={transcript.next_cursor > 1 ? statusOf(transcript) : known} />;
}

/** How a conversation stands: as its latest run does, or that nothing was said yet. */
export function SessionStatus({ status }: { status: Status }) {
  if (status !== 'pending') return <StatusBadge status={status} />;
  return (
    <span className="inline-flex items-center gap-1.5 font-medium whitespace-nowrap text-soft">
      <CircleDashed aria-hidden size={15} className="shrink-0" /> New
    </span>
  );
}
