import { z } from 'zod';
import {
  type Agent,
  changeAgentBody,
  completeAgent,
  createAgentBody,
  iterationsOf,
  type Operation,
  operationSchema,
} from './agent.ts';
import { needsConfirmation } from './confirmation.ts';
import { isFailure } from './failures.ts';
import { boundOfCaller } from './rights.ts';
import { emptyState } from './run-state.ts';
import { CAPABILITY, coversEvery, notebookPath, scopeVerdict } from './scope.ts';

export const probeBody = z
  .strictObject({
    agent_id: z.string().optional(),
    /** One that is still being thought about: whatever is not said is as in a new agent. */
    agent: changeAgentBody.optional(),
    notebook_id: z.string(),
    path: z.string().max(4096),
    operation: operationSchema,
  })
  .refine((body) => (body.agent_id === undefined) !== (body.agent === undefined), {
    message: 'give either agent_id or agent',
    path: ['agent_id'],
  });

export const probeSchema = z.object({
  allowed: z.boolean(),
  /** By which rule, in words. */
  rule: z.string(),
  /** When a person is asked first; null where it is not allowed anyway. */
  asks: z.enum(['always', 'first_time', 'never']).nullable(),
  /** As it was judged. */
  path: z.string(),
});
export type Probe = z.infer<typeof probeSchema>;

/** What a person would try, as the guard sees it. */
export interface Attempt {
  notebook: { id: string; kind: 'folder' | 'git' };
  operation: Operation;
  path: string;
}

/** The tools that need an operation, the one that is meant by it first. */
const TOOLS: Record<Operation, string[]> = {
  read: ['read_file', 'list_files', 'search_project', 'get_file_metadata'],
  write: ['write_file', 'update_file_properties'],
  create: ['create_file', 'write_file'],
  delete: ['delete_file'],
  execute: ['command', 'command.run', 'command.test'],
};

export const draftAgent = (workspaceId: string, draft: z.infer<typeof changeAgentBody>): Agent =>
  completeAgent({
    ...createAgentBody.parse({ name: 'Draft', model: 'demo/draft', ...withoutState(draft), workspace_id: workspaceId }),
    ...iterationsOf(draft.max_iterations),
    id: '',
    slug: '',
    is_active: true,
    is_builtin: false,
    version: 1,
    created_by: '',
    created_at: '',
  });

const withoutState = ({ is_active: _, ...definition }: z.infer<typeof changeAgentBody>) => definition;

function ruling(agent: Agent, mayWrite: boolean, attempt: Attempt): { allowed: boolean; rule: string } {
  const { notebook, operation, path } = attempt;
  const verdict = scopeVerdict(agent, notebook.id, operation, path);
  if (!verdict.allowed) return verdict;
  if (!boundOfCaller(mayWrite).flags[CAPABILITY[operation]]) {
    return { allowed: false, rule: 'your role in the workspace is read: runs you start change nothing' };
  }
  if (operation === 'execute' && !coversEvery('file', agent.scope)) {
    return {
      allowed: false,
      rule: 'a command sees the whole notebook, and its folder or file-type rules cover only a part',
    };
  }
  const tools = TOOLS[operation];
  if (agent.system_tools !== null && tools.length > 0 && !tools.some((name) => agent.system_tools?.includes(name))) {
    return { allowed: false, rule: `system_tools lists no tool for the operation ${operation}` };
  }
  return verdict;
}

function asking(agent: Agent, { notebook, operation }: Attempt): Probe['asks'] {
  const name = TOOLS[operation][0] ?? operation;
  const tool = { name, operation, effect: operation !== 'read', asks: false };
  const rules = { policy: agent.confirmation, notebook_kind: notebook.kind };
  if (!needsConfirmation(tool, emptyState(), rules)) return 'never';
  return agent.confirmation[name] === 'first_time' ? 'first_time' : 'always';
}

/** What a run of this agent could do there, started by somebody who may write or only read. */
export function probe(agent: Agent, mayWrite: boolean, attempt: Attempt): Probe {
  let path: string;
  try {
    path = notebookPath(attempt.path);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { allowed: false, rule: error.message, asks: null, path: attempt.path };
  }
  const judged = { ...attempt, path };
  const { allowed, rule } = ruling(agent, mayWrite, judged);
  return { allowed, rule, asks: allowed ? asking(agent, judged) : null, path };
}
