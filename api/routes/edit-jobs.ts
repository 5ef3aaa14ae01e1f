import { z } from 'zod';
import * as wire from '../../domain/edits/wire.ts';
import { Failure } from '../../domain/failures.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { AppDeps } from '../app.ts';
import { EditCommands } from '../edit-commands.ts';
import { isOver, jobEvents, jobView, lastReview, openJob } from '../edit-jobs.ts';
import { isEnd, waitForEvents } from '../event-stream.ts';
import { idParam } from '../ids.ts';
import { conflictFailure, ReviewCommands } from '../review-commands.ts';
import { type Route, route } from '../route.ts';
import { SessionCommands } from '../session-commands.ts';

const ofJob = idParam('run');
const tag = 'Edits';
const APPLY_HELD_S = 60;
const FILE_BODY = '15mb';

const eventsQuery = z.strictObject({
  cursor: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
  wait: z.coerce.number().min(0).max(300).default(0),
});

const settles = (event: RunEvent): boolean =>
  isEnd(event) || event.type === 'conflict.detected' || event.type === 'apply.failed';

/** What is done with a job once it has begun: followed, answered, reviewed, applied. */
export function editJobRoutes({ runs, hub, draining }: AppDeps): Route[] {
  const edits = new EditCommands(runs, new SessionCommands(runs));
  const reviews = new ReviewCommands(runs);
  const { limits } = runs;

  return [
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
        if (review?.conflict) throw conflictFailure(review, id);
        if (review?.failed) throw new Failure(review.failed.error.code, review.failed.error.message, { job_id: id });
        return { status: 202, body: { status: run.status, applied_files: [], checkpoint_id: null } };
      },
    }),
  ];
}
