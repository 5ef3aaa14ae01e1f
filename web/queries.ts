import { QueryClient, useQuery } from '@tanstack/react-query';
import type { Agent } from '../domain/agent.ts';
import { hasOwnPurpose } from '../domain/usual-agent.ts';
import { agentsApi } from './agents-api.ts';
import { api } from './api.ts';
import { ApiError } from './http.ts';
import { session } from './session.ts';

/** What is only read may be asked for again after a fault of the server, too. */
const isPassing = (error: Error): boolean => !(error instanceof ApiError) || error.isAway || error.status === 500;

/** networkMode: the server is often this very machine, reached also where the browser says it is offline. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // A page that could not be read mends itself when the server is back.
        refetchInterval: (query) => (query.state.error && isPassing(query.state.error) ? 2_000 : false),
        retry: (count, error) => isPassing(error) && count < 3,
        retryDelay: (count) => Math.min(500 * 2 ** count, 4_000),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });

export const useMe = () => {
  const token = session.useToken();
  return useQuery({ queryKey: ['me', token], queryFn: api.me, enabled: token !== null, staleTime: 60_000 });
};

/** The workspace that was chosen last, or the first there is. */
export function useWorkspace() {
  const { data: me } = useMe();
  const choice = session.useWorkspaceChoice();
  return me?.workspaces.find((workspace) => workspace.id === choice) ?? me?.workspaces[0];
}

export const useInbox = () => useQuery({ queryKey: ['inbox'], queryFn: api.inbox, select: (inbox) => inbox.items });

/** Where one is chosen, those that are built in for a purpose of their own are meant last. */
const purposesLast = (agents: Agent[]): Agent[] =>
  agents.toSorted((a, b) => Number(hasOwnPurpose(a)) - Number(hasOwnPurpose(b)));

export function useAgents() {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: ['agents', workspace?.id],
    queryFn: () => agentsApi.all(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    select: purposesLast,
  });
}

export function useNotebooks() {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: ['notebooks', workspace?.id],
    queryFn: () => api.notebooks(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    select: (page) => page.items,
  });
}

export function useMembers() {
  const workspace = useWorkspace();
  return useQuery({
    queryKey: ['members', workspace?.id],
    queryFn: () => api.members(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    staleTime: 60_000,
    select: (page) => page.items,
  });
}

export const useRunTree = (id: string) => useQuery({ queryKey: ['tree', id], queryFn: () => api.tree(id) });

export const useRun = (id: string) => useQuery({ queryKey: ['run', id], queryFn: () => api.run(id) });

export const useApiKeys = () =>
  useQuery({ queryKey: ['api-keys'], queryFn: api.apiKeys, select: (page) => page.items });
