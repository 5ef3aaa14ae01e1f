import { z } from 'zod';
import type { RunStatus } from '../../domain/run.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { answerBody, confirmBody } from '../../domain/run-requests.ts';
import {
  actionLogSchema,
  changeSessionBody,
  createSessionBody,
  sessionMessageBody,
  sessionSchema,
  sessionSummarySchema,
} from '../../domain/session.ts';
import { findAgent } from '../../store/agents.ts';
import { nextCursorOf } from '../../store/log-reading.ts';
import { currentRun } from '../../store/runs.ts';
import { logsOf } from '../../store/session-logs.ts';
import { summariesOf, viewOf } from '../../store/session-view.ts';
import { findSession, listSessions } from '../../store/sessions.ts';
import type { AppDeps } from '../app.ts';
import { isEnd, waitForEvents } from '../event-stream.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';
import { SessionCommands } from '../session-commands.ts';

const id = idParam('ses');
const ofAgent = idParam('agt');

const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

const agentListQuery = z.strictObject({
  ...pageQuery,
  archived: flag,
  all: flag.describe('Also those of others, where you are an admin'),
});
const listQuery = agentListQuery.extend({ workspace_id: idOf('ws').optional(), agent_id: idOf('agt').optional() });

const PAUSES = new Set(['action.pending', 'clarification.requested', 'run.paused']);
const stops = (event: RunEvent): boolean => isEnd(event) || PAUSES.has(event.type);
const isAtWork = (status: RunStatus): boolean => status === 'queued' || status === 'running';

/** Conversations with an agent: each message is heard by the run under way, or begins the next one. */
export function sessionRoutes({ runs, hub, draining }: AppDeps): Route[] {
  const tag = 'Sessions';
  const commands = new SessionCommands(runs);
  const list = async (caller: Parameters<typeof listSessions>[0], query: z.output<typeof listQuery>) => {
    const { limit, cursor, ...filter } = query;
    const { items, next_cursor } = await listSessions(caller, filter, { limit, cursor });
    return { status: 200 as const, body: { items: await summariesOf(caller, items), next_cursor } };
  };
  const shown = async (caller: Parameters<typeof findSession>[0], sessionId: string) =>
    viewOf(caller, await findSession(caller, sessionId));

  return [
    route({
      method: 'post',
      path: '/agents/:id/sessions',
      tag,
      summary: 'Begin a conversation with an agent',
      params: ofAgent,
      body: createSessionBody,
      shows: ['notebook_id', 'title'],
      replies: { 201: sessionSchema },
      handler: async ({ caller, params, body, newId }) => ({
        status: 201,
        body: await viewOf(caller, await commands.create(caller, params.id, body, newId)),
      }),
    }),
    route({
      method: 'get',
      path: '/agents/:id/sessions',
      tag,
      summary: 'Your conversations with an agent, newest activity first',
      params: ofAgent,
      query: agentListQuery,
      replies: { 200: pageSchema(sessionSummarySchema) },
      handler: async ({ caller, params, query }) => {
        await findAgent(caller, params.id);
        return list(caller, { ...query, agent_id: params.id });
      },
    }),
    route({
      method: 'get',
      path: '/sessions',
      tag,
      summary: 'Your conversations, newest activity first',
      query: listQuery,
      replies: { 200: pageSchema(sessionSummarySchema) },
      handler: ({ caller, query }) => list(caller, query),
    }),
    route({
      method: 'get',
      path: '/sessions/:id',
      tag,
      summary: 'One conversation, with what was said and what waits for you',
      params: id,
      replies: { 200: sessionSchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await shown(caller, params.id) }),
    }),
    route({
      method: 'put',
      path: '/sessions/:id',
      tag,
      summary: 'Name it, archive it, or change what is pinned; what is pinned is given to its next run',
      params: id,
      body: changeSessionBody,
      shows: ['title', 'archived'],
      replies: { 200: sessionSchema },
      handler: async ({ caller, params, body }) => ({
        status: 200,
        body: await viewOf(caller, await commands.change(caller, params.id, body)),
      }),
    }),
    route({
      method: 'post',
      path: '/sessions/:id/message',
      tag,
      summary: 'Say something: it steers the run under way, or begins the next one',
      params: id,
      body: sessionMessageBody,
      audit: 'refusals',
      replies: { 200: sessionSchema, 202: sessionSchema },
      handler: async ({ caller, params, body, newId, res }) => {
        const run = await commands.message(caller, params.id, body.content, newId);
        if (!body.wait) return { status: 202, body: await shown(caller, params.id) };
        const from = await nextCursorOf(run);
        if (isAtWork((await currentRun(caller, run)).status)) {
          await waitForEvents({ hub, run, from, res, draining }, body.wait, (events) => events.some(stops));
        }
        const session = await shown(caller, params.id);
        const isStill = session.status !== 'pending' && isAtWork(session.status);
        return { status: isStill ? 202 : 200, body: session };
      },
    }),
    route({
      method: 'post',
      path: '/sessions/:id/confirm',
      tag,
      summary: 'Allow or deny a pending action',
      params: id,
      body: confirmBody,
      audit: 'refusals',
      replies: { 202: sessionSchema },
      handler: async ({ caller, params, body }) => {
        await commands.confirm(caller, params.id, body);
        return { status: 202, body: await shown(caller, params.id) };
      },
    }),
    route({
      method: 'post',
      path: '/sessions/:id/answer',
      tag,
      summary: 'Answer a clarification question',
      params: id,
      body: answerBody,
      audit: 'refusals',
      replies: { 202: sessionSchema },
      handler: async ({ caller, params, body }) => {
        await commands.answer(caller, params.id, body.question_id, body.answer);
        return { status: 202, body: await shown(caller, params.id) };
      },
    }),
    route({
      method: 'post',
      path: '/sessions/:id/cancel',
      tag,
      summary: 'Cancel its latest run and all runs below it',
      params: id,
      audit: 'refusals',
      replies: { 202: sessionSchema },
      handler: async ({ caller, params }) => {
        await commands.cancel(caller, params.id);
        return { status: 202, body: await shown(caller, params.id) };
      },
    }),
    route({
      method: 'get',
      path: '/sessions/:id/logs',
      tag,
      summary: 'Everything that was done in it, from the first action on',
      params: id,
      query: z.strictObject(pageQuery),
      replies: { 200: pageSchema(actionLogSchema) },
      handler: async ({ caller, params, query }) => ({
        status: 200,
        body: await logsOf(caller, await findSession(caller, params.id), query),
      }),
    }),
  ];
}
