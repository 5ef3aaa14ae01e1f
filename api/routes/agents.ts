import { z } from 'zod';
import { agentSchema, createAgentBody } from '../../domain/agent.ts';
import { Failure } from '../../domain/failures.ts';
import { modeProblem } from '../../domain/hybrid.ts';
import { parseModel } from '../../domain/model.ts';
import { modePolicyOf } from '../../domain/model-choice.ts';
import { argumentCheck } from '../../domain/output-schema.ts';
import { createAgent, findAgent, listAgents } from '../../store/agents.ts';
import { idOf, idParam } from '../ids.ts';
import { pageQuery, pageSchema } from '../paging.ts';
import { type Route, route } from '../route.ts';

export const newAgentBody = createAgentBody.extend({ workspace_id: idOf('ws') });

/** What an auditor wants to see of an agent that is made or changed; its prompt may hold what is nobody's business. */
const RIGHTS = [
  'can_read',
  'can_write',
  'can_create',
  'can_delete',
  'can_execute_code',
  'can_access_integrations',
  'delegated_agents',
  'grants',
  'confirmation',
] as const;

/** What could only fail once it runs is refused now. */
function demandUsable(body: z.infer<typeof newAgentBody>): void {
  for (const model of [body.model, body.local_model, body.remote_model]) if (model !== null) parseModel(model);
  const problem = modeProblem(modePolicyOf(body));
  if (problem) throw new Failure('invalid_request', problem, { in: 'body', agent_mode: body.agent_mode });
  for (const { input_schema = null, output_schema = null } of body.delegated_agents) {
    argumentCheck(input_schema);
    argumentCheck(output_schema);
  }
}

export const agentRoutes = (): Route[] => [
  route({
    method: 'post',
    path: '/agents',
    tag: 'Agents',
    summary: 'Make an agent (write; admin to share it with the workspace)',
    body: newAgentBody,
    shows: ['workspace_id', 'name', 'slug', 'model', 'scope', 'visibility', ...RIGHTS],
    replies: { 201: agentSchema },
    handler: async ({ caller, newId, body }) => {
      demandUsable(body);
      return { status: 201, body: await createAgent(caller, { ...body, id: newId('agt') }) };
    },
  }),
  route({
    method: 'get',
    path: '/agents',
    tag: 'Agents',
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
    tag: 'Agents',
    summary: 'One agent',
    params: idParam('agt'),
    replies: { 200: agentSchema },
    handler: async ({ caller, params }) => ({ status: 200, body: await findAgent(caller, params.id) }),
  }),
];
