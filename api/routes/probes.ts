import { holds } from '../../domain/identity.ts';
import { draftAgent, probe, probeBody, probeSchema } from '../../domain/probe.ts';
import { findAgent } from '../../store/agents.ts';
import { findNotebook } from '../../store/notebooks.ts';
import { missing } from '../../store/tenancy.ts';
import { idOf } from '../ids.ts';
import { type Route, route } from '../route.ts';

export const newProbeBody = probeBody.safeExtend({ agent_id: idOf('agt').optional(), notebook_id: idOf('nb') });

export const probeRoutes = (): Route[] => [
  route({
    method: 'post',
    path: '/agents/probe',
    tag: 'Agents',
    summary: 'Whether an agent, or a draft of one, could do something to a path in a run of yours, and by which rule',
    body: newProbeBody,
    audit: 'refusals',
    replies: { 200: probeSchema },
    handler: async ({ caller, body: { agent_id, agent: draft = {}, notebook_id, operation, path } }) => {
      const notebook = await findNotebook(caller, notebook_id);
      const { workspace_id } = notebook;
      const agent = agent_id ? await findAgent(caller, agent_id) : draftAgent(workspace_id, draft);
      if (agent.workspace_id !== workspace_id)
        throw missing(`notebook of the workspace of ${agent.name}:`, notebook_id);
      const mayWrite = holds(caller, workspace_id, 'write');
      return { status: 200, body: probe(agent, mayWrite, { notebook, operation, path }) };
    },
  }),
];
