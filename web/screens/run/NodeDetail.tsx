import { useEffect, useRef } from 'react';
import type { Run } from '../../../domain/run.ts';
import { Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Block, Value } from '../../components/Value.tsx';
import { asText } from '../../format.ts';
import { lookOf } from '../../status.ts';
import type { Transcript } from '../../transcript.ts';
import type { EndItem, Item } from '../../transcript-items.ts';
import { AskDetail } from './AskDetail.tsx';
import { CallDetail } from './CallDetail.tsx';
import { ModelDetail } from './ModelDetail.tsx';
import { NoteDetail } from './NoteDetail.tsx';
import { Section } from './Section.tsx';

interface Props {
  runId: string;
  run: Run | undefined;
  transcript: Transcript;
  selected: string | null;
  isFollowing: boolean;
  onChoose: (key: string) => void;
  onFork: ((step: number) => void) | null;
}

const NEAR_PX = 80;

/** The chosen node. While the page follows the run and the reader is at the end of the text, it stays at the end. */
export function NodeDetail({ runId, run, transcript, selected, isFollowing, onChoose, onFork }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const item = transcript.items.find(({ key }) => key === selected);
  const written = (transcript.writing?.text.length ?? 0) + (transcript.outputs[selected ?? '']?.length ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another node begins at its top
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0;
    isAtEnd.current = true;
  }, [selected]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for every piece of text that arrives
  useEffect(() => {
    if (box.current && isFollowing && isAtEnd.current && (item?.kind === 'model' || item?.kind === 'call'))
      box.current.scrollTop = box.current.scrollHeight;
  }, [written, isFollowing, item]);

  return (
    <div
      ref={box}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-6 py-5 -outline-offset-2 max-sm:px-4"
    >
      {item ? (
        <Body
          runId={runId}
          item={item}
          transcript={transcript}
          onChoose={onChoose}
          onFork={onFork}
          // Nothing is seen before the record is there, and what is not seen cannot have the focus.
          takesFocus={isFollowing && run !== undefined}
        />
      ) : run ? (
        <Task input={run.input} />
      ) : (
        <div className="flex flex-col gap-3">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-3/4" />
          <Skeleton className="w-2/3" />
        </div>
      )}
    </div>
  );
}

interface BodyProps extends Omit<Props, 'run' | 'selected' | 'isFollowing'> {
  item: Item;
  takesFocus: boolean;
}

function Body({ runId, item, transcript, onChoose, onFork, takesFocus }: BodyProps) {
  const isOver = transcript.ended !== null;
  switch (item.kind) {
    case 'model':
      return (
        <ModelDetail
          key={item.key}
          runId={runId}
          item={item}
          transcript={transcript}
          onChoose={onChoose}
          onFork={onFork}
        />
      );
    case 'call':
      return (
        <CallDetail
          key={item.key}
          runId={runId}
          item={item}
          said={transcript.outputs[item.key] ?? ''}
          isOver={isOver}
          takesFocus={takesFocus}
          onFork={onFork}
        />
      );
    case 'ask':
      return <AskDetail key={item.key} runId={runId} item={item} isOver={isOver} takesFocus={takesFocus} />;
    case 'end':
      return <Ending item={item} />;
    default:
      return <NoteDetail item={item} />;
  }
}

function Task({ input }: { input: unknown }) {
  return (
    <Section title="Task" at={null}>
      {typeof input === 'string' ? <Markdown text={input} lines /> : <Value value={input} label="Input" />}
    </Section>
  );
}

function Ending({ item }: { item: EndItem }) {
  const hasOutput = item.output !== null && item.output !== undefined && item.output !== '';
  return (
    <Section title={<StatusBadge status={item.status} filled />} at={item.at}>
      {item.error && (
        <Problem
          title={item.status === 'failed' ? 'The run failed' : lookOf(item.status).word}
          code={item.error.code}
          message={item.error.message}
        />
      )}
      {item.status === 'budget_exceeded' && !item.error && (
        <p className="rounded-md bg-failed-wash p-3">
          Its next model call could have gone beyond what it may use, so it was not made.
          {hasOutput ? ' Below is how far it came.' : ''} Raise its limits in the form of the agent, then fork it to go
          on.
        </p>
      )}
      {hasOutput &&
        (typeof item.output === 'string' ? (
          <Markdown text={item.output} />
        ) : (
          <Block text={asText(item.output)} label="Output" />
        ))}
      {!hasOutput && !item.error && <p className="text-soft">It ended without an output.</p>}
    </Section>
  );
}
