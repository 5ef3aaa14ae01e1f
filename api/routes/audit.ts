import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { auditLineSchema } from '../../domain/audit.ts';
import { everyAuditLine, listAudit } from '../../store/audit.ts';
import { EXPORTS } from '../audit-export.ts';
import { idOf } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route, takenOver } from '../route.ts';

const tag = 'Audit log';
const time = z.iso.datetime().transform((text) => new Date(text));

const filters = {
  workspace_id: idOf('ws').optional(),
  agent_id: idOf('agt').optional(),
  run_id: idOf('run').optional(),
  session_id: z.string().max(100).optional(),
  user_id: z.string().max(100).optional(),
  action: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('An action like `tool.read_file`, or a family of them like `tool`'),
  was_allowed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  from: time.optional(),
  to: time.optional(),
};

/** Only read: there is no route that changes or removes a line. */
export const auditRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/audit',
    tag,
    summary: 'What was done, by whom and whether it was allowed, newest first (admins all, others their own)',
    query: z.strictObject({ ...filters, ...pageQuery }),
    replies: { 200: pageSchema(auditLineSchema) },
    handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
      status: 200,
      body: await listAudit(caller, filter, { limit, cursor }),
    }),
  }),
  route({
    method: 'get',
    path: '/audit/export',
    tag,
    summary: 'The same as a file: one JSON object a line (ndjson), or a table (csv)',
    query: z.strictObject({ ...filters, format: z.enum(['ndjson', 'csv']).default('ndjson') }),
    replies: { 200: null },
    handler: async ({ caller, query: { format, ...filter }, res, log }) => {
      const { type, begin, row } = EXPORTS[format];
      const lines = everyAuditLine(caller, filter);
      // Whatever is wrong with the request is told before the answer begins.
      const first = await lines.next();
      res.status(200).type(type).attachment(`audit.${format}`);
      async function* rows() {
        yield begin;
        if (first.done) return;
        yield row(first.value);
        for await (const line of lines) yield row(line);
      }
      // A client that goes away in the middle has its reason; the cursor is closed with the stream.
      await pipeline(Readable.from(rows()), res).catch((err: unknown) => log.debug({ err }, 'an export was cut off'));
      return takenOver;
    },
  }),
];
