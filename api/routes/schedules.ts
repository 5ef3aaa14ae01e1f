import { z } from 'zod';
import {
  backfillBody,
  backfilledSchema,
  changeScheduleBody,
  createScheduleBody,
  fireBody,
  firedSchema,
  pauseBody,
  scheduleSchema,
} from '../../domain/schedule.ts';
import { findSchedule, listSchedules } from '../../store/schedules.ts';
import type { AppDeps } from '../app.ts';
import { idOf } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { expectedVersion, versionTag } from '../preconditions.ts';
import { type Route, route } from '../route.ts';
import { ScheduleCommands } from '../schedule-commands.ts';

const tag = 'Schedules';
const params = z.strictObject({ schedule_id: idOf('sch') });
const SHOWN = [
  'name',
  'agent_id',
  'workflow_id',
  'cron_expression',
  'time_zone',
  'tier',
  'overlap',
  'is_active',
] as const;

export function scheduleRoutes({ runs, logger }: AppDeps): Route[] {
  const schedules = new ScheduleCommands(runs.starter, logger);
  return [
    route({
      method: 'post',
      path: '/runs/schedule',
      tag,
      summary: 'Have an agent or a workflow run at certain times (write)',
      body: createScheduleBody,
      shows: SHOWN,
      replies: { 201: scheduleSchema },
      handler: async ({ caller, body, newId }) => {
        const made = await schedules.create(caller, { ...body, id: newId('sch') });
        return { status: 201, body: made, headers: versionTag(made.version) };
      },
    }),
    route({
      method: 'get',
      path: '/runs/schedule',
      tag,
      summary: 'The schedules of your workspaces',
      query: z.strictObject({
        ...pageQuery,
        workspace_id: idOf('ws').optional(),
        agent_id: idOf('agt').optional(),
        workflow_id: idOf('wf').optional(),
        is_active: z
          .enum(['true', 'false'])
          .transform((word) => word === 'true')
          .optional(),
      }),
      replies: { 200: pageSchema(scheduleSchema) },
      handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
        status: 200,
        body: await listSchedules(caller, filter, { limit, cursor }),
      }),
    }),
    route({
      method: 'get',
      path: '/runs/schedule/:schedule_id',
      tag,
      summary: 'One schedule, with the next time it runs',
      params,
      replies: { 200: scheduleSchema },
      handler: async ({ caller, params: { schedule_id } }) => {
        const found = await findSchedule(caller, schedule_id);
        return { status: 200, body: found, headers: versionTag(found.version) };
      },
    }),
    route({
      method: 'put',
      path: '/runs/schedule/:schedule_id',
      tag,
      summary:
        'Change a schedule, with any of its fields: a new version, and its next time anew (its maker, or an admin)',
      params,
      body: changeScheduleBody,
      shows: SHOWN,
      conditional: true,
      replies: { 200: scheduleSchema },
      handler: async ({ caller, params: { schedule_id }, body, req }) => {
        const changed = await schedules.change(caller, schedule_id, body, expectedVersion(req));
        return { status: 200, body: changed, headers: versionTag(changed.version) };
      },
    }),
    route({
      method: 'delete',
      path: '/runs/schedule/:schedule_id',
      tag,
      summary: 'Delete a schedule (its maker, or an admin); what it has started goes on',
      params,
      conditional: true,
      replies: { 204: null },
      handler: async ({ caller, params: { schedule_id }, req }) => {
        await schedules.remove(caller, schedule_id, expectedVersion(req));
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/runs/schedule/:schedule_id/pause',
      tag,
      summary: 'Pause a schedule, or with `paused: false` let it go on',
      params,
      body: pauseBody,
      shows: ['paused'],
      replies: { 200: scheduleSchema },
      handler: async ({ caller, params: { schedule_id }, body }) => {
        const changed = await schedules.change(caller, schedule_id, { is_active: !body.paused }, null);
        return { status: 200, body: changed, headers: versionTag(changed.version) };
      },
    }),
    route({
      method: 'post',
      path: '/runs/schedule/:schedule_id/trigger',
      tag,
      summary: 'Run it now, also while it is paused; its overlap policy holds unless another is given',
      params,
      body: fireBody,
      shows: ['overlap'],
      replies: { 202: firedSchema },
      handler: async ({ caller, params: { schedule_id }, body }) => ({
        status: 202,
        body: await schedules.fire(caller, schedule_id, body.overlap),
      }),
    }),
    route({
      method: 'post',
      path: '/runs/schedule/:schedule_id/backfill',
      tag,
      summary: 'Make up for its times between two moments in the past; a time that has run is not run again',
      params,
      body: backfillBody,
      shows: ['start_at', 'end_at', 'overlap'],
      replies: { 202: backfilledSchema },
      handler: async ({ caller, params: { schedule_id }, body: { start_at, end_at, overlap } }) => ({
        status: 202,
        body: await schedules.backfill(caller, schedule_id, {
          start: new Date(start_at),
          end: new Date(end_at),
          overlap,
        }),
      }),
    }),
  ];
}
