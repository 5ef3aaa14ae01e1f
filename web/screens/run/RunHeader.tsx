import { FolderGit2, GitBranch, Hourglass, TimerReset } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { Button } from '../../components/Button.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago, Elapsed, In } from '../../components/Times.tsx';
import { clock, money, plural, shortId } from '../../format.ts';
import { lookOf, triggerWord } from '../../status.ts';
import { retryAt, type Transcript } from '../../transcript.ts';
import type { Spending } from '../../transcript-items.ts';
import { RunMeters } from './RunMeters.tsx';
import { Fact } from './Section.tsx';

interface Props {
  run: Run | undefined;
  transcript: Transcript;
  told: Spending;
  status: RunStatus;
}

export function RunHeader({ run, transcript, told, status }: Props) {
  const [showsAll, setShowsAll] = useState(false);
  const { ended } = lookOf(status);
  const begun = run?.started_at ?? transcript.started_at;
  const over = transcript.ended?.at ?? run?.completed_at ?? null;
  return (
    <div className="flex flex-col gap-2 border-b border-line px-6 py-3 max-sm:px-4 max-sm:py-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-6 gap-y-2">
        {run ? <StatusBadge status={status} filled /> : <Skeleton className="h-7 w-28 rounded-full" />}
        <dl className={`contents ${showsAll ? '' : 'max-sm:*:not-first:hidden'}`}>
          <Fact name="Elapsed">{run && begun ? <Elapsed from={begun} to={ended ? over : null} /> : '–'}</Fact>
          <Fact name={run?.definition_id ? 'Workflow' : 'Agent'}>
            {run ? (
              <span title={run.agent_name}>
                {run.agent_name} <span className="text-faint">v{run.agent_version}</span>
              </span>
            ) : (
              <Skeleton className="w-24" />
            )}
          </Fact>
          {run?.definition_id ? null : (
            <Fact name="Model">{run ? <ModelName model={run.llm_model} /> : <Skeleton className="w-20" />}</Fact>
          )}
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
      <RunMeters run={run} told={told} showsAll={showsAll} />
      {!ended && <Sleeping transcript={transcript} />}
      {run && <Origin run={run} />}
      {run && <Checkout run={run} />}
      {run && <Unconfirmed run={run} />}
    </div>
  );
}

/** Why nothing happens though nobody is asked. */
function Sleeping({ transcript }: { transcript: Transcript }) {
  const retry = retryAt(transcript);
  const { turn_at } = transcript;
  if (turn_at)
    return (
      <p className="flex items-center gap-1.5 text-small text-waits">
        <Hourglass aria-hidden size={14} /> waits for its turn until {clock(Date.parse(turn_at))}, <In at={turn_at} />
      </p>
    );
  if (retry)
    return (
      <p className="flex items-center gap-1.5 text-small text-waits">
        <TimerReset aria-hidden size={14} /> tries again <In at={retry} />
      </p>
    );
  return null;
}

const RELATIONS = {
  resume: 'Continues run',
  fork: 'Fork of run',
  delegation: 'Handed over by run',
  workflow: 'A step of run',
};

function Origin({ run: { parent_run_id, relation, resume_from_step, root_run_id } }: { run: Run }) {
  if (!parent_run_id || !relation) return null;
  const to = (id: string) => (
    <Link
      to={`/runs/${encodeURIComponent(id)}`}
      title={id}
      className="rounded font-mono text-accent-ink hover:underline"
    >
      {shortId(id)}
    </Link>
  );
  const isOwnTree = relation === 'delegation' || relation === 'workflow';
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-small text-soft">
      <GitBranch aria-hidden size={14} className="text-faint" /> {RELATIONS[relation]} {to(parent_run_id)}
      {resume_from_step !== null && ` at step ${resume_from_step}`}
      {isOwnTree && root_run_id !== parent_run_id && <>, begun by {to(root_run_id)}</>}
    </p>
  );
}

/** Of a run on a git notebook: where its work is, and where it goes. */
function Checkout({ run: { checkout } }: { run: Run }) {
  if (!checkout) return null;
  const { state, branch, base_commit, executor, epoch } = checkout;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-small text-soft">
      <FolderGit2 aria-hidden size={14} className="text-faint" /> Branch{' '}
      <span className="break-all font-mono text-ink">{branch}</span>
      {base_commit && (
        <span title={base_commit}>
          from <span className="font-mono">{base_commit.slice(0, 8)}</span>
        </span>
      )}
      {state === 'waiting' && <span className="text-waits">waits for an executor</span>}
      {executor && (
        <span>
          · {state === 'released' ? 'was on' : 'on'} <span className="font-mono">{executor}</span>
          {epoch > 1 && `, moved ${epoch === 2 ? 'once' : `${epoch - 1} times`}`}
        </span>
      )}
    </p>
  );
}

function Unconfirmed({ run: { unconfirmed_calls: calls, unconfirmed_cost_usd } }: { run: Run }) {
  if (calls === 0) return null;
  return (
    <p className="text-small text-waits">
      {plural(calls, 'model call was', 'model calls were')} cut off by a crash and made again; the provider may have
      billed {calls === 1 ? 'it' : 'them'}
      {unconfirmed_cost_usd > 0 && ` with up to ${money(unconfirmed_cost_usd)}`}.
    </p>
  );
}
