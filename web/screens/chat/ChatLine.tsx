import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { Run } from '../../../domain/run.ts';
import type { SessionStatus } from '../../../domain/session.ts';
import { foldDuration } from '../../activity.ts';
import { foldWords } from '../../call-words.ts';
import { Markdown } from '../../components/Markdown.tsx';
import { Ago } from '../../components/Times.tsx';
import type { ChatRow } from '../../conversation.ts';
import { duration } from '../../format.ts';
import { AskDetail } from '../run/AskDetail.tsx';
import { noteWords } from '../run/note-words.ts';
import { CallLine, LINE } from './CallLine.tsx';
import { Foot } from './Foot.tsx';
import { TurnText } from './TurnText.tsx';

interface Props {
  row: ChatRow;
  /** Of an earlier run. */
  isOver: boolean;
  isLatest: boolean;
  /** The one thing that waits for a person now. */
  waits: boolean;
  /** Of the conversation, for the foot of the latest run. */
  status: SessionStatus | null;
  record: Run | undefined;
  /** The steps of this run are in sight or on their way. */
  hasSteps: boolean;
  onToggle: (key: string) => void;
  onShowSteps: (runId: string) => void;
  onRetry: (runId: string) => void;
}

const sameFields = (a: object, b: object): boolean => {
  const [left, right] = [new Map(Object.entries(a)), Object.entries(b)];
  return left.size === right.length && right.every(([name, value]) => Object.is(left.get(name), value));
};

/** Rows are made anew with every word that arrives; only those that say something else are drawn anew. */
const isSame = (a: Props, b: Props): boolean =>
  sameFields(a.row, b.row) &&
  a.isOver === b.isOver &&
  a.isLatest === b.isLatest &&
  a.waits === b.waits &&
  a.status === b.status &&
  a.hasSteps === b.hasSteps &&
  (a.row.type !== 'foot' || (a.record === b.record && a.onRetry === b.onRetry));

export const ChatLine = memo(function ChatLine(props: Props) {
  return (
    <div data-row className="min-w-0">
      <Body {...props} />
    </div>
  );
}, isSame);

function Body({ row, isOver, isLatest, waits, status, record, hasSteps, onToggle, onShowSteps, onRetry }: Props) {
  switch (row.type) {
    case 'user':
      return <UserMessage content={row.content} at={row.at} />;
    case 'answer':
      return (
        <div className="py-2">
          <Markdown text={row.text} />
        </div>
      );
    case 'turn':
      return <TurnText item={row.item} text={row.text} isOver={isOver} />;
    case 'call':
      return (
        <CallLine
          runId={row.run_id}
          item={row.item}
          open={row.open}
          depth={row.depth}
          isOver={isOver}
          waits={waits}
          onToggle={() => onToggle(row.key)}
        />
      );
    case 'fold':
      return (
        <button type="button" aria-expanded={row.open} onClick={() => onToggle(row.key)} className={LINE}>
          {row.open ? <ChevronDown aria-hidden size={14} /> : <ChevronRight aria-hidden size={14} />}
          <span className="min-w-0 flex-1 truncate">{foldWords(row.calls)}</span>
          <span className="shrink-0 text-faint">{duration(foldDuration(row.calls))}</span>
        </button>
      );
    case 'ask':
      return (
        <div className="py-2">
          <AskDetail
            runId={row.run_id}
            item={row.item}
            isOver={isOver}
            takesFocus={waits}
            takesKeys={waits}
            forSession={row.item.action?.can_allow_for_session ?? false}
          />
        </div>
      );
    case 'note': {
      const { lead, rest } = noteWords(row.item);
      const isBad = row.item.kind === 'context' && row.item.error !== null;
      return (
        <p className={`flex min-h-7 items-center gap-1 px-2 text-small ${isBad ? 'text-failed' : 'text-faint'}`}>
          <span className="truncate">
            {lead} {rest}
            {row.item.kind === 'context' && row.item.error ? `. ${row.item.error.message}` : ''}
          </span>
        </p>
      );
    }
    case 'foot':
      return (
        <Foot
          runId={row.run_id}
          transcript={row.transcript}
          record={record}
          status={status}
          hasSteps={hasSteps}
          onShowSteps={onShowSteps}
          onRetry={isLatest ? onRetry : null}
        />
      );
  }
}

/** What a person said; on its way it is paler, and has no time yet. */
export function UserMessage({ content, at, isSending = false }: { content: string; at?: string; isSending?: boolean }) {
  return (
    <div className="flex flex-col items-end gap-1 pt-4 pb-2">
      <span className="sr-only">You said:</span>
      <div
        className={`max-w-[85%] rounded-xl rounded-br-sm bg-chosen px-3.5 py-2 ${isSending ? 'opacity-60' : ''}`}
        aria-busy={isSending}
      >
        <p className="break-words whitespace-pre-wrap">{content}</p>
      </div>
      <span className="text-small text-faint">{isSending || !at ? 'Sending…' : <Ago at={at} />}</span>
    </div>
  );
}
