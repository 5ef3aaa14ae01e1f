import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  FileSearch,
  Gauge,
  Hand,
  LoaderCircle,
  type LucideIcon,
  MessageCircleQuestionMark,
} from 'lucide-react';
import type { RunStatus } from '../../domain/run.ts';
import { lookOf, TONE_INK, TONE_WASH } from '../status.ts';

const ICONS: Record<RunStatus, LucideIcon> = {
  queued: CircleDashed,
  running: LoaderCircle,
  paused: CirclePause,
  waiting_for_user: MessageCircleQuestionMark,
  awaiting_confirmation: Hand,
  awaiting_review: FileSearch,
  completed: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
  budget_exceeded: Gauge,
};

function StatusIcon({ status, size = 15 }: { status: RunStatus; size?: number }) {
  const Icon = ICONS[status];
  const turning = status === 'running' ? 'animate-spin [animation-duration:2.4s]' : '';
  return <Icon aria-hidden size={size} className={`shrink-0 ${TONE_INK[lookOf(status).tone]} ${turning}`} />;
}

/** Icon, colour and word, always together. */
export function StatusBadge({ status, filled = false }: { status: RunStatus; filled?: boolean }) {
  const { word, tone } = lookOf(status);
  const box = filled ? `rounded-full px-2.5 py-1 ${TONE_WASH[tone]}` : '';
  return (
    <span className={`inline-flex min-w-0 items-center gap-1.5 font-medium whitespace-nowrap ${TONE_INK[tone]} ${box}`}>
      <StatusIcon status={status} />
      <span className="truncate">{word}</span>
    </span>
  );
}
