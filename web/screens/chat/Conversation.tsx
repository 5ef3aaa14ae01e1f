import { ArrowDown, LoaderCircle } from 'lucide-react';
import { useRef } from 'react';
import type { Run } from '../../../domain/run.ts';
import type { SessionStatus } from '../../../domain/session.ts';
import type { ChatRow } from '../../conversation.ts';
import { lookOf } from '../../status.ts';
import { awaitsAnswer, awaitsDecision } from '../../transcript.ts';
import { ChatLine, UserMessage } from './ChatLine.tsx';
import { useStick, useWindow } from './stick.ts';

/** More rows than fill any screen; older ones are drawn when one comes near them. */
const STEP = 120;

interface Props {
  rows: ChatRow[];
  /** Sent, and not answered by the server yet. */
  sending: string | null;
  latest: string | null;
  status: SessionStatus;
  records: ReadonlyMap<string, Run>;
  /** Runs whose steps are here or on their way. */
  shownRuns: ReadonlySet<string>;
  earlier: { hasEarlier: boolean; isReading: boolean; readEarlier: () => unknown };
  onToggle: (key: string) => void;
  onShowSteps: (runId: string) => void;
  onRetry: (runId: string) => void;
}

/** The first thing that waits for a person: it has the focus and the keys. */
const waitingKey = (rows: readonly ChatRow[], latest: string | null): string | null =>
  rows.find(
    (row) =>
      row.run_id === latest &&
      (row.type === 'call' ? row.item.result === null : row.type === 'ask' && !row.item.is_over) &&
      (row.type === 'call' || row.type === 'ask') &&
      (awaitsDecision(row.item) || awaitsAnswer(row.item)),
  )?.key ?? null;

/** What there is to read; what somebody opens to look at is no news. */
const lengthOf = (rows: readonly ChatRow[]): number =>
  rows.filter(({ type }) => type === 'user' || type === 'turn' || type === 'answer' || type === 'ask').length;

export function Conversation(props: Props) {
  const { rows, sending, latest, status, records, shownRuns, earlier, onToggle, onShowSteps, onRetry } = props;
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const waits = waitingKey(rows, latest);
  const size = lengthOf(rows) + (waits === null ? 0 : 1);
  const { hasLeft, hasNews, toEnd, leave, onScroll } = useStick(box, content, size);
  const { first, look } = useWindow(box, rows, STEP, hasLeft, earlier);
  const hasEnded = status === 'pending' || lookOf(status).ended;

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <section
        ref={box}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={() => {
          onScroll();
          look();
        }}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div ref={content} className="mx-auto flex w-full max-w-3xl flex-col px-6 py-4 max-sm:px-4">
          {earlier.isReading && (
            <p className="flex items-center justify-center gap-2 py-2 text-small text-faint">
              <LoaderCircle aria-hidden size={14} className="animate-spin" /> Reading what was said before…
            </p>
          )}
          {rows.slice(first).map((row) => (
            <ChatLine
              key={row.key}
              row={row}
              isOver={hasEnded || row.run_id !== latest}
              isLatest={row.run_id === latest}
              waits={row.key === waits}
              status={row.type === 'foot' && row.run_id === latest ? status : null}
              record={records.get(row.run_id)}
              hasSteps={row.type === 'foot' && shownRuns.has(row.run_id)}
              onToggle={(key) => {
                // Whoever opens something wants to see its beginning, not to be taken to the end.
                leave(true);
                onToggle(key);
              }}
              onShowSteps={(runId) => {
                leave(true);
                onShowSteps(runId);
              }}
              onRetry={onRetry}
            />
          ))}
          {sending !== null && <UserMessage content={sending} isSending />}
        </div>
      </section>
      {hasLeft && (
        <button
          type="button"
          onClick={toEnd}
          className={`absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-raised px-3 text-small font-medium shadow-float hover:bg-hover ${hasNews ? 'text-accent-ink' : 'text-soft'}`}
        >
          <ArrowDown aria-hidden size={14} /> {hasNews ? 'New messages' : 'To the end'}
        </button>
      )}
    </div>
  );
}
