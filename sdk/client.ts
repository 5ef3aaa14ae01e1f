import type { z } from 'zod';
import type { Agent, changeAgentBody, createAgentBody } from '../domain/agent.ts';
import type { AgentBinding } from '../domain/agent-file.ts';
import type { AgentTemplate } from '../domain/agent-templates.ts';
import type { AuditLine } from '../domain/audit.ts';
import type { Credential, setCredentialBody } from '../domain/credential.ts';
import type { FileContent, FileEntry, FileHits, moveFileBody, WrittenFile, writeFileBody } from '../domain/file.ts';
import type {
  ApiKey,
  addedMemberSchema,
  addMemberBody,
  createApiKeyBody,
  createdApiKeySchema,
  Me,
  Member,
  Role,
} from '../domain/identity.ts';
import type { addKnowledgeBody, KnowledgeHit, KnowledgeSource, KnowledgeText } from '../domain/knowledge.ts';
import type { Probe, probeBody } from '../domain/probe.ts';
import type { Quote } from '../domain/quote.ts';
import type { Rationale } from '../domain/rationale.ts';
import type {
  ConfirmAction,
  EventPage,
  forkBody,
  InboxItem,
  Run,
  RunTree,
  resumeBody,
  Step,
  startedRunSchema,
  startRunBody,
} from '../domain/run.ts';
import type {
  ActionLog,
  changeSessionBody,
  createSessionBody,
  Session,
  SessionSummary,
  sessionMessageBody,
} from '../domain/session.ts';
import type { createTaskBody, Task, TaskStatus, updateTaskBody } from '../domain/task.ts';
import type {
  createNotebookBody,
  createWorkspaceBody,
  Notebook,
  NotebookRoots,
  Workspace,
} from '../domain/workspace.ts';
import { Http } from './http.ts';
import { type AuditQuery, auditQuery, type Page, type PageQuery, type RunQuery, type SessionQuery } from './queries.ts';
import { type FollowOptions, followRun } from './run-events.ts';

export type ClientOptions = {
  /** Where the server is: `http://127.0.0.1:7400`. */
  url: string;
  /** How long a request is tried again while the server cannot be reached; nothing is done twice by it. */
  patienceMs?: number;
} & ({ apiKey: string } | { token: string });

type NewAgent = z.input<typeof createAgentBody> & { template?: string };
type StartRun = z.input<typeof startRunBody>;
type StartedRun = z.infer<typeof startedRunSchema>;

const versionHeader = (version: number | undefined): Record<string, string> =>
  version === undefined ? {} : { 'If-Match': `"${version}"` };

