import { TimerReset } from 'lucide-react';
import { useState } from 'react';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { Button } from '../../components/Button.tsx';
import { Meter } from '../../components/Meter.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago, Elapsed, In } from '../../components/Times.tsx';
import { plural } from '../../format.ts';
import { lookOf, triggerWord } from '../../status.ts';
import { retryAt, type Transcript } from '../../transcript.ts';
import { Fact } from './Section.tsx';

interface Props {
  run: Run | undefined;
  transcript: Transcript;
  status: RunStatus;
}

export function RunHeader({ run, transcript, status }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  const retry = retryAt(transcript);
  const { ended } = lookOf(status);
  // The log is ahead of the record while the run works; a page just opened has the record first.
  const iterations = Math.max(transcript.iterations, run?.iterations_used ?? 0);
  const tokens = Math.max(transcript.tokens.input + transcript.tokens.output, run?.tokens_used ?? 0);
  const begun = run?.started_at ?? transcript.started_at;
  const over = transcript.ended?.at ?? run?.completed_at ?? null;
  return (
    <div className="border-b border-line px-6 py-3 max-sm:px-4 max-sm:py-2">
      <div className="flex items-center justify-between gap-x-8 gap-y-2 max-sm:flex-col max-sm:items-stretch">
        <div className="flex min-w-0 flex-wrap items-center gap-x-5 gap-y-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StatusBadge status={status} filled />
            {retry && !ended && (
              <span className="inline-flex items-center gap-1.5 text-small text-waits">
                <TimerReset aria-hidden size={14} /> tries again <In at={retry} />
              </span>
            )}
          </div>
          <dl className={`contents ${showsAll ? '' : 'max-sm:*:not-first:hidden'}`}>
            <Fact name="Elapsed">{begun ? <Elapsed from={begun} to={ended ? over : null} /> : '–'}</Fact>
            <Fact name="Agent">
              {run ? (
                <span title={run.agent_name}>
                  {run.agent_name} <span className="text-faint">v{run.agent_version}</span>
                </span>
              ) : (
                <Skeleton className="w-24" />
              )}
            </Fact>
            <Fact name="Model">{run ? <ModelName model={run.llm_model} /> : <Skeleton className="w-20" />}</Fact>
            <Fact name="Started by">
              {run ? (
                <span title={run.caller_name}>
                  {run.caller_name} <span className="text-faint">· {triggerWord(run.trigger_type)} ·</span>{' '}
                  <Ago at={begun ?? run.created_at} className="text-faint" />
                </span>
              ) : (
                <Skeleton className="w-24" />
              )}
            </Fact>
          </dl>
          <Button
            kind="quiet"
            aria-expanded={showsAll}
            className="ml-auto sm:hidden"
            onClick={() => setShowsAll(!showsAll)}
          >
            {showsAll ? 'Less' : 'More'}
          </Button>
        </div>
        <div className="flex w-36 shrink-0 flex-col gap-1.5 max-sm:w-full max-sm:flex-row max-sm:gap-5 max-sm:*:flex-1">
          <Meter label="Iterations" used={iterations} max={run?.budget_max_iterations ?? 0} />
          <Meter label="Tokens" used={tokens} max={run?.budget_max_tokens ?? 0} />
        </div>
      </div>
      {run && run.unconfirmed_calls > 0 && (
        <p className="mt-2 text-small text-waits">
          {plural(run.unconfirmed_calls, 'model call was', 'model calls were')} cut off by a crash and made again; the
          provider may have billed {run.unconfirmed_calls === 1 ? 'it' : 'them'}.
        </p>
      )}
    </div>
  );
}
