import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { commandWords } from '../../../domain/command-words.ts';
import { api } from '../../api.ts';
import { callWords } from '../../call-words.ts';
import { Button } from '../../components/Button.tsx';
import { Diff } from '../../components/Diff.tsx';
import { ErrorNote, Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Ago } from '../../components/Times.tsx';
import { Block, Value } from '../../components/Value.tsx';
import { Working } from '../../components/Working.tsx';
import { SKIPPED } from '../../decisions.ts';
import { duration } from '../../format.ts';
import { awaitsAnswer, awaitsDecision } from '../../transcript.ts';
import type { CallItem } from '../../transcript-items.ts';
import { WaitingCall } from './AskDetail.tsx';
import { CommandEvidence } from './CommandEvidence.tsx';
import { Delegated } from './Delegated.tsx';
import { Fact, Section } from './Section.tsx';
import { StepActions } from './StepActions.tsx';

interface Props {
  runId: string;
  item: CallItem;
  /** What it has said so far, while it is under way. */
  said?: string;
  isOver: boolean;
  takesFocus: boolean;
  onFork: ((step: number) => void) | null;
}

export function CallDetail({ runId, item, said = '', isOver, takesFocus, onFork }: Props) {
  const { verb, object } = callWords(item);
  const { action, question, result, delegation } = item;
  const command = commandWords(item.name, item.arguments);
  // Its evidence then says more than what was shown or asked for before.
  const wasRun = command !== null && result?.was_allowed === true;
  const isOpen = !isOver && result === null;
  if (isOpen && (awaitsDecision(item) || awaitsAnswer(item))) {
    return <WaitingCall runId={runId} item={item} takesFocus={takesFocus} />;
  }
  return (
    <Section
      title={
        delegation ? (
          `Handed to ${delegation.agent_name}`
        ) : (
          <>
            {verb} <span className="font-mono text-small">{object}</span>
          </>
        )
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
      {delegation && <Delegated delegation={delegation} />}
      {action?.decision && <Decided decision={action.decision} />}
      {question?.answer && (
        <Part name={question.answer.text === SKIPPED ? 'Skipped' : `Answer from ${question.answer.by.name}`}>
          {question.answer.text !== SKIPPED && <p className="whitespace-pre-wrap">{question.answer.text}</p>}
        </Part>
      )}
      {result?.error && <Problem title="The call failed" code={result.error.code} message={result.error.message} />}
      {wasRun ? (
        <Part name="What was run">
          <CommandEvidence runId={runId} callId={item.call_id} otherwise={<Asked item={item} />} />
        </Part>
      ) : (
        <Part name={delegation ? 'Task' : action?.preview ? (command ? 'Command' : 'Change') : 'Arguments'}>
          <Asked item={item} />
        </Part>
      )}
      {result?.ok && !question && !command && (
        <Part name="Result">
          <Result runId={runId} step={result.step} summary={result.summary} />
        </Part>
      )}
      {isOpen && said !== '' && (
        <Part name="Output so far">
          <Block text={said} label="Output so far" follows />
        </Part>
      )}
      {isOpen && !delegation && <Working word="Running…" />}
      {isOver && result === null && <p className="text-soft">The run ended before this was done.</p>}
      <StepActions runId={runId} step={item.step} last={result?.step ?? item.step} onFork={onFork} />
    </Section>
  );
}

/** What the model wants done, as a person was shown it or as it said it. */
function Asked({ item: { action, delegation, arguments: given, malformed } }: { item: CallItem }) {
  if (action?.preview) return <Diff patch={action.preview} label={action.path ?? action.type} />;
  if (delegation && typeof given.task === 'string') return <Markdown text={given.task} lines />;
  return <Value value={malformed ?? given} label="Arguments" />;
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
function Result({ runId, step, summary }: { runId: string; step: number; summary: string }) {
  const [wanted, setWanted] = useState(false);
  const isCut = /… \(\d+ characters\)$/.test(summary);
  const whole = useQuery({
    queryKey: ['step', runId, step],
    queryFn: () => api.step(runId, step),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="flex flex-col items-start gap-3 *:max-w-full *:first:w-full">
      <div className="w-full">
        {whole.data ? (
          <Value value={whole.data.content.result ?? null} label="Result" />
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
