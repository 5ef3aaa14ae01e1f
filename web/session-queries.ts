import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Run } from '../domain/run.ts';
import type { Session, SessionSummary } from '../domain/session.ts';
import { api } from './api.ts';
import type { Page } from './http.ts';
import { useWorkspace } from './queries.ts';
import { sessionsApi } from './sessions-api.ts';

/** Newest activity first; read again whenever a run changes. */
export function useSessions(archived: boolean) {
  const workspace_id = useWorkspace()?.id;
  return useInfiniteQuery({
    queryKey: ['sessions', workspace_id, archived],
    queryFn: ({ pageParam }) => sessionsApi.list(workspace_id ?? '', archived, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<SessionSummary>) => last.next_cursor,
    enabled: workspace_id !== undefined,
  });
}

export const useSession = (id: string) =>
  useQuery({ queryKey: ['session', id], queryFn: () => sessionsApi.get(id), enabled: id !== '' });

const NO_RUNS: ReadonlyMap<string, Run> = new Map();

/** Named, and not written where it is used: a function of its own at every render would make a new map each time. */
const recordsIn = ({ pages }: { pages: Page<Run>[] }): ReadonlyMap<string, Run> =>
  new Map(pages.flatMap(({ items }) => items.map((run) => [run.id, run] as const)));

/** The records of a session's runs, newest first: what each has cost, how it ended, and what was said long ago. */
export function useSessionRuns(id: string) {
  const query = useInfiniteQuery({
    queryKey: ['session', id, 'runs'],
    queryFn: ({ pageParam }) => api.runs({ session_id: id, root: true }, pageParam, 50),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<Run>) => last.next_cursor,
    select: recordsIn,
  });
  return {
    records: query.data ?? NO_RUNS,
    hasEarlier: query.hasNextPage,
    isReading: query.isFetchingNextPage,
    readEarlier: query.fetchNextPage,
  };
}

/** What the server gives back is the session as it stands: shown at once, and the lists follow. */
export function useSessionTaken() {
  const client = useQueryClient();
  return async (session: Session): Promise<void> => {
    // What is being read now may be from before the change, and would be laid over it.
    await client.cancelQueries({ queryKey: ['session', session.id], exact: true }, { silent: true });
    client.setQueryData(['session', session.id], session);
    client.invalidateQueries({ queryKey: ['session', session.id, 'runs'] });
    client.invalidateQueries({ queryKey: ['sessions'] });
  };
}

export function useChangeSession(id: string) {
  const taken = useSessionTaken();
  return useMutation({
    mutationFn: (change: Parameters<typeof sessionsApi.change>[1]) => sessionsApi.change(id, change),
    onSuccess: taken,
  });
}
