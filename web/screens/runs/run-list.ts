import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect, useRef } from 'react';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { api } from '../../api.ts';
import type { Page } from '../../http.ts';
import { LiveContext } from '../../live-hooks.ts';
import { useWorkspace } from '../../queries.ts';
import { filterOf, fits, type RunQuery } from '../../run-filters.ts';
import { layOver, replace } from '../../run-pages.ts';

const TOGETHER_MS = 200;
const ONE_BY_ONE = 20;
/** In another order than time a change may move a run anywhere; more pages than these are not read again for it. */
const REREAD_PAGES = 3;

/** The runs asked for, page by page, with changes laid in as they happen. */
export function useRunList(asked: RunQuery) {
  const workspace_id = useWorkspace()?.id;
  const live = useContext(LiveContext);
  const client = useQueryClient();
  const asks = JSON.stringify(asked);
  const current = useRef(asked);
  current.current = asked;

  const query = useInfiniteQuery({
    queryKey: ['runs', workspace_id, asks],
    queryFn: ({ pageParam, signal }) => api.runs(filterOf(asked, workspace_id, Date.now()), pageParam, 50, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<Run>) => last.next_cursor,
    enabled: workspace_id !== undefined,
  });

  useEffect(() => {
    if (!live || workspace_id === undefined) return;
    const queryKey = ['runs', workspace_id, asks];
    const touched = new Set<string>();
    let timer = 0;

    const pagesNow = () => client.getQueryData<InfiniteData<Page<Run>, string | null>>(queryKey)?.pages;
    const lay = (to: (pages: Page<Run>[]) => Page<Run>[] | null): void => {
      const old = pagesNow();
      if (!old) return;
      const pages = to(old);
      if (!pages) client.invalidateQueries({ queryKey });
      else
        client.setQueryData(queryKey, { pages, pageParams: pages.map((_, at) => pages[at - 1]?.next_cursor ?? null) });
    };

    const refresh = async (): Promise<void> => {
      timer = 0;
      const ids = [...touched];
      touched.clear();
      const filter = filterOf(current.current, workspace_id, Date.now());
      const isByTime = filter.sort === undefined;
      // What is being read now may be from before the change, and would be laid over what is brought here.
      const isBeingRead = client.isFetching({ queryKey, exact: true }) > 0;
      if (isBeingRead || (!isByTime && (pagesNow()?.length ?? 0) <= REREAD_PAGES)) {
        await client.cancelQueries({ queryKey, exact: true }, { silent: true });
        await client.invalidateQueries({ queryKey });
        return;
      }
      const seen = new Set<string>();
      if (isByTime) {
        const fresh = await api.runs(filter);
        lay((pages) => layOver(pages, fresh));
        for (const { id } of fresh.items) seen.add(id);
      }
      const shown = pagesNow()?.flatMap(({ items }) => items) ?? [];
      const further = shown.filter(({ id }) => ids.includes(id) && !seen.has(id)).slice(0, ONE_BY_ONE);
      for (const run of await Promise.all(further.map(({ id }) => api.run(id)))) {
        lay((pages) => replace(pages, run, fits(run, filter)));
      }
    };

    const stop = live.onRunChanged((change) => {
      if (change === null || (!current.current.everywhere && change.workspace_id !== workspace_id)) return;
      touched.add(change.run_id);
      // A refresh that fails is made up for: the connection is gone too, and everything is read again when it is back.
      if (timer === 0) timer = window.setTimeout(() => void refresh().catch(() => undefined), TOGETHER_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [live, client, workspace_id, asks]);

  return query;
}

/** A few runs for a summary; read again whenever one changes. */
export function useLatestRuns({
  status,
  limit,
  enabled = true,
}: {
  status?: readonly RunStatus[];
  limit: number;
  enabled?: boolean;
}) {
  const workspace = useWorkspace();
  const workspace_id = workspace?.id;
  return useQuery({
    queryKey: ['latest-runs', workspace_id, status?.join(',') ?? 'all', limit],
    // What a run hands on is part of it, and has a place on its page.
    queryFn: () => api.runs({ workspace_id, status, root: true }, null, limit),
    enabled: enabled && workspace_id !== undefined,
    placeholderData: keepPreviousData,
    select: (page) => page.items,
  });
}
