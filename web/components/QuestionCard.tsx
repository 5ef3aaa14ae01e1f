import { MessageCircleQuestionMark } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { PendingQuestion } from '../../domain/pending.ts';
import { SKIPPED } from '../decisions.ts';
import { useWaitingFocus } from '../waiting-focus.ts';
import { Button } from './Button.tsx';
import { ErrorNote } from './ErrorNote.tsx';
import { TextArea } from './Fields.tsx';
import { Markdown } from './Markdown.tsx';

interface Props {
  question: Pick<PendingQuestion, 'id' | 'question'>;
  onAnswer: (answer: string) => void;
  busy: boolean;
  error: Error | null;
  takesFocus?: boolean;
}

/** A question the run cannot go on without, or with "no answer" when it is skipped. */
export function QuestionCard({ question, onAnswer, busy, error, takesFocus = false }: Props) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useWaitingFocus(field, takesFocus);
  const send = () => text.trim() !== '' && onAnswer(text.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <section aria-label="Question" className="overflow-hidden rounded-lg border border-waits/40 bg-surface">
      <header className="flex items-start gap-2.5 bg-waits-wash px-4 py-3">
        <MessageCircleQuestionMark aria-hidden size={16} className="mt-0.5 shrink-0 text-waits" />
        <div className="min-w-0">
          <p className="mb-1 font-medium text-waits">Waits for answer</p>
          <Markdown text={question.question} lines />
        </div>
      </header>
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextArea
          ref={field}
          label="Your answer"
          hideLabel
          placeholder="Your answer"
          rows={2}
          maxLength={100_000}
          value={text}
          disabled={busy}
          onKeyDown={onKeyDown}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" kind="primary" busy={busy} disabled={text.trim() === ''}>
            Answer
          </Button>
          <Button
            kind="quiet"
            disabled={busy}
            onClick={() => onAnswer(SKIPPED)}
            title="The run goes on without an answer"
          >
            Skip
          </Button>
        </div>
        {error && <ErrorNote title="The answer was not taken" error={error} />}
      </form>
    </section>
  );
}
