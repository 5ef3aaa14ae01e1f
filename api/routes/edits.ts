import { z } from 'zod';
import * as wire from '../../domain/edits/wire.ts';
import { Failure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { editorOf } from '../../store/builtin-agents.ts';
import { countEditSessions, jobsOf } from '../../store/edit-runs.ts';
import { findNotebook, listNotebooks } from '../../store/notebooks.ts';
import { changeSession, listSessions, type SessionRecord } from '../../store/sessions.ts';
import type { AppDeps } from '../app.ts';
import { cleanUpSoon } from '../edit-clean-up.ts';
import { EditCommands } from '../edit-commands.ts';
import { isOver, jobEvents, jobView, lastReview, openJob } from '../edit-jobs.ts';
import { findEditSession, pinnedRow, sessionSummary, sessionView } from '../edit-sessions.ts';
import { isEnd, waitForEvents } from '../event-stream.ts';
import { idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { ReviewCommands } from '../review-commands.ts';
import { type Route, route } from '../route.ts';
import { SessionCommands } from '../session-commands.ts';

const ofSession = idParam('ses');
const ofJob = idParam('run');
const tag = 'Edits';
const APPLY_HELD_S = 60;
const FILE_BODY = '15mb';

const eventsQuery = z.strictObject({
  cursor: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
  wait: z.coerce.number().min(0).max(300).default(0),
});

/** The one used last, else the oldest: who names none means the one they have. */
async function defaultNotebook(caller: Caller): Promise<Notebook> {
  const { items: used } = await listSessions(caller, { edits: true }, { limit: 1 });
  const last = used[0]?.notebook_id;
  const found = last ? await findNotebook(caller, last).catch(() => null) : null;
  if (found) return found;
  const { items } = await listNotebooks(caller, undefined, { limit: 100 });
  const [oldest] = items
    .filter(({ kind }) => kind === 'folder')
    .sort((a, b) => a.created_at.localeCompare(b.created_at));
  if (oldest) return oldest;
  throw new Failure('no_notebook', 'There is no notebook whose files could be edited: add one first.');
}

const settles = (event: RunEvent): boolean =>
  isEnd(event) || event.type === 'conflict.detected' || event.type === 'apply.failed';

export function editRoutes({ runs, hub, draining, builtinModels, logger }: AppDeps): Route[] {
  const sessions = new SessionCommands(runs);
  const edits = new EditCommands(runs, sessions);
  const reviews = new ReviewCommands(runs);
  const { limits } = runs;
  const shown = async (caller: Caller, session: SessionRecord) => sessionView(caller, session, limits);
  const rows = (given: wire.EditContextRow[] | undefined) =>
    given === undefined ? {} : { context_rows: given.map(pinnedRow), edit_rows: given };

  return [
    route({
      method: 'post',
      path: '/api/agent/sessions',
      tag,
      summary: 'Begin a session of edits in a notebook, with the built-in editor unless another agent is named',
      body: wire.newEditSessionBody,
      shows: ['notebook_id', 'agent_id', 'title'],
      replies: { 201: wire.createdEditSessionSchema },
      handler: async ({ caller, body, newId }) => {
        const notebook = body.notebook_id
          ? await findNotebook(caller, body.notebook_id)
          : await defaultNotebook(caller);
        if (notebook.kind !== 'folder') {
          throw new Failure('git_notebook', `The files of ${notebook.name} cannot be edited here.`, {
            notebook_id: notebook.id,
          });
        }
        const agent_id =
          body.agent_id ?? (await editorOf(caller, notebook.workspace_id, modelOf(builtinModels.editor))).id;
        const { title, context_rows } = body;
        const session = await sessions.create(
          caller,
          agent_id,
          {
            notebook_id: notebook.id,
            ...(title === undefined ? {} : { title }),
            context_rows: (context_rows ?? []).map(pinnedRow),
          },
          newId,
          { kind: 'edits', edit_rows: context_rows ?? [] },
        );
        const kept = await countEditSessions(caller);
        cleanUpSoon(runs.starter, kept, limits.max_sessions, logger);
        const { session_id, status, created_at } = sessionSummary(session);
        return { status: 201, body: { session_id, status, created_at, notebook_id: notebook.id, agent_id } };
      },
    }),
    route({
      method: 'get',
      path: '/api/agent/sessions',
      tag,
      summary: 'Your sessions of edits, newest activity first',
      query: z.strictObject(pageQuery),
      replies: { 200: pageSchema(wire.editSessionSummarySchema) },
      handler: async ({ caller, query }) => {
        const { items, next_cursor } = await listSessions(caller, { edits: true }, query);
        return { status: 200, body: { items: items.map(sessionSummary), next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/api/agent/sessions/:id',
      tag,
      summary: 'One session: what was said, what is pinned, its jobs, and the review that waits',
      params: ofSession,
      replies: { 200: wire.editSessionSchema },
      handler: async ({ caller, params }) => ({
        status: 200,
        body: await shown(caller, await findEditSession(caller, params.id)),
      }),
    }),
    route({
      method: 'put',
      path: '/api/agent/sessions/:id',
      tag,
      summary: 'Name it, archive it, or change what is pinned; what is pinned is given to its next job',
      params: ofSession,
      body: wire.changeEditSessionBody,
      shows: ['title', 'status'],
      replies: { 200: wire.editSessionSchema },
      handler: async ({ caller, params, body: { status, title, context_rows } }) => {
        await findEditSession(caller, params.id);
        await sessions.change(caller, params.id, {
          ...(title === undefined ? {} : { title }),
          ...(status === undefined ? {} : { archived: status === 'archived' }),
        });
        const session = await changeSession(caller, params.id, rows(context_rows));
        return { status: 200, body: await shown(caller, session) };
      },
    }),
    route({
      method: 'post',
      path: '/api/agent/run',
      tag,
      summary: 'Start a job: the agent looks, asks and proposes edits, which wait for your review',
      body: wire.startJobBody,
      audit: 'refusals',
      replies: { 202: wire.startedJobSchema },
      handler: async ({ caller, body, newId }) => {
        const { _id } = await findEditSession(caller, body.session_id);
        const { instruction, tool_config, context_rows } = body;
        const max_tool_calls = tool_config?.max_tool_calls ?? null;
        const run = await sessions.startJob(caller, _id, { instruction, max_tool_calls }, newId, rows(context_rows));
        cleanUpSoon(runs.starter, (await jobsOf(caller, _id)).length, limits.max_jobs_per_session, logger);
        return { status: 202, body: { job_id: run._id, status: run.status } };
      },
    }),
    route({
      method: 'get',
      path: '/api/agent/jobs/:id',
      tag,
      summary: 'One job, with its proposal as a diff and how the review of it stands',
      params: ofJob,
      replies: { 200: wire.jobSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await jobView(caller, params.id, limits) }),
    }),
    route({
      method: 'get',
      path: '/api/agent/jobs/:id/events',
      tag,
      summary: 'What a job tells, from a cursor on; `wait` holds until there is something',
      params: ofJob,
      query: eventsQuery,
      replies: { 200: wire.jobEventsSchema },
      handler: async ({ caller, params: { id }, query: { cursor, wait }, res }) => {
        const page = await jobEvents(caller, id, cursor, limits);
        const { run } = await openJob(caller, id);
        if (page.events.length > 0 || wait === 0 || isOver(run)) return { status: 200, body: page };
        await waitForEvents({ hub, run: id, from: page.next_cursor, res, draining }, wait, (found) => found.length > 0);
        return { status: 200, body: await jobEvents(caller, id, cursor, limits) };
      },
    }),
    route({
      method: 'get',
      path: '/api/agent/jobs/:id/file',
      tag,
      summary: 'One file of the review with its text: as it was, and as it is in the working buffer',
      params: ofJob,
      query: z.strictObject({ file_path: z.string().min(1).max(2048) }),
      replies: { 200: wire.reviewFileSchema },
      handler: async ({ caller, params, query }) => ({
        status: 200,
        body: await reviews.file(caller, params.id, query.file_path),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/jobs/:id/clarify',
      tag,
      summary: 'Answer the question of a job, or skip it',
      params: ofJob,
      body: wire.clarifyBody,
      audit: 'refusals',
      replies: { 202: wire.jobCommandReplySchema },
      handler: async ({ caller, params: { id }, body }) => {
        await edits.clarify(caller, id, body.question_id, body.skip ? undefined : body.answer);
        return { status: 202, body: { job_id: id, status: (await openJob(caller, id)).run.status } };
      },
    }),
    route({
      method: 'post',
      path: '/api/agent/jobs/:id/review',
      tag,
      summary:
        'Accept or reject a hunk, several, or a whole file, comment on it, or split a hunk; nothing is written yet',
      params: ofJob,
      body: wire.reviewBody,
      audit: 'refusals',
      replies: { 200: wire.reviewReplySchema },
      handler: async ({ caller, params, body }) => ({
        status: 200,
        body: await reviews.review(caller, params.id, body),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/jobs/:id/changes',
      tag,
      summary: 'Change the working buffer by hand, or undo and redo; the changes join the review as your own',
      params: ofJob,
      body: wire.changesBody,
      bodyLimit: FILE_BODY,
      audit: 'refusals',
      replies: { 200: wire.reviewReplySchema },
      handler: async ({ caller, params, body }) => ({
        status: 200,
        body: await reviews.change(caller, params.id, body),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/jobs/:id/rerun',
      tag,
      summary: 'Send a proposal back with what was rejected and said; of a job that has ended, begin another',
      params: ofJob,
      body: wire.rerunBody,
      audit: 'refusals',
      replies: { 202: wire.jobCommandReplySchema },
      handler: async ({ caller, params, body, newId }) => ({
        status: 202,
        body: await edits.rerun(caller, params.id, body.comment, newId),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/jobs/:id/cancel',
      tag,
      summary: 'Cancel a job; nothing of its proposal is written',
      params: ofJob,
      audit: 'refusals',
      replies: { 202: wire.jobCommandReplySchema },
      handler: async ({ caller, params: { id } }) => {
        await edits.cancel(caller, id);
        return { status: 202, body: { job_id: id, status: (await openJob(caller, id)).run.status } };
      },
    }),
    route({
      method: 'post',
      path: '/api/agent/apply',
      tag,
      summary: 'Write the accepted hunks to disk, all files or none; every other hunk is rejected',
      body: wire.applyBody,
      audit: 'refusals',
      replies: { 200: wire.appliedSchema, 202: wire.appliedSchema },
      handler: async ({ caller, body, newId, res }) => {
        const { job_id: id, session_id, accepted_hunk_ids } = body;
        const from = await edits.apply(caller, id, session_id, accepted_hunk_ids, newId);
        await waitForEvents({ hub, run: id, from, res, draining }, APPLY_HELD_S, (events) => events.some(settles));
        const { run, state } = await openJob(caller, id);
        const review = lastReview(state);
        if (review?.applied) {
          const { files: applied_files, checkpoint_id } = review.applied;
          return { status: 200, body: { status: run.status, applied_files, checkpoint_id } };
        }
        if (review?.conflict) {
          throw new Failure('conflict', 'Files have changed since the edits were proposed; nothing was written.', {
            files: review.conflict.files,
            rerun: `/api/agent/jobs/${id}/rerun`,
          });
        }
        if (review?.failed) throw new Failure(review.failed.error.code, review.failed.error.message, { job_id: id });
        return { status: 202, body: { status: run.status, applied_files: [], checkpoint_id: null } };
      },
    }),
  ];
}

function modelOf(model: string | undefined): string {
  if (model !== undefined) return model;
  throw new Failure(
    'unsupported_model',
    'No model is set for the built-in editor: set LONGHAUL_EDITOR_MODEL, or name an agent.',
  );
}
