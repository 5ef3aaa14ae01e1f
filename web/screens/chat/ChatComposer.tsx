import { SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { Agent } from '../../../domain/agent.ts';
import type { ContextRow, SessionStatus } from '../../../domain/session.ts';
import { Button } from '../../components/Button.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { useDraft } from '../../drafts.ts';
import { lookOf } from '../../status.ts';
import { CostQuote } from '../frame/CostQuote.tsx';
import { ContextChips } from './ContextChips.tsx';
import { FilePicker } from './FilePicker.tsx';

interface Props {
  /** Under which the draft is kept. */
  name: string;
  agent: Agent | undefined;
  notebookId: string | null;
  rows: ContextRow[];
  onRows: (rows: ContextRow[]) => void;
  status: SessionStatus;
  isSending: boolean;
  /** Nothing can be sent before it is known to whom. */
  isReady?: boolean;
  /** What was not taken comes back into the field. */
  onSend: (content: string, onRefused: () => void) => void;
  onStop: () => void;
  isStopping: boolean;
  /** In place of what the field says by itself. */
  hint: string | null;
  /** Where it is not one agent that is spoken to. */
  placeholder?: string;
  /** What went wrong. */
  children?: ReactNode;
}

function situation(status: SessionStatus): { isAtWork: boolean; words: string | null } {
  if (status === 'pending' || lookOf(status).ended) return { isAtWork: false, words: null };
  if (lookOf(status).tone === 'waits')
    return { isAtWork: true, words: 'It waits for you, above. A message will be read at its next step.' };
  return { isAtWork: true, words: 'It is working: your message will be read at its next step.' };
}

/** Where the focus would bring up a keyboard over half the screen. */
const isTouch = (): boolean => window.matchMedia('(pointer: coarse)').matches;

/** The line one writes in: Enter sends, what is pinned stands above it, what it may cost beside Send. */
export function ChatComposer(props: Props) {
  const { name, agent, notebookId, rows, onRows, status, isSending, isReady = true } = props;
  const { onSend, onStop, isStopping, hint, placeholder, children } = props;
  const [text, setText] = useDraft(name);
  const field = useRef<HTMLTextAreaElement>(null);
  const { isAtWork, words } = situation(status);
  // When a card that had the focus has gone, one goes on writing.
  useEffect(() => {
    if (status && document.activeElement === document.body && !isTouch()) field.current?.focus();
  }, [status]);
  const canSend = text.trim() !== '' && isReady && !isSending;

  const send = (): void => {
    if (!canSend) return;
    const content = text.trim();
    setText('');
    onSend(content, () => {
      // Unless somebody has begun to write something else meanwhile.
      if (field.current?.value === '') setText(content);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <footer className="border-t border-line bg-canvas">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-6 py-3 max-sm:px-3 max-sm:py-2">
        {children}
        <ContextChips rows={rows} onRows={onRows} onLeft={() => field.current?.focus()}>
          {notebookId !== null && <FilePicker notebookId={notebookId} rows={rows} onRows={onRows} />}
        </ContextChips>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <div className="min-w-0 flex-1">
            <TextArea
              ref={field}
              label="Message"
              hideLabel
              placeholder={isAtWork ? 'Steer it' : (placeholder ?? `Message ${agent?.name ?? 'the agent'}`)}
              autoFocus={!isTouch()}
              rows={1}
              className="max-h-60"
              maxLength={100_000}
              value={text}
              onKeyDown={onKeyDown}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          {isAtWork && (
            <Button kind="danger" busy={isStopping} title="Stops it (Esc Esc)" onClick={onStop}>
              <Square aria-hidden size={12} className="fill-current" /> {isStopping ? 'Stopping…' : 'Stop'}
            </Button>
          )}
          <Button type="submit" kind="primary" busy={isSending} disabled={!canSend}>
            <SendHorizontal aria-hidden size={14} /> <span className="max-sm:sr-only">Send</span>
          </Button>
        </form>
        <div className="flex min-h-4 flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          {(hint ?? words) ? (
            <p role="status" className="text-small text-soft">
              {hint ?? words}
            </p>
          ) : (
            agent && <CostQuote agentId={agent.id} model={agent.model} input={text} />
          )}
          <span aria-hidden className="text-small text-faint max-md:hidden">
            {status === 'awaiting_confirmation' ? (
              <>
                <kbd className="font-sans">a</kbd> allow · <kbd className="font-sans">d</kbd> deny ·{' '}
                <kbd className="font-sans">e</kbd> edit
              </>
            ) : (
              <>
                <kbd className="font-sans">↵</kbd> send · <kbd className="font-sans">⇧ ↵</kbd> new line
              </>
            )}
          </span>
        </div>
      </div>
    </footer>
  );
}
