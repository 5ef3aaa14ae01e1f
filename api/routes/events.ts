import { z } from 'zod';
import {
  changeSourceBody,
  changeSubscriptionBody,
  createSourceBody,
  createSubscriptionBody,
  deliverySchema,
  deliveryStatusSchema,
  eventSourceSchema,
  eventSubscriptionSchema,
  newSourceSchema,
} from '../../domain/event.ts';
import { findDelivery, listDeliveries } from '../../store/event-deliveries.ts';
import {
  changeSource,
  createSource,
  deleteSource,
  findSource,
  listSources,
  renewSecret,
  type StoredSource,
} from '../../store/event-sources.ts';
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
} from '../../store/event-subscriptions.ts';
import type { SecretKeys } from '../../store/secrets.ts';
import type { AppDeps } from '../app.ts';
import { EventCommands } from '../event-commands.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { expectedVersion, versionTag } from '../preconditions.ts';
import { type Route, route } from '../route.ts';

const tag = 'Events';
const source = idParam('src');
const subscription = idParam('sub');
const delivery = idParam('dlv');
const KEPT = 'its maker, or an admin';
const SHOWN = ['name', 'source_id', 'target_type', 'agent_id', 'workflow_id', 'tier', 'is_active'] as const;

function sourceRoutes({ publicUrl, secretKey, previousKeys = [] }: AppDeps): Route[] {
  const keys: SecretKeys = [secretKey, ...previousKeys];
  const located = <S extends StoredSource>(stored: S) => ({ ...stored, url: `${publicUrl}/hooks/${stored.id}` });
  return [
    route({
      method: 'post',
      path: '/events/sources',
      tag,
      summary: 'Make an address for webhooks (write). Its secret is told this once',
      body: createSourceBody,
      shows: ['workspace_id', 'name', 'is_active'],
      replies: { 201: newSourceSchema },
      handler: async ({ caller, body, newId }) => {
        const made = located(await createSource(caller, keys, { ...body, id: newId('src') }));
        return { status: 201, body: made, headers: versionTag(made.version) };
      },
    }),
    route({
      method: 'get',
      path: '/events/sources',
      tag,
      summary: 'The event sources of your workspaces',
      query: z.strictObject({ ...pageQuery, workspace_id: idOf('ws').optional() }),
      replies: { 200: pageSchema(eventSourceSchema) },
      handler: async ({ caller, query: { limit, cursor, workspace_id } }) => {
        const page = await listSources(caller, workspace_id, { limit, cursor });
        return { status: 200, body: { ...page, items: page.items.map(located) } };
      },
    }),
    route({
      method: 'get',
      path: '/events/sources/:id',
      tag,
      summary: 'One event source',
      params: source,
      replies: { 200: eventSourceSchema },
      handler: async ({ caller, params }) => {
        const found = located(await findSource(caller, params.id));
        return { status: 200, body: found, headers: versionTag(found.version) };
      },
    }),
    route({
      method: 'put',
      path: '/events/sources/:id',
      tag,
      summary: `Change an event source (${KEPT})`,
      params: source,
      body: changeSourceBody,
      shows: ['name', 'is_active'],
      conditional: true,
      replies: { 200: eventSourceSchema },
      handler: async ({ caller, params, body, req }) => {
        const changed = located(await changeSource(caller, params.id, body, expectedVersion(req)));
        return { status: 200, body: changed, headers: versionTag(changed.version) };
      },
    }),
    route({
      method: 'post',
      path: '/events/sources/:id/secret',
      tag,
      summary: `Give it a new secret, told this once; the one before counts no more (${KEPT})`,
      params: source,
      replies: { 200: newSourceSchema },
      handler: async ({ caller, params }) => ({
        status: 200,
        body: located(await renewSecret(caller, keys, params.id)),
      }),
    }),
    route({
      method: 'delete',
      path: '/events/sources/:id',
      tag,
      summary: `Delete an event source (${KEPT}); its deliveries stay to be read`,
      params: source,
      conditional: true,
      replies: { 204: null },
      handler: async ({ caller, params, req }) => {
        await deleteSource(caller, params.id, expectedVersion(req));
        return { status: 204 };
      },
    }),
  ];
}

