import { type Eligible, isForModels, mayUseTool } from '../domain/dispatch-candidates.ts';
import type { Caller } from '../domain/identity.ts';
import { parametersOf, type ToolContent, type ToolDefinition, toolSchema } from '../domain/tool-definition.ts';
import { agentCollection, visibleTo } from './agent-record.ts';
import { builtinTools } from './builtin-tools.ts';
import { activeFor, definitionCollection } from './definition-record.ts';
import { isDispatcher } from './dispatcher-agent.ts';

/** Of each kind; a query among more than that is better asked within a workspace. */
const MOST = 2_000;

type StoredTool = Pick<ToolDefinition, 'id' | 'name' | 'description' | 'workspace_id'> & {
  /** Sound since it was stored; older ones have no examples. */
  content: Omit<ToolContent, 'examples'> & Partial<Pick<ToolContent, 'examples'>>;
};

const BUILTIN: StoredTool[] = builtinTools().flatMap((definition) => {
  const { id, name, description, workspace_id, ...content } = toolSchema.parse(definition);
  return isForModels(name) ? [] : [{ id, name, description, workspace_id, content }];
});

async function toolsOf(caller: Caller, workspaceId: string | undefined): Promise<Eligible[]> {
  const stored = await definitionCollection()
    .find({ $and: [activeFor(caller, 'tool', workspaceId)] })
    .project<StoredTool>({ id: '$_id', name: 1, description: 1, workspace_id: 1, content: 1 })
    .sort({ _id: 1 })
    .limit(MOST)
    .toArray();
  return [...BUILTIN, ...stored].flatMap(({ id, name, description, workspace_id, content }): Eligible[] => {
    const { scopes, examples = [], entrypoint, schema } = content;
    if (!mayUseTool(caller, entrypoint, workspace_id ?? workspaceId ?? null)) return [];
    return [{ kind: 'tool', id, name, description, scopes, examples, workspace_id, parameters: parametersOf(schema) }];
  });
}

async function agentsOf(caller: Caller, workspaceId: string | undefined): Promise<Eligible[]> {
  const found = await agentCollection()
    .find({ $and: [{ is_active: true }, visibleTo(caller, workspaceId)] })
    .project<{ _id: string; name: string; description?: string; examples?: string[]; workspace_id: string }>({
      name: 1,
      description: 1,
      examples: 1,
      workspace_id: 1,
    })
    .sort({ _id: 1 })
    .limit(MOST)
    .toArray();
  return found
    .filter(({ _id, workspace_id }) => !isDispatcher(_id, workspace_id))
    .map(({ _id, name, description, examples, workspace_id }) => ({
      kind: 'agent',
      id: _id,
      name,
      description: description ?? '',
      scopes: [],
      examples: examples ?? [],
      workspace_id,
      parameters: null,
    }));
}

/** Everything a query of the caller may be handed to: what they see, is on, and their role is enough for. */
export async function eligibleFor(caller: Caller, workspaceId?: string): Promise<Eligible[]> {
  const [tools, agents] = await Promise.all([toolsOf(caller, workspaceId), agentsOf(caller, workspaceId)]);
  return [...tools, ...agents];
}
