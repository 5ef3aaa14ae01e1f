import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { callWords } from '../../activity.ts';
import { ActionCard, type ActionMode } from '../../components/ActionCard.tsx';
import { Button } from '../../components/Button.tsx';
import { Diff } from '../../components/Diff.tsx';
import { ErrorNote, Problem } from '../../components/ErrorNote.tsx';
import { QuestionCard } from '../../components/QuestionCard.tsx';
import { Ago } from '../../components/Times.tsx';
import { Value } from '../../components/Value.tsx';
import { Working } from '../../components/Working.tsx';
import { SKIPPED, useDecisions } from '../../decisions.ts';
import { duration } from '../../format.ts';
import { useShortcuts } from '../../shortcuts.ts';
import type { CallItem } from '../../transcript.ts';
import { fullResult } from './full-result.ts';
import { Fact, Section } from './Section.tsx';

interface Props {
  runId: string;
  item: CallItem;
  isOver: boolean;
  takesFocus: boolean;
}

export function CallDetail({ runId, item, isOver, takesFocus }: Props) {
  const { verb, object } = callWords(item);
  const { decide, answer } = useDecisions(runId);
  const [mode, setMode] = useState<ActionMode>('look');
  const { action, question, result } = item;
  const isOpen = !isOver && result === null;
  const waitsFor =
    isOpen && action && !action.decision ? 'decision' : isOpen && question && !question.answer ? 'answer' : null;
  const allow = () => action && decide.mutate({ id: action.id, digest: action.digest, confirmed: true });
  useShortcuts(
    waitsFor === 'decision' && !decide.isPending && mode === 'look'
      ? { a: () => allow(), d: () => setMode('deny'), e: () => setMode('edit') }
      : {},
  );

  if (waitsFor === 'decision' && action) {
    return (
      <ActionCard
        action={action}
        mode={mode}
        onMode={setMode}
        // Sent but not yet in the log: the card stays, and takes no second decision.
        busy={decide.isPending || decide.isSuccess}
        error={decide.error}
        takesFocus={takesFocus}
        onDecide={(decision) => decide.mutate({ id: action.id, digest: action.digest, ...decision })}
      />
    );
  }
  if (waitsFor === 'answer' && question) {
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
  return (
    <Section
      title={
        <>
          {verb} <span className="font-mono text-small">{object}</span>
        </>
      }
      at={item.at}
    >
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Fact name="Tool">
          <span className="font-mono text-small">{item.name}</span>
        </Fact>
        <Fact name="Turn">{item.turn}</Fact>
        {result && <Fact name="Time">{duration(result.duration_ms)}</Fact>}
        {result && <Fact name="Outcome">{result.ok ? 'Done' : result.was_allowed ? 'Failed' : 'Not allowed'}</Fact>}
      </dl>
      {action?.decision && <Decided decision={action.decision} />}
      {question?.answer && (
        <Part name={question.answer.text === SKIPPED ? 'Skipped' : `Answer from ${question.answer.by.name}`}>
          {question.answer.text !== SKIPPED && <p className="whitespace-pre-wrap">{question.answer.text}</p>}
        </Part>
      )}
      {result?.error && <Problem title="The call failed" code={result.error.code} message={result.error.message} />}
      {action?.preview ? (
        <Part name="Change">
          <Diff patch={action.preview} label={action.path ?? action.type} />
        </Part>
      ) : (
        <Part name="Arguments">
          {item.malformed === null ? (
            <Value value={item.arguments} label="Arguments" />
          ) : (
            <Value value={item.malformed} label="Arguments" />
          )}
        </Part>
      )}
      {result?.ok && !question && (
        <Part name="Result">
          <Result runId={runId} callId={item.call_id} turn={item.turn} summary={result.summary} />
        </Part>
      )}
      {isOpen && <Working word="Running…" />}
      {isOver && result === null && <p className="text-soft">The run ended before this was done.</p>}
    </Section>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-small text-faint">{name}</h3>
      {children}
    </div>
  );
}

function Decided({ decision }: { decision: NonNullable<NonNullable<CallItem['action']>['decision']> }) {
  return (
    <p>
      <span className={decision.confirmed ? 'font-medium text-done' : 'font-medium text-failed'}>
        {decision.confirmed ? 'Allowed' : 'Denied'}
      </span>
      {decision.edited && ' with changes'} by {decision.by.name} <Ago at={decision.at} className="text-soft" />
      {decision.reason && <span className="block text-soft">“{decision.reason}”</span>}
    </p>
  );
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Cut off in the middle it is no JSON any more; its line breaks are made visible again.
    return text.replaceAll('\\n', '\n');
  }
};

/** Events carry the beginning of a result; the whole is read when somebody asks for it. */
function Result({ runId, callId, turn, summary }: { runId: string; callId: string; turn: number; summary: string }) {
  const [wanted, setWanted] = useState(false);
  const isCut = /… \(\d+ characters\)$/.test(summary);
  const whole = useQuery({
    queryKey: ['result', runId, turn, callId],
    queryFn: () => fullResult(runId, turn, callId),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="flex flex-col items-start gap-3 *:max-w-full *:first:w-full">
      <div className="w-full">
        {whole.data ? (
          <Value value={whole.data.result} label="Result" />
        ) : (
          <Value value={parsed(summary)} label="Result" />
        )}
      </div>
      {isCut && !whole.data && (
        <Button busy={whole.isFetching} onClick={() => setWanted(true)}>
          Show the whole result
        </Button>
      )}
      {whole.error && <ErrorNote title="The result could not be read" error={whole.error} />}
    </div>
  );
}
