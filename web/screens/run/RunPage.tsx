import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, FileSearch, MessagesSquare, Network } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { nodeKey } from '../../activity.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { inputLine, shortId } from '../../format.ts';
import { ApiError } from '../../http.ts';
import { useRunFeed } from '../../live-hooks.ts';
import { useIsNarrow } from '../../media.ts';
import { useRun } from '../../queries.ts';

import { lookOf } from '../../status.ts';
import { delegations, keyAtStep, mattersNow, spentSoFar, statusOf, waiting } from '../../transcript.ts';
import { jobHref } from '../edits/hrefs.ts';
import { ReviewCard } from '../edits/ReviewCard.tsx';
import { ActivityMap } from './ActivityMap.tsx';
import { ForkDialog, ResumeDialog } from './GoOnDialogs.tsx';
import { useMap } from './map.ts';
import { NodeDetail } from './NodeDetail.tsx';
import { RunActions } from './RunActions.tsx';
import { RunHeader } from './RunHeader.tsx';
import { SteerLine } from './SteerLine.tsx';

/** Runs of workflows are shown as a graph, which is large. */
const FlowRunPage = lazy(() => import('../workflows/FlowRunPage.tsx'));

const CRUMBS = [{ to: '/runs', name: 'Runs' }];

export function RunPage() {
  const { id = '' } = useParams();
  const run = useRun(id);
  if (run.error && !run.data) {
    // An id that cannot be one is, to who followed the link, a run that is not there.
    const isGone = run.error instanceof ApiError && [400, 404].includes(run.error.status);
    return (
      <Page title={isGone ? 'No such run' : 'Run'} crumbs={CRUMBS}>
        <div className="p-6 max-sm:p-4">
          <ErrorNote
            title={isGone ? 'There is no such run, or you may not see it' : 'The run could not be read'}
            error={run.error}
          />
        </div>
      </Page>
    );
  }
  if (run.data?.definition_id) {
    return (
      <Suspense fallback={<Page title={run.data.agent_name}>{null}</Page>}>
        <FlowRunPage key={id} run={run.data} />
      </Suspense>
    );
  }
  return <LiveRun key={id} id={id} />;
}

type Dialog = { kind: 'resume' } | { kind: 'fork'; step: number };

