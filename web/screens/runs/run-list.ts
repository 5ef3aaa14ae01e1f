import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect } from 'react';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { api, type Page, type RunFilter } from '../../api.ts';
import { LiveContext } from '../../live-hooks.ts';
import { useWorkspace } from '../../queries.ts';
import { layOver, replace } from '../../run-pages.ts';
import { statusesIn } from '../../status.ts';

const TOGETHER_MS = 200;
const ONE_BY_ONE = 20;

const fitsFilter = (run: Run, { status, agent_id }: RunFilter): boolean =>
  (!status?.length || status.includes(run.status)) && (!agent_id || run.agent_id === agent_id);

/** Runs, newest first, page by page, with changes laid in as they happen. */
export function useRunList(filter: Pick<RunFilter, 'status' | 'agent_id'>) {
  const workspace = useWorkspace();
  const live = useContext(LiveContext);
  const client = useQueryClient();
  const workspace_id = workspace?.id;
  const { agent_id } = filter;
  const statuses = filter.status?.join(',') ?? '';

  const query = useInfiniteQuery({
    queryKey: ['runs', workspace_id, statuses, agent_id],
    queryFn: ({ pageParam, signal }) => api.runs({ workspace_id, ...filter }, pageParam, 50, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<Run>) => last.next_cursor,
    enabled: workspace_id !== undefined,
  });

  useEffect(() => {
    if (!live || workspace_id === undefined) return;
    const queryKey = ['runs', workspace_id, statuses, agent_id];
    const status = statusesIn(statuses);
    const touched = new Set<string>();
    let timer = 0;

    const lay = (to: (pages: Page<Run>[]) => Page<Run>[] | null): void => {
      const old = client.getQueryData<InfiniteData<Page<Run>, string | null>>(queryKey);
      if (!old) return;
      const pages = to(old.pages);
      if (!pages) client.invalidateQueries({ queryKey });
      else
        client.setQueryData(queryKey, { pages, pageParams: pages.map((_, at) => pages[at - 1]?.next_cursor ?? null) });
    };

    const refresh = async (): Promise<void> => {
      timer = 0;
      const ids = [...touched];
      touched.clear();
      const fresh = await api.runs({ workspace_id, status, agent_id });
      lay((pages) => layOver(pages, fresh));
      const seen = new Set(fresh.items.map(({ id }) => id));
      const shown = client.getQueryData<InfiniteData<Page<Run>>>(queryKey)?.pages.flatMap(({ items }) => items) ?? [];
      const further = shown.filter(({ id }) => ids.includes(id) && !seen.has(id)).slice(0, ONE_BY_ONE);
      for (const run of await Promise.all(further.map(({ id }) => api.run(id)))) {
        lay((pages) => replace(pages, run, fitsFilter(run, { status, agent_id })));
      }
    };

    const stop = live.onRunChanged((change) => {
      if (change === null || change.workspace_id !== workspace_id) return;
      touched.add(change.run_id);
      // A refresh that fails is made up for: the connection is gone too, and everything is read again when it is back.
      if (timer === 0) timer = window.setTimeout(() => void refresh().catch(() => undefined), TOGETHER_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [live, client, workspace_id, statuses, agent_id]);

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
    queryFn: () => api.runs({ workspace_id, status }, null, limit),
    enabled: enabled && workspace_id !== undefined,
    placeholderData: keepPreviousData,
    select: (page) => page.items,
  });
}
