import { z } from 'zod';
import * as wire from '../../domain/edits/wire.ts';
import { listCheckpoints } from '../../store/checkpoints.ts';
import type { AppDeps } from '../app.ts';
import { CheckpointCommands, checkpointSummary } from '../checkpoint-commands.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

const params = idParam('ckp');
const tag = 'Edits';

/** The files as they were before a job, for as long as anybody may want them back. */
export function checkpointRoutes({ runs, draining }: AppDeps): Route[] {
  const commands = new CheckpointCommands(runs.starter);
  return [
    route({
      method: 'get',
      path: '/api/agent/checkpoints',
      tag,
      summary: 'Checkpoints of jobs that were applied, newest first',
      query: z.strictObject({
        ...pageQuery,
        session_id: idOf('ses').optional(),
        notebook_id: idOf('nb').optional(),
      }),
      replies: { 200: pageSchema(wire.checkpointSummarySchema) },
      handler: async ({ caller, query: { limit, cursor, ...filter } }) => {
        const { items, next_cursor } = await listCheckpoints(caller, filter, { limit, cursor });
        return { status: 200, body: { items: items.map(checkpointSummary), next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/api/agent/checkpoints/:id',
      tag,
      summary: 'One checkpoint, with its files and what each hunk would take to be reversed',
      params,
      replies: { 200: wire.checkpointSchema },
      handler: async ({ caller, params: { id } }) => ({ status: 200, body: await commands.view(caller, id) }),
    }),
    route({
      method: 'get',
      path: '/api/agent/checkpoints/:id/diff3',
      tag,
      summary: 'A file as it is, as it was before the job, and as the agent proposed it',
      params,
      query: z.strictObject({ file_path: z.string().min(1).max(2048) }),
      replies: { 200: wire.diff3Schema },
      handler: async ({ caller, params: { id }, query }) => ({
        status: 200,
        body: await commands.diff3(caller, id, query.file_path),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/checkpoints/:id/rollback',
      tag,
      summary: 'Take all of it back, or selected hunks; into the buffer, nothing is written before it is saved',
      params,
      body: wire.rollbackBody,
      shows: ['mode'],
      replies: { 200: wire.rollbackReplySchema },
      handler: async ({ caller, params: { id }, body, newId }) => ({
        status: 200,
        body: await commands.rollback(caller, id, body, newId),
      }),
    }),
    route({
      method: 'post',
      path: '/api/agent/checkpoints/:id/save',
      tag,
      summary: 'Write a rollback to disk, all files or none',
      params,
      body: wire.saveBody,
      bodyLimit: '15mb',
      shows: ['rollback_id'],
      replies: { 200: wire.savedSchema, 202: wire.savedSchema },
      handler: async ({ caller, params: { id }, body }) => {
        const { rollback_id, state, saved_files, saved_at } = await commands.save(caller, id, body, draining);
        const reply = { checkpoint_id: id, rollback_id, saved_files, saved_at: saved_at?.toISOString() ?? null };
        if (state === 'saved') return { status: 200, body: { ...reply, state } };
        return { status: 202, body: { ...reply, state: 'saving' as const } };
      },
    }),
  ];
}
