import { z } from 'zod';
import type { Caller } from '../../domain/identity.ts';
import { hasEnded, runSchema, runStatusSchema, startedRunSchema, triggerSchema } from '../../domain/run.ts';
import { eventPageSchema, stepSchema } from '../../domain/run-events.ts';
import { RUN_ORDERS } from '../../domain/run-order.ts';
import { answerBody, confirmBody, messageBody, reviseBody, startRunBody } from '../../domain/run-requests.ts';
import { rationaleTexts } from '../../store/rationales.ts';
import { listRuns } from '../../store/run-list.ts';
import { type RunRecord, toRun } from '../../store/run-record.ts';
import { currentRun, findRun } from '../../store/runs.ts';
import type { AppDeps } from '../app.ts';
import { streamEvents, waitForEvents } from '../event-stream.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route, takenOver } from '../route.ts';
import { endedRun, waitForEnd } from '../run-end.ts';
import { eventsFrom } from '../run-follower.ts';
import { SessionCommands } from '../session-commands.ts';
import { stepCursor, stepsAfter } from '../step-pages.ts';

const id = idParam('run');
const MAX_WAIT_S = 300;

const listQuery = z.strictObject({
  ...pageQuery,
  org_id: idOf('org').optional().describe('Only your own has any that you can see'),
  workspace_id: idOf('ws').optional(),
  agent_id: idOf('agt').optional(),
  workflow_id: idOf('wf').optional(),
  trigger_type: triggerSchema.optional(),
  caller_user_id: z.string().max(100).optional(),
  schedule_id: idOf('sch').optional(),
  status: z
    .string()
    .max(300)
    .transform((text) => text.split(','))
    .pipe(z.array(runStatusSchema).min(1))
    .optional()
    .describe('One status, or several with commas between them'),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  root: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only runs that no other run delegated'),
  parent_run_id: idOf('run').optional(),
  session_id: idOf('ses').optional(),
  sort: z.enum(RUN_ORDERS).default('newest'),
});

const eventsQuery = z.strictObject({
  cursor: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  wait: z.coerce.number().min(0).max(MAX_WAIT_S).default(0),
});

const stepsQuery = z.strictObject({
  cursor: stepCursor.default('0'),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** Asked of the log where the record does not say so: it may not have heard yet. */
const isOver = async (caller: Caller, run: RunRecord): Promise<boolean> =>
  hasEnded(run.status) || hasEnded((await currentRun(caller, run._id)).status);

export function runRoutes({ runs: commands, hub, draining }: AppDeps): Route[] {
  const tag = 'Runs';
  const sessions = new SessionCommands(commands);
  return [
    route({
      method: 'post',
      path: '/runs',
      tag,
      summary: 'Start a run',
      body: startRunBody,
      audit: 'refusals',
      replies: { 200: runSchema, 202: startedRunSchema },
      handler: async ({ caller, body, newId, res }) => {
        const run =
          body.session_id === undefined
            ? await commands.start(caller, body, newId)
            : await sessions.start(caller, body.session_id, body, newId);
        if (body.wait) {
          const isOver = await waitForEnd({ hub, run: run._id, res, draining }, body.wait);
          const now = await (isOver ? endedRun : currentRun)(caller, run._id);
          if (hasEnded(now.status)) return { status: 200, body: toRun(now) };
          return { status: 202, body: { id: now._id, status: now.status } };
        }
        return { status: 202, body: { id: run._id, status: run.status } };
      },
    }),
    route({
      method: 'get',
      path: '/runs',
      tag,
      summary: 'List runs, newest first',
      query: listQuery,
      replies: { 200: pageSchema(runSchema) },
      handler: async ({ caller, query: { limit, cursor, sort, from, to, workflow_id, ...filter } }) => {
        const dates = { ...(from ? { from: new Date(from) } : {}), ...(to ? { to: new Date(to) } : {}) };
        const of = workflow_id === undefined ? {} : { definition_id: workflow_id };
        const page = await listRuns(caller, { ...filter, ...of, ...dates }, { limit, cursor, sort });
        return { status: 200, body: { items: page.items.map(toRun), next_cursor: page.next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/runs/:id',
      tag,
      summary: 'Read a run',
      params: id,
      replies: { 200: runSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: toRun(await currentRun(caller, params.id)) }),
    }),
    route({
      method: 'get',
      path: '/runs/:id/steps',
      tag,
      summary: 'Read what a run did, step by step',
      params: id,
      query: stepsQuery,
      replies: { 200: pageSchema(stepSchema) },
      handler: async ({ caller, params, query }) => {
        await findRun(caller, params.id);
        const { items: steps, next_cursor } = await stepsAfter(params.id, query.cursor, query.limit);
        const texts = await rationaleTexts(
          params.id,
          steps.map(({ step_number }) => step_number),
        );
        const items = steps.map((step) => ({ ...step, rationale: texts.get(step.step_number) ?? null }));
        return { status: 200, body: { items, next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/runs/:id/events',
      tag,
      summary: 'Read the events of a run from a cursor on; `wait` holds until there are any',
      stream: 'With Accept: text/event-stream the events are sent as they happen; Last-Event-ID goes on after it.',
      params: id,
      query: eventsQuery,
      replies: { 200: eventPageSchema },
      handler: async ({ caller, params, query, req, res }) => {
        const run = await findRun(caller, params.id);
        if (req.accepts(['json', 'text/event-stream']) === 'text/event-stream') {
          const last = Number(req.get('last-event-id'));
          const from = Number.isSafeInteger(last) && last > 0 ? last + 1 : Math.max(1, query.cursor ?? 1);
          if ((await isOver(caller, run)) && (await eventsFrom(run._id, from)).length === 0) {
            // What a browser takes as the word not to come back.
            res.status(204).end();
            return takenOver;
          }
          streamEvents({ hub, run: run._id, from, res, draining });
          return takenOver;
        }
        const cursor = Math.max(1, query.cursor ?? 1);
        let events = await eventsFrom(run._id, cursor);
        if (events.length === 0 && query.wait > 0 && !(await isOver(caller, run))) {
          await waitForEvents(
            { hub, run: run._id, from: cursor, res, draining },
            query.wait,
            (found) => found.length > 0,
          );
          events = await eventsFrom(run._id, cursor);
        }
        const { status } = await currentRun(caller, params.id);
        return { status: 200, body: { run_id: run._id, status, next_cursor: cursor + events.length, events } };
      },
    }),
    route({
      method: 'post',
      path: '/runs/:id/confirm',
      tag,
      summary: 'Allow or deny a pending action',
      params: id,
      body: confirmBody,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params, body }) => ({
        status: 202,
        body: await commands.confirm(caller, params.id, body),
      }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/revise',
      tag,
      summary: 'Have a pending action shown with other arguments; it goes on waiting, under another digest',
      params: id,
      body: reviseBody,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params, body }) => ({
        status: 202,
        body: await commands.revise(caller, params.id, body),
      }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/answer',
      tag,
      summary: 'Answer a clarification question',
      params: id,
      body: answerBody,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params, body }) => ({
        status: 202,
        body: await commands.answer(caller, params.id, body.question_id, body.answer),
      }),
    }),
    route({
      method: 'post',
      path: '/runs/:id/message',
      tag,
      summary: 'Steer a run: it reads the message at its next turn',
      params: id,
      body: messageBody,
      audit: 'refusals',
      replies: { 202: runSchema },
      handler: async ({ caller, params, body, newId }) => ({
        status: 202,
        body: await commands.message(caller, params.id, newId('msg'), body.content),
      }),
    }),
  ];
}
