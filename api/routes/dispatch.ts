import { dispatchBody, dispatchSchema, settingsBody, settingsSchema } from '../../domain/dispatch.ts';
import { keepSettings, settingsOf } from '../../store/user-settings.ts';
import type { AppDeps } from '../app.ts';
import { Dispatcher } from '../dispatcher.ts';
import { type Route, route } from '../route.ts';

export function dispatchRoutes(deps: AppDeps): Route[] {
  const dispatcher = new Dispatcher(deps);
  const tag = 'Dispatcher';
  return [
    route({
      method: 'post',
      path: '/dispatch',
      tag,
      summary: 'Decide which tools and agents a request is handed to; with `execute` the plan is run',
      body: dispatchBody,
      audit: 'refusals',
      replies: { 200: dispatchSchema },
      handler: async ({ caller, body, newId, res, log }) => ({
        status: 200,
        body: await dispatcher.dispatch(caller, body, { newId, res, log }),
      }),
    }),
    route({
      method: 'get',
      path: '/me/settings',
      tag,
      summary: 'The tools and agents you let the dispatcher use; null stands for all of them',
      replies: { 200: settingsSchema },
      handler: async ({ caller }) => ({ status: 200, body: await settingsOf(caller) }),
    }),
    route({
      method: 'put',
      path: '/me/settings',
      tag,
      summary: 'Set the tools (by name) and agents (by id) you let the dispatcher use; what is not given is on',
      body: settingsBody,
      shows: ['enabled_tools', 'enabled_agents'],
      replies: { 200: settingsSchema },
      handler: async ({ caller, body: { enabled_tools = null, enabled_agents = null } }) => ({
        status: 200,
        body: await keepSettings(caller, { enabled_tools, enabled_agents }),
      }),
    }),
  ];
}
