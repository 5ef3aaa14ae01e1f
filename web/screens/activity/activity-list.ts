import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { auditApi } from '../../audit-api.ts';
import { type AuditQuery, auditFilterOf, joined } from '../../audit-filters.ts';
import { useWorkspace } from '../../queries.ts';

const LOOK_MS = 2_000;

/** The lines asked for, page by page; new ones come to the top by themselves. */
export function useActivity(asked: AuditQuery) {
  const workspace_id = useWorkspace()?.id;
  const key = [workspace_id, JSON.stringify(asked)];
  const enabled = workspace_id !== undefined;
  const filter = () => auditFilterOf(asked, workspace_id, Date.now());
  const pages = useInfiniteQuery({
    queryKey: ['audit', ...key],
    queryFn: ({ pageParam, signal }) => auditApi.lines(filter(), pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled,
    // Lines never change: what is new is looked for at the top alone.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: top } = useQuery({
    queryKey: ['audit-top', ...key],
    queryFn: ({ signal }) => auditApi.lines(filter(), null, signal),
    enabled: enabled && pages.isSuccess,
    refetchInterval: LOOK_MS,
  });

  const read = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const known = new Set(read.map(({ id }) => id));
  // More has come than one look can show: the pages no longer join on.
  const hasGap = top !== undefined && top.next_cursor !== null && !top.items.some(({ id }) => known.has(id));
  const { refetch, isFetching } = pages;
  useEffect(() => {
    if (hasGap && !isFetching) void refetch();
  }, [hasGap, isFetching, refetch]);

  return { ...pages, lines: joined(read, top?.items ?? []) };
}
