import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { rowsOf } from '../../activity.ts';
import { ApiError } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { asText, firstLine } from '../../format.ts';
import { useRunFeed } from '../../live-hooks.ts';
import { useIsNarrow } from '../../media.ts';
import { useRun } from '../../queries.ts';
import { lookOf } from '../../status.ts';
import { mattersNow, statusOf, waiting } from '../../transcript.ts';
import { ActivityMap } from './ActivityMap.tsx';
import { CancelRun } from './CancelRun.tsx';
import { NodeDetail } from './NodeDetail.tsx';
import { RunHeader } from './RunHeader.tsx';
import { SteerLine } from './SteerLine.tsx';

const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

const CRUMBS = [{ to: '/runs', name: 'Runs' }];

export function RunPage() {
  const { id = '' } = useParams();
  const run = useRun(id);
  if (run.error && !run.data) {
    const isGone = run.error instanceof ApiError && run.error.status === 404;
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
  return <LiveRun key={id} id={id} />;
}

function LiveRun({ id }: { id: string }) {
  const { data: run } = useRun(id);
  const { transcript, caught_up } = useRunFeed(id);
  const [search, setSearch] = useSearchParams();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const client = useQueryClient();

  const items = transcript.items;
  const rows = useMemo(() => rowsOf(items, opened), [items, opened]);
  const status = items.length > 0 || transcript.started_at ? statusOf(transcript) : (run?.status ?? 'queued');
  const now = mattersNow(transcript);
  const chosen = search.get('step');
  const selected = chosen === 'input' || items.some(({ key }) => key === chosen) ? chosen : now;
  const task = firstLine(asText(run?.input)) || 'Run';

  const [pane, setPane] = useState<'map' | 'detail'>(chosen === null ? 'map' : 'detail');
  const choose = useCallback(
    (key: string | null): void => {
      setSearch(key === null ? {} : { step: key }, { replace: true });
      setPane('detail');
    },
    [setSearch],
  );
  const toggle = useCallback((fold: string): void => setOpened((set) => toggled(set, fold)), []);

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
        <span className="shrink-0 max-sm:hidden">
          <Copyable text={id} label="run id" shown={shortId(id)} />
        </span>
      }
      action={<CancelRun id={id} status={status} />}
    >
      <RunHeader run={run} transcript={transcript} status={status} />
      <div className="grid min-h-0 flex-1 grid-cols-[clamp(17rem,36%,26rem)_minmax(0,1fr)] max-md:grid-cols-1">
        {(!isNarrow || pane === 'map') && (
          <div className="flex min-h-0 flex-col border-line md:border-r">
            <ActivityMap
              rows={rows}
              task={task}
              transcript={transcript}
              isEmpty={items.length === 0 && !caught_up}
              selected={selected}
              isFollowing={chosen === null}
              onChoose={choose}
              onToggle={toggle}
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
              runId={id}
              run={run}
              transcript={transcript}
              selected={selected}
              isFollowing={chosen === null}
              onChoose={choose}
            />
          </section>
        )}
      </div>
      <SteerLine id={id} run={run} status={status} />
      <p role="status" className="sr-only">
        Run status: {lookOf(status).word}
      </p>
    </Page>
  );
}

function toggled(set: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
