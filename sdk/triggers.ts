import type { z } from 'zod';
import type {
  ChangeSource,
  ChangeSubscription,
  createSourceBody,
  createSubscriptionBody,
  Delivery,
  DeliveryStatus,
  EventSource,
  EventSubscription,
  newSourceSchema,
} from '../domain/event.ts';
import type {
  backfillBody,
  backfilledSchema,
  ChangeSchedule,
  createScheduleBody,
  firedSchema,
  Overlap,
  Schedule,
} from '../domain/schedule.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

interface AtVersion {
  /** Only where nobody has changed it since. */
  version?: number;
}
const ifMatch = ({ version }: AtVersion): Record<string, string> =>
  version === undefined ? {} : { 'If-Match': `"${version}"` };

type InWorkspace = PageQuery & { workspace_id?: string };

export function triggerCalls(http: Http) {
  const at = (path: string, id: string, rest = '') => `${path}/${encodeURIComponent(id)}${rest}`;
  const [schedule, source, subscription, delivery] = [
    '/runs/schedule',
    '/events/sources',
    '/events/subscriptions',
    '/events/deliveries',
  ] as const;
  return {
    schedules: {
      list: ({
        is_active,
        ...query
      }: InWorkspace & { agent_id?: string; workflow_id?: string; is_active?: boolean } = {}) =>
        http.get<Page<Schedule>>(schedule, {
          query: { ...query, is_active: is_active === undefined ? undefined : String(is_active) },
        }),
      get: (id: string) => http.get<Schedule>(at(schedule, id)),
      create: (body: z.input<typeof createScheduleBody>) => http.post<Schedule>(schedule, { body }),
      change: (id: string, body: ChangeSchedule, when: AtVersion = {}) =>
        http.put<Schedule>(at(schedule, id), { body, headers: ifMatch(when) }),
      delete: (id: string, when: AtVersion = {}) => http.delete(at(schedule, id), { headers: ifMatch(when) }),
      pause: (id: string) => http.post<Schedule>(at(schedule, id, '/pause'), { body: { paused: true } }),
      /** Lets it go on. */
      unpause: (id: string) => http.post<Schedule>(at(schedule, id, '/pause'), { body: { paused: false } }),
      /** Runs it now, also while it is paused. */
      trigger: (id: string, body: { overlap?: Overlap } = {}) =>
        http.post<z.infer<typeof firedSchema>>(at(schedule, id, '/trigger'), { body }),
      /** Makes up for its times between two moments in the past. */
      backfill: (id: string, body: z.input<typeof backfillBody>) =>
        http.post<z.infer<typeof backfilledSchema>>(at(schedule, id, '/backfill'), { body }),
    },
    events: {
      sources: {
        list: (query: InWorkspace = {}) => http.get<Page<EventSource>>(source, { query: { ...query } }),
        get: (id: string) => http.get<EventSource>(at(source, id)),
        /** With its secret, which is told this once. */
        create: (body: z.input<typeof createSourceBody>) =>
          http.post<z.infer<typeof newSourceSchema>>(source, { body }),
        change: (id: string, body: ChangeSource, when: AtVersion = {}) =>
          http.put<EventSource>(at(source, id), { body, headers: ifMatch(when) }),
        /** A new one, told this once; the one before counts no more. */
        renewSecret: (id: string) => http.post<z.infer<typeof newSourceSchema>>(at(source, id, '/secret')),
        delete: (id: string, when: AtVersion = {}) => http.delete(at(source, id), { headers: ifMatch(when) }),
      },
      subscriptions: {
        list: (query: InWorkspace & { source_id?: string } = {}) =>
          http.get<Page<EventSubscription>>(subscription, { query: { ...query } }),
        get: (id: string) => http.get<EventSubscription>(at(subscription, id)),
        create: (body: z.input<typeof createSubscriptionBody>) => http.post<EventSubscription>(subscription, { body }),
        change: (id: string, body: ChangeSubscription, when: AtVersion = {}) =>
          http.put<EventSubscription>(at(subscription, id), { body, headers: ifMatch(when) }),
        delete: (id: string, when: AtVersion = {}) => http.delete(at(subscription, id), { headers: ifMatch(when) }),
      },
      deliveries: {
        /** Newest first. */
        list: (query: InWorkspace & { source_id?: string; status?: DeliveryStatus } = {}) =>
          http.get<Page<Delivery>>(delivery, { query: { ...query } }),
        get: (id: string) => http.get<Delivery>(at(delivery, id)),
        redeliver: (id: string) => http.post<Delivery>(at(delivery, id, '/redeliver')),
      },
    },
  };
}
