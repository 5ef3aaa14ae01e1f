import { z } from 'zod';
import { agentSchema, type CreateAgent, changeAgentBody, createAgentBody } from '../../domain/agent.ts';
import { agentTemplate, TEMPLATE_IDS } from '../../domain/agent-templates.ts';
import { modelStringOf } from '../../domain/model.ts';
import { activateAgent, changeAgent, deleteAgent } from '../../store/agent-changes.ts';
import { createAgent, findAgent, listAgents } from '../../store/agents.ts';
import type { AppDeps } from '../app.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { expectedVersion, versionTag } from '../preconditions.ts';
import { invalid, type Route, route } from '../route.ts';

const tag = 'Agents';
const id = idParam('agt');

export const newAgentBody = createAgentBody.extend({
  workspace_id: idOf('ws').optional().describe('Where the address does not name it'),
  template: z.enum(TEMPLATE_IDS).optional().describe('Gives every field that is not named'),
});

/** A parsed body has a default wherever nothing was said, so what was said is read off the request itself. */
function prefilled({ template, ...rest }: z.infer<typeof newAgentBody>, sent: unknown, inQuery?: string): CreateAgent {
  const workspace_id = rest.workspace_id ?? inQuery;
  if (workspace_id === undefined) throw invalid('body', { workspace_id: 'say which workspace it belongs to' });
  if (inQuery !== undefined && inQuery !== workspace_id) {
    throw invalid('query', { workspace_id: 'another one than in the body' });
  }
  const body = { ...rest, workspace_id };
  if (template === undefined) return body;
  const named = new Set(Object.keys(sent ?? {}));
  const said = Object.fromEntries(Object.entries(body).filter(([field]) => named.has(field)));
  return { ...body, ...agentTemplate(template).agent, ...said };
}

/** What an auditor wants to see of an agent that is made or changed; its prompt may hold what is nobody's business. */
const SHOWN = [
  'name',
  'slug',
  'model',
  'examples',
  'scope',
  'visibility',
  'access_level',
  'roles',
  'can_read',
  'can_write',
  'can_create',
  'can_delete',
  'can_execute_code',
  'can_access_integrations',
  'command_network',
  'delegated_agents',
  'grants',
  'confirmation',
] as const;

export const agentRoutes = ({ runs }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/agents',
    tag,
    summary: 'Make an agent (write; admin to share it with the workspace)',
    query: z.strictObject({ workspace_id: idOf('ws').optional() }),
    body: newAgentBody,
    shows: ['workspace_id', ...SHOWN],
    replies: { 201: agentSchema },
    handler: async ({ caller, newId, body, query, req }) => {
      const wanted = prefilled(body, req.body, query.workspace_id);
      const model = modelStringOf(wanted.model, wanted.provider);
      const agent = await createAgent(caller, { ...wanted, model, id: newId('agt') });
      return { status: 201, body: agent, headers: versionTag(agent.version) };
    },
  }),
  route({
    method: 'get',
    path: '/agents',
    tag,
    summary: 'The agents you can see',
    query: z.strictObject({ workspace_id: idOf('ws').optional(), ...pageQuery }),
    replies: { 200: pageSchema(agentSchema) },
    handler: async ({ caller, query: { workspace_id, ...page } }) => ({
      status: 200,
      body: await listAgents(caller, workspace_id, page),
    }),
  }),
  route({
    method: 'get',
    path: '/agents/:id',
    tag,
    summary: 'One agent',
    params: id,
    replies: { 200: agentSchema },
    handler: async ({ caller, params }) => {
      const agent = await findAgent(caller, params.id);
      return { status: 200, body: agent, headers: versionTag(agent.version) };
    },
  }),
  route({
    method: 'put',
    path: '/agents/:id',
    tag,
    summary:
      'Change an agent, with any of its fields: a new version (its maker; admin for shared ones). `is_active: true` also brings back one that was deleted',
    params: id,
    body: changeAgentBody,
    shows: [...SHOWN, 'is_active'],
    conditional: true,
    replies: { 200: agentSchema },
    handler: async ({ caller, params, body, req }) => {
      const model = body.model === undefined ? {} : { model: modelStringOf(body.model, body.provider) };
      const agent = await changeAgent(caller, params.id, { ...body, ...model }, expectedVersion(req));
      runs.forgetTargets();
      return { status: 200, body: agent, headers: versionTag(agent.version) };
    },
  }),
  route({
    method: 'post',
    path: '/agents/:id/activate',
    tag,
    summary: 'Switch an agent on or off (its maker; admin for shared ones); one that is off cannot be started',
    params: id,
    query: z.strictObject({
      active: z
        .enum(['true', 'false'])
        .default('true')
        .transform((text) => text === 'true'),
    }),
    shows: ['active'],
    replies: { 200: agentSchema },
    handler: async ({ caller, params, query }) => {
      const agent = await activateAgent(caller, params.id, query.active);
      runs.forgetTargets();
      return { status: 200, body: agent };
    },
  }),
  route({
    method: 'delete',
    path: '/agents/:id',
    tag,
    summary: 'Delete an agent (its maker; admin for shared ones); 409 while other agents hand work to it',
    params: id,
    conditional: true,
    replies: { 204: null },
    handler: async ({ caller, params, req }) => {
      await deleteAgent(caller, params.id, expectedVersion(req));
      runs.forgetTargets();
      return { status: 204 };
    },
  }),
];