function LiveRun({ id }: { id: string }) {
  const { data: run } = useRun(id);
  const { transcript, caught_up } = useRunFeed(id);
  const [search, setSearch] = useSearchParams();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const client = useQueryClient();

  const items = transcript.items;
  const told = items.length > 0 || transcript.started_at ? statusOf(transcript) : (run?.status ?? 'queued');
  const reviews = run?.pending_reviews ?? [];
  // Those of runs below it are known to the record.
  const status = told === 'running' && reviews.length > 0 ? 'awaiting_review' : told;
  const below = transcript.ended ? [] : reviews.filter(({ job_id }) => job_id !== id);
  const chosen = keyAtStep(transcript, search.get('step'));
  const map = useMap(transcript, chosen);
  const isKnown = chosen === 'input' || map.chosen !== null;
  const selected = isKnown ? chosen : mattersNow(transcript);
  // Of the run on the page, or of one below it that is open on the map.
  const shown = map.chosen ?? { run_id: null, key: selected, transcript };
  const chat = run?.conversation_id ?? null;
  const task = inputLine(run?.input) || 'Run';
  const last = transcript.next_step - 1;
  const canFork = transcript.ended !== null && shown.run_id === null;
  const hasBelow = delegations(transcript).length > 0;

  const [pane, setPane] = useState<'map' | 'detail'>(chosen === null ? 'map' : 'detail');
  const choose = useCallback(
    (key: string | null): void => {
      setSearch(key === null ? {} : { step: key }, { replace: true });
      setPane('detail');
    },
    [setSearch],
  );
  const fork = useCallback((step: number): void => setDialog({ kind: 'fork', step }), []);

  const isNarrow = useIsNarrow();
  // On a phone one pane is in sight: the map while it works, the thing itself when a person is needed or it is over.
  const needs = waiting(transcript)[0]?.key ?? (transcript.ended ? 'end' : null);
  useEffect(() => {
    if (needs !== null) setPane('detail');
    else if (chosen === null) setPane('map');
  }, [needs, chosen]);

  // The record holds what the log does not tell (calls whose answer was lost); it changes when the status does.
  useEffect(() => {
    if (status) client.invalidateQueries({ queryKey: ['run', id] });
  }, [client, id, status]);

  return (
    <Page
      title={task}
      tab={`${lookOf(status).word}: ${task}`}
      crumbs={CRUMBS}
      fixed
      aside={
        <span className="flex shrink-0 items-center gap-3 max-sm:order-last max-sm:w-full">
          <span className="max-sm:hidden">
            <Copyable text={id} label="run id" shown={shortId(id)} />
          </span>
          {run && (run.edit_job || reviews.some(({ job_id }) => job_id === id)) && (
            <Link
              to={jobHref(id)}
              className="inline-flex items-center gap-1.5 rounded text-small text-accent-ink hover:underline"
            >
              <FileSearch aria-hidden size={14} /> {status === 'awaiting_review' ? 'Open review' : 'Open edits'}
            </Link>
          )}
          {chat !== null && !run?.edit_job && (
            <Link
              to={`/chat/${encodeURIComponent(chat)}`}
              className="inline-flex items-center gap-1.5 rounded text-small text-accent-ink hover:underline"
            >
              <MessagesSquare aria-hidden size={14} /> Open chat
            </Link>
          )}
          {(hasBelow || (run && run.root_run_id !== id)) && (
            <Link
              to={`/runs/${encodeURIComponent(id)}/tree`}
              className="inline-flex items-center gap-1.5 rounded text-small text-accent-ink hover:underline"
            >
              <Network aria-hidden size={14} /> Tree of runs
            </Link>
          )}
        </span>
      }
      action={
        run && (
          <RunActions
            id={id}
            status={status}
            hasBelow={hasBelow}
            onResume={() => setDialog({ kind: 'resume' })}
            onFork={() => fork(last)}
          />
        )
      }
    >
      <RunHeader run={run} transcript={transcript} told={spentSoFar(transcript, map.transcriptOf)} status={status} />
      {below.length > 0 && (
        <div className="flex max-h-[45%] shrink-0 flex-col gap-2 overflow-y-auto border-b border-line p-3">
          {below.map((review) => (
            <div key={review.review_id} className="flex flex-col gap-1">
              <p className="px-1 text-small text-soft">
                <span className="font-medium text-ink">{review.agent_name}</span>, in a run below this one
              </p>
              <ReviewCard review={review} />
            </div>
          ))}
        </div>
      )}
      {/* The header says how high it is only once the record is there: nothing may jump below it. */}
      <div
        className={`grid min-h-0 flex-1 grid-cols-[clamp(19rem,40%,34rem)_minmax(0,1fr)] max-md:grid-cols-1 ${run ? '' : 'invisible'}`}
      >
        {(!isNarrow || pane === 'map') && (
          <div className="flex min-h-0 flex-col border-line md:border-r">
            <ActivityMap
              rows={map.rows}
              task={task}
              transcript={transcript}
              transcriptOf={map.transcriptOf}
              isEmpty={items.length === 0 && !caught_up}
              selected={selected}
              isFollowing={chosen === null}
              onChoose={choose}
              onToggle={map.toggle}
            />
          </div>
        )}
        {(!isNarrow || pane === 'detail') && (
          <section aria-label="Details" className="flex min-h-0 min-w-0 flex-col">
            {isNarrow && (
              <div className="border-b border-line px-2 py-1">
                <Button kind="quiet" onClick={() => setPane('map')}>
                  <ArrowLeft aria-hidden size={15} /> Activity
                </Button>
              </div>
            )}
            <NodeDetail
              runId={shown.run_id ?? id}
              run={run}
              transcript={shown.transcript}
              selected={shown.key}
              isFollowing={chosen === null}
              onChoose={(key) => choose(nodeKey(shown.run_id, key))}
              onFork={canFork ? fork : null}
            />
          </section>
        )}
      </div>
      <SteerLine id={id} run={run} status={status} />
      <p role="status" className="sr-only">
        Run status: {lookOf(status).word}
      </p>
      {run && dialog?.kind === 'resume' && <ResumeDialog run={run} onClose={() => setDialog(null)} />}
      {run && dialog?.kind === 'fork' && (
        <ForkDialog run={run} step={dialog.step} last={last} onClose={() => setDialog(null)} />
      )}
    </Page>
  );
}
