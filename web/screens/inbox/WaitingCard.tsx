import { useState } from 'react';
import { Link } from 'react-router';
import type { InboxItem } from '../../../domain/pending.ts';
import { callWords } from '../../call-words.ts';
import { ActionCard, type ActionMode } from '../../components/ActionCard.tsx';
import { QuestionCard } from '../../components/QuestionCard.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { type Decision, SKIPPED, useDecisions } from '../../decisions.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ReviewCard } from '../edits/ReviewCard.tsx';

interface Props {
  id: string;
  item: InboxItem;
  isCurrent: boolean;
  onFocus: () => void;
  onSent: () => void;
}

export function WaitingCard({ id, item, isCurrent, onFocus, onSent }: Props) {
  const { decide, revise, answer } = useDecisions(item.run_id);
  const [mode, setMode] = useState<ActionMode>('look');
  const { action, question, review } = item;
  const chat = item.conversation_id;

  /** Said even where the list has let go of the card before the answer's reply is here; a refusal is said in it. */
  const settle = (sent: Promise<unknown>, words: string): void => {
    sent.then(
      () => {
        onSent();
        toast(words);
      },
      () => undefined,
    );
  };
  const send = (decision: Decision): void => {
    if (!action) return;
    const { verb, object } = callWords({ name: action.type, arguments: action.arguments });
    const what = `${verb} ${action.path ?? object}`;
    settle(
      decide.mutateAsync({ id: action.id, digest: action.digest, ...decision }),
      `${decision.confirmed ? 'Allowed' : 'Denied'}${decision.for_session ? ' for the session' : ''}: ${what}`,
    );
  };
  const canDecide = isCurrent && action !== null && mode === 'look' && !decide.isPending;
  useShortcuts(
    canDecide ? { a: () => send({ confirmed: true }), d: () => setMode('deny'), e: () => setMode('edit') } : {},
  );

  return (
    <li
      id={id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: j and k move the focus from one waiting thing to the next
      tabIndex={0}
      aria-current={isCurrent}
      onFocus={onFocus}
      className={`flex scroll-m-4 flex-col gap-1 rounded-lg ${isCurrent ? 'ring-2 ring-accent-ink/60 ring-offset-4 ring-offset-surface' : ''}`}
    >
      <p className="flex min-w-0 items-center gap-2 px-1 text-small text-soft">
        <span className="truncate font-medium text-ink">{item.agent_name}</span>
        <span className="shrink-0">
          {review ? 'proposed' : 'asked'} <Ago at={item.since} />
        </span>
        <span className="ml-auto flex shrink-0 gap-3">
          {chat !== null && !review && (
            <Link to={`/chat/${encodeURIComponent(chat)}`} className="rounded text-accent-ink hover:underline">
              Open chat
            </Link>
          )}
          <Link to={`/runs/${encodeURIComponent(item.run_id)}`} className="rounded text-accent-ink hover:underline">
            View run
          </Link>
        </span>
      </p>
      {action && (
        <ActionCard
          action={action}
          mode={mode}
          onMode={setMode}
          busy={decide.isPending || revise.isPending || revise.isSuccess}
          error={decide.error ?? revise.error}
          forSession={chat !== null && action.can_allow_for_session !== false}
          onDecide={send}
          onRevise={(edited) => revise.mutate({ id: action.id, digest: action.digest, arguments: edited })}
        />
      )}
      {review && <ReviewCard review={review} />}
      {question && (
        <QuestionCard
          question={question}
          busy={answer.isPending}
          error={answer.error}
          onAnswer={(text) =>
            settle(answer.mutateAsync({ id: question.id, text }), text === SKIPPED ? 'Question skipped' : 'Answer sent')
          }
        />
      )}
    </li>
  );
}