const PATIENCE_MS = 15_000;
/** Ten megabytes may be long on their way, and a PDF has to be read. */
const UPLOAD_MS = 120_000;
const EXPLAIN_MS = 60_000;

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
      /** What it would probably cost; nothing is started. */
      quote: (body: StartRun) => http.post<Quote>('/runs/quote', { body }),
      get: (id: string) => http.get<Run>(at('runs', id)),
      list: ({ status, root, ...query }: RunQuery = {}) =>
        http.get<Page<Run>>('/runs', {
          query: { ...query, status: status?.join(','), root: root === undefined ? undefined : String(root) },
        }),
      steps: (id: string, query: PageQuery = {}) =>
        http.get<Page<Step>>(at('runs', id, '/steps'), { query: { ...query } }),
      /** Why a step was taken; asked of the model the first time, which may take a minute. Pending where it takes longer. */
      explain: (id: string, step: number) =>
        http.post<Rationale | { status: 'pending' }>(at('runs', id, `/steps/${step}/rationale`), {
          heldMs: EXPLAIN_MS,
        }),
      rationale: (id: string, step: number) => http.get<Rationale>(at('runs', id, `/steps/${step}/rationale`)),
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
      pause: (id: string) => http.post<Run>(at('runs', id, '/pause')),
      unpause: (id: string) => http.post<Run>(at('runs', id, '/unpause')),
      /** Goes on where a run failed, as a new run. */
      resume: (id: string, body: z.input<typeof resumeBody> = {}) =>
        http.post<StartedRun>(at('runs', id, '/resume'), { body }),
      /** Takes another turn at a step of an ended run, as a new run with the files of that step. */
      fork: (id: string, body: z.input<typeof forkBody>) => http.post<StartedRun>(at('runs', id, '/fork'), { body }),
      /** All runs of the tree it belongs to. */
      tree: (id: string) => http.get<RunTree>(at('runs', id, '/tree')),
    },

    sessions: {
      create: (agent: string, body: z.input<typeof createSessionBody> = {}) =>
        http.post<Session>(at('agents', agent, '/sessions'), { body }),
      get: (id: string) => http.get<Session>(at('sessions', id)),
      list: ({ archived, all, ...query }: SessionQuery = {}) =>
        http.get<Page<SessionSummary>>('/sessions', {
          query: {
            ...query,
            archived: archived === undefined ? undefined : String(archived),
            all: all ? 'true' : undefined,
          },
        }),
      change: (id: string, body: z.input<typeof changeSessionBody>) => http.put<Session>(at('sessions', id), { body }),
      /** Heard by the run under way, or else by the next one. With `wait` (seconds) it is held until that pauses or ends. */
      message: (id: string, content: string, more: Omit<z.input<typeof sessionMessageBody>, 'content'> = {}) =>
        http.post<Session>(at('sessions', id, '/message'), {
          body: { content, ...more },
          heldMs: (more.wait ?? 0) * 1000,
        }),
      confirm: (id: string, body: ConfirmAction) => http.post<Session>(at('sessions', id, '/confirm'), { body }),
      answer: (id: string, question_id: string, answer: string) =>
        http.post<Session>(at('sessions', id, '/answer'), { body: { question_id, answer } }),
      cancel: (id: string) => http.post<Session>(at('sessions', id, '/cancel')),
      /** What was done in it, from the first action on. */
      logs: (id: string, query: PageQuery = {}) =>
        http.get<Page<ActionLog>>(at('sessions', id, '/logs'), { query: { ...query } }),
    },

    agents: {
      list: (query: PageQuery & { workspace_id?: string } = {}) =>
        http.get<Page<Agent>>('/agents', { query: { ...query } }),
      get: (id: string) => http.get<Agent>(at('agents', id)),
      create: (body: NewAgent) => http.post<Agent>('/agents', { body }),
      /** With `version`, only where nobody has changed it since. */
      change: (id: string, body: z.input<typeof changeAgentBody>, { version }: { version?: number } = {}) =>
        http.put<Agent>(at('agents', id), { body, headers: versionHeader(version) }),
      activate: (id: string, active = true) =>
        http.post<Agent>(at('agents', id, '/activate'), { query: { active: String(active) } }),
      delete: (id: string, { version }: { version?: number } = {}) =>
        http.delete(at('agents', id), { headers: versionHeader(version) }),
      templates: () => http.get<{ items: AgentTemplate[] }>('/templates'),
      /** As YAML, to keep or to take elsewhere. */
      export: (id: string) => http.text(at('agents', id, '/export')),
      import: (body: { workspace_id: string; yaml: string; binding?: AgentBinding }) =>
        http.post<Agent>('/agents/import', { body }),
      /** Whether it could do something to a path in a run of yours, and by which rule. */
      probe: (body: z.input<typeof probeBody>) => http.post<Probe>('/agents/probe', { body }),
    },

    /** Of agents. Values go in and never come out. */
    credentials: {
      list: (agentId: string) => http.get<Page<Credential>>(at('agents', agentId, '/credentials')),
      set: (agentId: string, body: z.input<typeof setCredentialBody>) =>
        http.post<Credential>(at('agents', agentId, '/credentials'), { body }),
      remove: (agentId: string, key: string) =>
        http.delete(at('agents', agentId, `/credentials/${encodeURIComponent(key)}`)),
    },

    notebooks: {
      list: (query: PageQuery & { workspace_id?: string } = {}) =>
        http.get<Page<Notebook>>('/notebooks', { query: { ...query } }),
      get: (id: string) => http.get<Notebook>(at('notebooks', id)),
      create: (body: z.input<typeof createNotebookBody>) => http.post<Notebook>('/notebooks', { body }),
      rename: (id: string, name: string) => http.put<Notebook>(at('notebooks', id), { body: { name } }),
      /** From the lists alone; its files stay as they are. */
      remove: (id: string) => http.delete(at('notebooks', id)),
      /** Folders on the server that may become notebooks of a workspace. */
      roots: (workspace_id: string) => http.get<NotebookRoots>('/notebooks/roots', { query: { workspace_id } }),
      /** One folder, a page at a time. */
      files: (id: string, query: PageQuery & { path?: string } = {}) =>
        http.get<Page<FileEntry>>(at('notebooks', id, '/files'), { query: { ...query } }),
      readFile: (id: string, path: string) =>
        http.get<FileContent>(at('notebooks', id, '/files/content'), { query: { path } }),
      /** `expected_hash` is of the text that was read; null makes a file that must not be there yet. */
      writeFile: (id: string, body: z.input<typeof writeFileBody>) =>
        http.put<WrittenFile>(at('notebooks', id, '/files/content'), { body, heldMs: UPLOAD_MS }),
      removeFile: (id: string, path: string, expected_hash: string) =>
        http.delete(at('notebooks', id, '/files/content'), { query: { path, expected_hash } }),
      moveFile: (id: string, body: z.input<typeof moveFileBody>) =>
        http.post<WrittenFile>(at('notebooks', id, '/files/move'), { body }),
      makeFolder: (id: string, path: string) =>
        http.post<{ path: string }>(at('notebooks', id, '/files/folder'), { body: { path } }),
      searchFiles: (id: string, q: string, query: { glob?: string; limit?: number } = {}) =>
        http.get<FileHits>(at('notebooks', id, '/files/search'), { query: { q, ...query } }),
    },

    knowledge: {
      list: (query: PageQuery & { workspace_id?: string } = {}) =>
        http.get<Page<KnowledgeSource>>('/knowledge', { query: { ...query } }),
      get: (id: string) => http.get<KnowledgeSource>(at('knowledge', id)),
      add: (body: z.input<typeof addKnowledgeBody>) =>
        http.post<KnowledgeSource>('/knowledge', { body, heldMs: UPLOAD_MS }),
      /** Lines of it, as many as fit; `next_from` is where to read on. */
      text: (id: string, query: { from?: number; to?: number } = {}) =>
        http.get<KnowledgeText>(at('knowledge', id, '/text'), { query }),
      search: (q: string, query: { workspace_id?: string; limit?: number } = {}) =>
        http.get<{ results: KnowledgeHit[] }>('/knowledge/search', { query: { q, ...query } }),
      remove: (id: string) => http.delete(at('knowledge', id)),
    },

    tasks: {
      list: (query: PageQuery & { workspace_id?: string; status?: TaskStatus; assigned_to?: string } = {}) =>
        http.get<Page<Task>>('/tasks', { query: { ...query } }),
      get: (id: string) => http.get<Task>(at('tasks', id)),
      /** With `assigned_to` its run starts at once. */
      create: (body: z.input<typeof createTaskBody>) => http.post<Task>('/tasks', { body }),
      update: (id: string, body: z.input<typeof updateTaskBody>) => http.put<Task>(at('tasks', id), { body }),
      assign: (id: string, agentId: string) => http.put<Task>(at('tasks', id), { body: { assigned_to: agentId } }),
      remove: (id: string) => http.delete(at('tasks', id)),
    },

    audit: {
      list: ({ cursor, limit, ...query }: AuditQuery & PageQuery = {}) =>
        http.get<Page<AuditLine>>('/audit', { query: { ...auditQuery(query), cursor, limit } }),
      /** As a file, of any length: the body is to be read as it comes. */
      export: (format: 'ndjson' | 'csv', query: AuditQuery = {}) =>
        http.fetch('/audit/export', {}, { ...auditQuery(query), format }),
    },

    workspaces: {
      list: (query: PageQuery = {}) => http.get<Page<Workspace>>('/workspaces', { query: { ...query } }),
      create: (body: z.input<typeof createWorkspaceBody>) => http.post<Workspace>('/workspaces', { body }),
      rename: (id: string, name: string) => http.put<Workspace>(at('workspaces', id), { body: { name } }),
      members: (id: string, query: PageQuery = {}) =>
        http.get<Page<Member>>(at('workspaces', id, '/members'), { query: { ...query } }),
      /** Somebody new gets a sign-in link; for a member it changes the role. */
      addMember: (id: string, body: z.input<typeof addMemberBody>) =>
        http.post<z.infer<typeof addedMemberSchema>>(at('workspaces', id, '/members'), { body }),
      changeRole: (id: string, userId: string, role: Role) =>
        http.put<Member>(at('workspaces', id, `/members/${encodeURIComponent(userId)}`), { body: { role } }),
      removeMember: (id: string, userId: string) =>
        http.delete(at('workspaces', id, `/members/${encodeURIComponent(userId)}`)),
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
