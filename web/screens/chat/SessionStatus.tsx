import { CircleDashed } from 'lucide-react';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { SessionStatus as Status } from '../../sessions-api.ts';

/** How a conversation stands: as its latest run does, or that nothing was said yet. */
export function SessionStatus({ status }: { status: Status }) {
  if (status !== 'pending') return <StatusBadge status={status} />;
  return (
    <span className="inline-flex items-center gap-1.5 font-medium whitespace-nowrap text-soft">
      <CircleDashed aria-hidden size={15} className="shrink-0" /> New
    </span>
  );
}
