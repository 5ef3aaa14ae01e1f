import { z } from 'zod';
import { agentSchema } from '../../domain/agent.ts';
import { bindingSchema, ReadAgentFile, writeAgentFile } from '../../domain/agent-file.ts';
import { isFailure } from '../../domain/failures.ts';
import { findReferences, wantedBy } from '../../store/agent-references.ts';
import { createAgent, findAgent } from '../../store/agents.ts';
import { demandWorkspace } from '../../store/workspaces.ts';
import { idOf, idParam } from '../ids.ts';
import { versionTag } from '../preconditions.ts';
import { type Route, route } from '../route.ts';

const tag = 'Agents';

export const importAgentBody = z.strictObject({
  workspace_id: idOf('ws'),
  yaml: z.string().min(1).max(500_000),
  binding: bindingSchema.optional(),
});

export const agentFileRoutes = (): Route[] => [
  route({
    method: 'get',
    path: '/agents/:id/export',
    tag,
    summary: 'An agent as a file to keep or to take elsewhere: names in place of ids, and no secrets',
    params: idParam('agt'),
    mediaType: 'text/yaml',
    replies: { 200: z.string() },
    handler: async ({ caller, params }) => {
      const agent = await findAgent(caller, params.id);
      const names = await findReferences(caller, agent.workspace_id, wantedBy(agent), 'id');
      const headers = { 'Content-Disposition': `inline; filename="${agent.slug}.agent.yaml"` };
      return { status: 200, body: writeAgentFile(agent, names), headers };
    },
  }),
  route({
    method: 'post',
    path: '/agents/import',
    tag,
    summary:
      'Make an agent of a file (write); `binding` says what is different here: model, limits, notebooks, who sees it',
    body: importAgentBody,
    shows: ['workspace_id'],
    replies: { 201: agentSchema },
    handler: async ({ caller, newId, body: { workspace_id, yaml, binding = {} } }) => {
      await demandWorkspace(caller, workspace_id, 'write', 'make agents');
      const read = ReadAgentFile.of(yaml);
      const found = await findReferences(caller, workspace_id, read.names(), 'name');
      // What the file would like to be called gives way where it is taken; what the binding says does not.
      const { slug: slug_wish, ...definition } = read.bound(binding, found);
      const named = binding.slug === undefined ? { slug_wish } : { slug: binding.slug };
      try {
        const agent = await createAgent(caller, { ...definition, ...named, workspace_id, id: newId('agt') });
        return { status: 201, body: agent, headers: versionTag(agent.version) };
      } catch (error) {
        throw isFailure(error) ? read.located(error) : error;
      }
    },
  }),
];
