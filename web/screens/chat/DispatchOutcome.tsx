import { ArrowUpRight, Signpost } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Block } from '../../components/Value.tsx';
import { Working } from '../../components/Working.tsx';
import type { Choice, Told } from '../../dispatching.ts';
import { asText } from '../../format.ts';
import { useRun } from '../../queries.ts';
import { lookOf } from '../../status.ts';
import { DispatchNote } from './DispatchNote.tsx';
import type { Shown } from './dispatch.ts';
import { WhichOne } from './WhichOne.tsx';

interface Props {
  content: string;
  shown: Shown | null;
  /** The choice that is being gone on with. */
  busy: Choice | null;
  onChoose: (choice: Choice) => void;
  onEdit: () => void;
  onByHand: () => void;
  /** It is done with. */
  onClose: () => void;
}

/** What was asked, and what came of it. */
export function DispatchOutcome({ content, shown, busy, onChoose, onEdit, onByHand, onClose }: Props) {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-3 px-6 py-4 max-sm:px-3">
      <div className="flex justify-end">
        <p className="max-w-[85%] rounded-xl rounded-br-sm bg-chosen px-3.5 py-2 break-words whitespace-pre-wrap">
          <span className="sr-only">You asked: </span>
          {content}
        </p>
      </div>
      <div role="status" className="sr-only">
        {shown && shown.kind === 'choose' ? `Which one? ${shown.choices.length} to choose from.` : ''}
      </div>
      {shown === null ? (
        <Working word="Choosing who does it…" />
      ) : (
        <>
          <Came shown={shown} busy={busy} onChoose={onChoose} />
          {shown.kind === 'run' ? (
            <Button className="self-start" onClick={onClose}>
              Ask something else
            </Button>
          ) : (
            <div className="flex flex-wrap gap-2">
              <Button disabled={busy !== null} onClick={onByHand}>
                Choose an agent yourself
              </Button>
              <Button kind="quiet" disabled={busy !== null} onClick={onEdit}>
                Change the question
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function Came({ shown, busy, onChoose }: Pick<Props, 'busy' | 'onChoose'> & { shown: Shown }) {
  switch (shown.kind) {
    case 'run':
      return <PlanRun runId={shown.run_id} told={shown.told} />;
    case 'choose':
      return (
        <WhichOne
          title="Which one?"
          reasoning={shown.reasoning}
          choices={shown.choices}
          busy={busy}
          onChoose={onChoose}
        />
      );
    case 'nothing':
      return shown.choices.length === 0 ? (
        <Said title="Nothing fits">{shown.reasoning}</Said>
      ) : (
        <WhichOne
          title="Nothing fits well"
          reasoning={`${shown.reasoning} This comes closest:`}
          choices={shown.choices}
          busy={busy}
          onChoose={onChoose}
        />
      );
    case 'lacks':
      return (
        <Said title={`${shown.told.title} would do it, and lacks something`}>
          {shown.missing}, which your question does not say. Say it, or let an agent find out.
        </Said>
      );
    case 'refused':
      return <Said title={`${shown.told.title} was not begun`}>{shown.why}</Said>;
  }
}

function Said({ title, children }: { title: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  // In braces: what scrolling gives back is not to be taken for what is done at the end.
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={box} role="alert" className="flex items-start gap-2.5 rounded-lg bg-waits-wash px-4 py-3">
      <Signpost aria-hidden size={16} className="mt-0.5 shrink-0 text-waits" />
      <div className="min-w-0">
        <p className="font-medium break-words text-waits">{title}</p>
        <p className="break-words">{children}</p>
      </div>
    </div>
  );
}

/** The plan at work: how it stands, and what it came to. */
function PlanRun({ runId, told }: { runId: string; told: Told }) {
  const { data: run } = useRun(runId);
  return (
    <section
      aria-label={`Run of ${told.title}`}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <DispatchNote told={told} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {run ? <StatusBadge status={run.status} filled /> : <Skeleton className="w-24" />}
        <Link
          to={`/runs/${encodeURIComponent(runId)}`}
          className="inline-flex items-center gap-1 rounded text-accent-ink hover:underline"
        >
          View the run <ArrowUpRight aria-hidden size={12} />
        </Link>
      </div>
      {run && lookOf(run.status).tone === 'waits' && <p className="text-soft">It waits for you, in the run.</p>}
      {run?.error && <p className="break-words text-failed">{run.error.message}</p>}
      {run?.status === 'completed' && <Output value={run.output} />}
    </section>
  );
}

function Output({ value }: { value: unknown }) {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? <Markdown text={value} /> : <Block text={asText(value)} label="Output" />;
}
