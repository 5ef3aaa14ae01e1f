import { z } from 'zod';
import * as wire from '../../domain/edits/wire.ts';
import { Failure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import type { Notebook } from '../../domain/workspace.ts';
import { editorOf } from '../../store/builtin-agents.ts';
import { countEditSessions, jobsOf } from '../../store/edit-runs.ts';
import { findNotebook, listNotebooks } from '../../store/notebooks.ts';
import { changeSession, listSessions, type SessionRecord } from '../../store/sessions.ts';
import type { AppDeps } from '../app.ts';
import { cleanUpSoon } from '../edit-clean-up.ts';
import { findEditSession, pinnedRow, sessionSummary, sessionView } from '../edit-sessions.ts';
import { idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';
import { SessionCommands } from '../session-commands.ts';

const ofSession = idParam('ses');
const tag = 'Edits';

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

export function editRoutes({ runs, builtinModels, logger }: AppDeps): Route[] {
  const sessions = new SessionCommands(runs);
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
  ];
}

function modelOf(model: string | undefined): string {
  if (model !== undefined) return model;
  throw new Failure(
    'unsupported_model',
    'No model is set for the built-in editor: set LONGHAUL_EDITOR_MODEL, or name an agent.',
  );
}