const subscriptionRoutes = (): Route[] => [
  route({
    method: 'post',
    path: '/events/subscriptions',
    tag,
    summary: 'Have an agent or a workflow run for what a source receives (write)',
    body: createSubscriptionBody,
    shows: SHOWN,
    replies: { 201: eventSubscriptionSchema },
    handler: async ({ caller, body, newId }) => {
      const made = await createSubscription(caller, { ...body, id: newId('sub') });
      return { status: 201, body: made, headers: versionTag(made.version) };
    },
  }),
  route({
    method: 'get',
    path: '/events/subscriptions',
    tag,
    summary: 'The subscriptions of your workspaces',
    query: z.strictObject({
      ...pageQuery,
      workspace_id: idOf('ws').optional(),
      source_id: idOf('src').optional(),
    }),
    replies: { 200: pageSchema(eventSubscriptionSchema) },
    handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
      status: 200,
      body: await listSubscriptions(caller, filter, { limit, cursor }),
    }),
  }),
  route({
    method: 'get',
    path: '/events/subscriptions/:id',
    tag,
    summary: 'One subscription',
    params: subscription,
    replies: { 200: eventSubscriptionSchema },
    handler: async ({ caller, params }) => {
      const found = await findSubscription(caller, params.id);
      return { status: 200, body: found, headers: versionTag(found.version) };
    },
  }),
  route({
    method: 'put',
    path: '/events/subscriptions/:id',
    tag,
    summary: `Change a subscription, with any of its fields (${KEPT})`,
    params: subscription,
    body: changeSubscriptionBody,
    shows: ['name', 'target_type', 'agent_id', 'workflow_id', 'tier', 'is_active'],
    conditional: true,
    replies: { 200: eventSubscriptionSchema },
    handler: async ({ caller, params, body, req }) => {
      const changed = await changeSubscription(caller, params.id, body, expectedVersion(req));
      return { status: 200, body: changed, headers: versionTag(changed.version) };
    },
  }),
  route({
    method: 'delete',
    path: '/events/subscriptions/:id',
    tag,
    summary: `Delete a subscription (${KEPT})`,
    params: subscription,
    conditional: true,
    replies: { 204: null },
    handler: async ({ caller, params, req }) => {
      await deleteSubscription(caller, params.id, expectedVersion(req));
      return { status: 204 };
    },
  }),
];

function deliveryRoutes({ runs, logger }: AppDeps): Route[] {
  const events = new EventCommands(runs.starter, logger);
  return [
    route({
      method: 'get',
      path: '/events/deliveries',
      tag,
      summary: 'What was received, newest first, with the runs that came of it',
      query: z.strictObject({
        ...pageQuery,
        workspace_id: idOf('ws').optional(),
        source_id: idOf('src').optional(),
        status: deliveryStatusSchema.optional(),
      }),
      replies: { 200: pageSchema(deliverySchema) },
      handler: async ({ caller, query: { limit, cursor, ...filter } }) => ({
        status: 200,
        body: await listDeliveries(caller, filter, { limit, cursor }),
      }),
    }),
    route({
      method: 'get',
      path: '/events/deliveries/:id',
      tag,
      summary: 'One delivery, with the output of its runs',
      params: delivery,
      replies: { 200: deliverySchema },
      handler: async ({ caller, params }) => ({ status: 200, body: await findDelivery(caller, params.id) }),
    }),
    route({
      method: 'post',
      path: '/events/deliveries/:id/redeliver',
      tag,
      summary: 'Deliver it once more, to the subscriptions there are now: new runs start (write)',
      params: delivery,
      replies: { 202: deliverySchema },
      handler: async ({ caller, params }) => {
        await events.redeliver(caller, params.id);
        return { status: 202, body: await findDelivery(caller, params.id) };
      },
    }),
  ];
}

export const eventRoutes = (deps: AppDeps): Route[] => [
  ...sourceRoutes(deps),
  ...subscriptionRoutes(),
  ...deliveryRoutes(deps),
];
