import { type CreateAgent, createAgentBody } from '../domain/agent.ts';
import { DISPATCHER_PROMPT } from '../domain/dispatch-decision.ts';
import { DISPATCHER_SLUG } from '../domain/usual-agent.ts';
import { newId } from './ids.ts';

const idIn = (workspaceId: string): string => newId('agt', `dispatcher of ${workspaceId}`);

/** Nothing is handed to it: it is what hands on. */
export const isDispatcher = (agentId: string, workspaceId: string): boolean => agentId === idIn(workspaceId);

const definition = (workspace_id: string, model: string): CreateAgent =>
  createAgentBody.parse({
    workspace_id,
    name: 'Dispatcher',
    description: 'Decides which tools and agents a request is handed to.',
    model,
    system_prompt: DISPATCHER_PROMPT,
    can_read: false,
    system_tools: [],
    max_tokens_per_request: 1_500,
    max_iterations: 2,
    max_token_budget: 200_000,
    max_requests_per_hour: null,
    // Whoever waits for a decision is better served by the shortlist than by another try.
    max_schema_retries: 0,
    visibility: 'workspace',
  });

/** The built-in agent `dispatcher` of a workspace. */
export const dispatcherIn = (workspaceId: string, model: string) => ({
  ...definition(workspaceId, model),
  id: idIn(workspaceId),
  slug: DISPATCHER_SLUG,
});
