import type { z } from 'zod';
import type { Evidence, EvidencePart } from '../domain/evidence.ts';
import type { FlowView } from '../domain/flow-view.ts';
import type { Quote } from '../domain/quote.ts';
import type { Rationale } from '../domain/rationale.ts';
import type { Run, resumedRunSchema, startedRunSchema } from '../domain/run.ts';
import type { EventPage, Step } from '../domain/run-events.ts';
import type { ConfirmAction, forkBody, ReviseAction, resumeBody, startRunBody } from '../domain/run-requests.ts';
import type { RunTree } from '../domain/run-tree.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery, RunQuery } from './queries.ts';
import { type FollowOptions, followRun } from './run-events.ts';

type StartRun = z.input<typeof startRunBody>;
type StartedRun = z.infer<typeof startedRunSchema>;

const EXPLAIN_MS = 60_000;

/** Runs: started, followed, answered, gone on from. */
export const runCalls = (http: Http) => ({
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
    step: (id: string, step: number) => http.get<Step>(at('runs', id, `/steps/${step}`)),
    /** Why a step was taken; asked of the model the first time, which may take a minute. Pending where it takes longer. */
    explain: (id: string, step: number) =>
      http.post<Rationale | { status: 'pending' }>(at('runs', id, `/steps/${step}/rationale`), {
        heldMs: EXPLAIN_MS,
      }),
    rationale: (id: string, step: number) => http.get<Rationale>(at('runs', id, `/steps/${step}/rationale`)),
    /** What it has executed: exact commands, exit codes, and what the tests said. */
    evidence: (id: string, query: PageQuery & { call_id?: string } = {}) =>
      http.get<Page<Evidence>>(at('runs', id, '/evidence'), { query: { ...query } }),
    /** One of them with what it said, from a character on. */
    evidencePart: (id: string, evidence: string, query: { offset?: number; limit?: number } = {}) =>
      http.get<EvidencePart>(at('runs', id, `/evidence/${encodeURIComponent(evidence)}`), { query }),
    /** Everything it tells, from a cursor to its end, over lost connections. */
    events: (id: string, follow?: FollowOptions) => followRun(http, id, follow),
    /** What is there from a cursor on; with `wait` (seconds) it is held until there is something. */
    eventPage: (id: string, query: { cursor?: number; wait?: number } = {}) =>
      http.get<EventPage>(at('runs', id, '/events'), { query, heldMs: (query.wait ?? 0) * 1000 }),
    confirm: (id: string, body: ConfirmAction) => http.post<Run>(at('runs', id, '/confirm'), { body }),
    /** Has a pending action shown with other arguments; it goes on waiting, under another digest. */
    revise: (id: string, body: ReviseAction) => http.post<Run>(at('runs', id, '/revise'), { body }),
    answer: (id: string, question_id: string, answer: string) =>
      http.post<Run>(at('runs', id, '/answer'), { body: { question_id, answer } }),
    message: (id: string, content: string) => http.post<Run>(at('runs', id, '/message'), { body: { content } }),
    cancel: (id: string) => http.post<Run>(at('runs', id, '/cancel')),
    pause: (id: string) => http.post<Run>(at('runs', id, '/pause')),
    unpause: (id: string) => http.post<Run>(at('runs', id, '/unpause')),
    /** Goes on where a run failed, as a new run. */
    resume: (id: string, body: z.input<typeof resumeBody> = {}) =>
      http.post<z.infer<typeof resumedRunSchema>>(at('runs', id, '/resume'), { body }),
    /** Takes another turn at a step of an ended run, as a new run with the files of that step. */
    fork: (id: string, body: z.input<typeof forkBody>) => http.post<StartedRun>(at('runs', id, '/fork'), { body }),
    /** Of a workflow's run: what each step was given and gave. */
    workflow: (id: string) => http.get<FlowView>(at('runs', id, '/workflow')),
    /** All runs of the tree it belongs to. */
    tree: (id: string) => http.get<RunTree>(at('runs', id, '/tree')),
  },
});
