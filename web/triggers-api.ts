import type { z } from 'zod';
import type {
  ChangeSource,
  ChangeSubscription,
  createSubscriptionBody,
  Delivery,
  EventSource,
  EventSubscription,
} from '../domain/event.ts';
import type { ChangeSchedule, createScheduleBody, firedSchema, Schedule } from '../domain/schedule.ts';
import { at, call, type Page, tell } from './http.ts';

const schedule = (id: string, rest = ''): string => `/runs/schedule/${at(id)}${rest}`;
const source = (id: string, rest = ''): string => `/events/sources/${at(id)}${rest}`;
const subscription = (id: string): string => `/events/subscriptions/${at(id)}`;

export type NewSource = EventSource & { secret: string };
export interface NamedWorkflow {
  id: string;
  name: string;
}

const everything = { limit: 100 };

export const triggersApi = {
  schedules: (workspace_id: string) =>
    call<Page<Schedule>>('/runs/schedule', { query: { workspace_id, ...everything } }).then(({ items }) => items),
  addSchedule: (body: z.input<typeof createScheduleBody>, idempotency_key: string) =>
    call<Schedule>('/runs/schedule', { method: 'POST', body, idempotency_key }),
  changeSchedule: (id: string, body: ChangeSchedule, if_match?: number) =>
    call<Schedule>(schedule(id), { method: 'PUT', body, if_match }),
  pauseSchedule: (id: string, paused: boolean) =>
    call<Schedule>(schedule(id, '/pause'), { method: 'POST', body: { paused } }),
  runSchedule: (id: string) =>
    call<z.infer<typeof firedSchema>>(schedule(id, '/trigger'), { method: 'POST', body: {} }),
  backfillSchedule: (id: string, body: { start_at: string; end_at: string }) =>
    call<{ times: string[] }>(schedule(id, '/backfill'), { method: 'POST', body }),
  removeSchedule: (id: string) => tell(schedule(id), { method: 'DELETE' }),

  sources: (workspace_id: string) =>
    call<Page<EventSource>>('/events/sources', { query: { workspace_id, ...everything } }).then(({ items }) => items),
  addSource: (body: { workspace_id: string; name: string; description: string }, idempotency_key: string) =>
    call<NewSource>('/events/sources', { method: 'POST', body, idempotency_key }),
  changeSource: (id: string, body: ChangeSource) => call<EventSource>(source(id), { method: 'PUT', body }),
  renewSecret: (id: string) => call<NewSource>(source(id, '/secret'), { method: 'POST' }),
  removeSource: (id: string) => tell(source(id), { method: 'DELETE' }),

  subscriptions: (workspace_id: string) =>
    call<Page<EventSubscription>>('/events/subscriptions', { query: { workspace_id, ...everything } }).then(
      ({ items }) => items,
    ),
  addSubscription: (body: z.input<typeof createSubscriptionBody>, idempotency_key: string) =>
    call<EventSubscription>('/events/subscriptions', { method: 'POST', body, idempotency_key }),
  changeSubscription: (id: string, body: ChangeSubscription) =>
    call<EventSubscription>(subscription(id), { method: 'PUT', body }),
  removeSubscription: (id: string) => tell(subscription(id), { method: 'DELETE' }),

  deliveries: (workspace_id: string, cursor: string | null) =>
    call<Page<Delivery>>('/events/deliveries', { query: { workspace_id, cursor, limit: 20 } }),
  redeliver: (id: string) => call<Delivery>(`/events/deliveries/${at(id)}/redeliver`, { method: 'POST' }),

  workflows: (workspace_id: string) =>
    call<Page<NamedWorkflow>>('/agents/workflows', { query: { workspace_id, ...everything } }).then(
      ({ items }) => items,
    ),
};
