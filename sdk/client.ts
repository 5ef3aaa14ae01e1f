import type { z } from 'zod';
import type { Agent, createAgentBody } from '../domain/agent.ts';
import type { ApiKey, createApiKeyBody, createdApiKeySchema, Me } from '../domain/identity.ts';
import type {
  ConfirmAction,
  EventPage,
  InboxItem,
  Run,
  RunStatus,
  Step,
  startedRunSchema,
  startRunBody,
  Trigger,
} from '../domain/run.ts';
import type { createNotebookBody, createWorkspaceBody, Notebook, Workspace } from '../domain/workspace.ts';
import { Http } from './http.ts';
import { type FollowOptions, followRun } from './run-events.ts';

export type ClientOptions = {
  /** Where the server is: `http://127.0.0.1:7400`. */
  url: string;
  /** How long a request is tried again while the server cannot be reached; nothing is done twice by it. */
  patienceMs?: number;
} & ({ apiKey: string } | { token: string });

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

interface PageQuery {
  cursor?: string;
  limit?: number;
}

export interface RunQuery extends PageQuery {
  workspace_id?: string;
  agent_id?: string;
  trigger_type?: Trigger;
  caller_user_id?: string;
  status?: RunStatus[];
  from?: string;
  to?: string;
  sort?: 'newest' | 'oldest';
}

type StartRun = z.input<typeof startRunBody>;
type StartedRun = z.infer<typeof startedRunSchema>;

const PATIENCE_MS = 15_000;

/** Longhaul's HTTP API. Every call gives what the server answers, or throws an ApiError. */
export function createClient(options: ClientOptions) {
  const { url, patienceMs = PATIENCE_MS } = options;
  const http = new Http({ url, patienceMs, credential: 'apiKey' in options ? options.apiKey : options.token });
  const at = (noun: string, id: string, rest = '') => `/${noun}/${encodeURIComponent(id)}${rest}`;

  return {
    me: () => http.get<Me>('/me'),
    inbox: () => http.get<{ items: InboxItem[] }>('/inbox'),

    runs: {
      /** With `wait` (seconds) it is held until the run has ended, and then gives the whole run. */
      start: (body: StartRun) => http.post<StartedRun | Run>('/runs', { body, heldMs: (body.wait ?? 0) * 1000 }),
      get: (id: string) => http.get<Run>(at('runs', id)),
      list: ({ status, ...query }: RunQuery = {}) =>
        http.get<Page<Run>>('/runs', { query: { ...query, status: status?.join(',') } }),
      steps: (id: string, query: PageQuery = {}) =>
        http.get<Page<Step>>(at('runs', id, '/steps'), { query: { ...query } }),
      /** Everything it tells, from a cursor to its end, over lost connections. */
      events: (id: string, follow?: FollowOptions) => followRun(http, id, follow),
      /** What is there from a cursor on; with `wait` (seconds) it is held until there is something. */
      eventPage: (id: string, query: { cursor?: number; wait?: number } = {}) =>
        http.get<EventPage>(at('runs', id, '/events'), { query, heldMs: (query.wait ?? 0) * 1000 }),
      confirm: (id: string, body: ConfirmAction) => http.post<Run>(at('runs', id, '/confirm'), { body }),
      answer: (id: string, question_id: string, answer: string) =>
        http.post<Run>(at('runs', id, '/answer'), { body: { question_id, answer } }),
      message: (id: string, content: string) => http.post<Run>(at('runs', id, '/message'), { body: { content } }),
      cancel: (id: string) => http.post<Run>(at('runs', id, '/cancel')),
    },

    agents: {
      list: (query: PageQuery & { workspace_id?: string } = {}) =>
        http.get<Page<Agent>>('/agents', { query: { ...query } }),
      get: (id: string) => http.get<Agent>(at('agents', id)),
      create: (body: z.input<typeof createAgentBody>) => http.post<Agent>('/agents', { body }),
    },

    notebooks: {
      list: (query: PageQuery & { workspace_id?: string } = {}) =>
        http.get<Page<Notebook>>('/notebooks', { query: { ...query } }),
      get: (id: string) => http.get<Notebook>(at('notebooks', id)),
      create: (body: z.input<typeof createNotebookBody>) => http.post<Notebook>('/notebooks', { body }),
    },

    workspaces: {
      list: (query: PageQuery = {}) => http.get<Page<Workspace>>('/workspaces', { query: { ...query } }),
      create: (body: z.input<typeof createWorkspaceBody>) => http.post<Workspace>('/workspaces', { body }),
    },

    apiKeys: {
      list: (query: PageQuery = {}) => http.get<Page<ApiKey>>('/api-keys', { query: { ...query } }),
      create: (body: z.input<typeof createApiKeyBody>) =>
        http.post<z.infer<typeof createdApiKeySchema>>('/api-keys', { body }),
      revoke: (id: string) => http.delete(at('api-keys', id)),
    },
  };
}

export type Client = ReturnType<typeof createClient>;

/** Every item of a list, page by page, for as long as it is read. */
export async function* everyItem<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
