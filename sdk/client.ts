import type { z } from 'zod';
import type { Dispatched, dispatchBody, settingsBody, UserSettings } from '../domain/dispatch.ts';
import type { Me } from '../domain/identity.ts';
import type { InboxItem } from '../domain/pending.ts';
import { agentCalls } from './agents.ts';
import { connectionCalls } from './connections.ts';
import { definitionCalls } from './definitions.ts';
import { editsOf } from './edits.ts';
import { Http } from './http.ts';
import { knowledgeCalls } from './knowledge.ts';
import { notebookCalls } from './notebooks.ts';
import type { Page } from './queries.ts';
import { runCalls } from './runs.ts';
import { sessionCalls } from './sessions.ts';
import { triggerCalls } from './triggers.ts';
import { workspaceCalls } from './workspaces.ts';

export type ClientOptions = {
  /** Where the server is: `http://127.0.0.1:7400`. */
  url: string;
  /** How long a request is tried again while the server cannot be reached; nothing is done twice by it. */
  patienceMs?: number;
} & ({ apiKey: string } | { token: string });

const PATIENCE_MS = 15_000;

/** Longhaul's HTTP API. Every call gives what the server answers, or throws an ApiError. */
export function createClient(options: ClientOptions) {
  const { url, patienceMs = PATIENCE_MS } = options;
  const http = new Http({ url, patienceMs, credential: 'apiKey' in options ? options.apiKey : options.token });

  return {
    me: () => http.get<Me>('/me'),
    /** The tools and agents you let the dispatcher use; null stands for all of them. */
    settings: () => http.get<UserSettings>('/me/settings'),
    /** As a whole: what is not given is on. */
    setSettings: (body: z.input<typeof settingsBody>) => http.put<UserSettings>('/me/settings', { body }),
    /** Decides which tools and agents a request is handed to; with `execute` the plan is run. */
    dispatch: (body: z.input<typeof dispatchBody>) => http.post<Dispatched>('/dispatch', { body }),
    inbox: () => http.get<{ items: InboxItem[] }>('/inbox'),

    ...runCalls(http),
    ...sessionCalls(http),
    edits: editsOf(http),
    ...agentCalls(http),
    ...notebookCalls(http),
    ...knowledgeCalls(http),
    ...definitionCalls(http),
    ...triggerCalls(http),
    ...connectionCalls(http),
    ...workspaceCalls(http),
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
