import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { callWords } from '../../call-words.ts';
import { ActionCard, type ActionMode } from '../../components/ActionCard.tsx';
import { Diff } from '../../components/Diff.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { QuestionCard } from '../../components/QuestionCard.tsx';
import { useDecisions } from '../../decisions.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { awaitsAnswer, awaitsDecision } from '../../transcript.ts';
import type { Action, AskItem, CallItem, Question } from '../../transcript-items.ts';
import { askOutcome } from './CallRow.tsx';
import { Section } from './Section.tsx';

interface Manner {
  takesFocus: boolean;
  /** Of several cards on a page one has the keyboard. */
  takesKeys?: boolean;
  /** Its tool may be allowed for the whole conversation. */
  forSession?: boolean;
}

/** The card of a call that waits for a person, if it does; what is said goes to the run named. */
export function WaitingCall({
  runId,
  item,
  ...manner
}: Manner & { runId: string; item: Pick<CallItem, 'action' | 'question'> }) {
  if (item.action && !item.action.decision) {
    const { digest, at } = item.action;
    return <WaitingAction key={`${digest}-${at}`} runId={runId} action={item.action} {...manner} />;
  }
  if (item.question && !item.question.answer)
    return <WaitingQuestion runId={runId} question={item.question} takesFocus={manner.takesFocus} />;
  return null;
}

/** A key that was on its way to another field when the card came must not decide anything. */
const ARMED_AFTER_MS = 600;

function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setArmed(true), ARMED_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return isArmed;
}

function WaitingAction({
  runId,
  action,
  takesFocus,
  takesKeys = true,
  forSession = false,
}: Manner & { runId: string; action: Action }) {
  const { decide, revise } = useDecisions(runId);
  const [mode, setMode] = useState<ActionMode>('look');
  const isArmed = useArmed();
  const { id, digest } = action;
  // Sent but not yet in the log: the card stays, and takes no second decision.
  const isSent = [decide, revise].some(({ isPending, isSuccess }) => isPending || isSuccess);
  useShortcuts(
    isArmed && takesKeys && !isSent && mode === 'look'
      ? {
          a: () => decide.mutate({ id, digest, confirmed: true }),
          d: () => setMode('deny'),
          e: () => setMode('edit'),
        }
      : {},
  );
  return (
    <ActionCard
      action={action}
      mode={mode}
      onMode={setMode}
      busy={isSent}
      error={decide.error ?? revise.error}
      takesFocus={takesFocus}
      forSession={forSession}
      onRevise={(edited) => revise.mutate({ id, digest, arguments: edited })}
      onDecide={(decision) => decide.mutate({ id, digest, ...decision })}
    />
  );
}

function WaitingQuestion({ runId, question, takesFocus }: { runId: string; question: Question; takesFocus: boolean }) {
  const { answer } = useDecisions(runId);
  return (
    <QuestionCard
      question={question}
      busy={answer.isPending || answer.isSuccess}
      error={answer.error}
      takesFocus={takesFocus}
      onAnswer={(text) => answer.mutate({ id: question.id, text })}
    />
  );
}

/** What a run below asks, answered from here. */
export function AskDetail({
  runId,
  item,
  isOver,
  ...manner
}: Manner & { runId: string; item: AskItem; isOver: boolean }) {
  const { action, question } = item;
  const isOpen = !isOver && !item.is_over && (awaitsDecision(item) || awaitsAnswer(item));
  const words = action ? callWords({ name: action.type, arguments: action.arguments }) : null;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        Asked by <span className="font-medium text-ink">{item.agent_name}</span>, in{' '}
        <Link to={`/runs/${encodeURIComponent(item.run_id)}`} className="rounded text-accent-ink underline">
          a run below this one
        </Link>
        .
      </p>
      {isOpen ? (
        <WaitingCall runId={runId} item={item} {...manner} />
      ) : (
        <Section title={words ? `${words.verb} ${action?.path ?? words.object}` : 'Question'} at={item.at}>
          <p className="text-soft">{askOutcome(item)}</p>
          {question && <Markdown text={question.question} lines />}
          {action?.preview && <Diff patch={action.preview} label={action.path ?? action.type} />}
        </Section>
      )}
    </div>
  );
}
