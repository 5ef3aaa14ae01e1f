import { type CreateAgent, createAgentBody } from '../domain/agent.ts';
import { EDITOR_PROMPT } from '../domain/edits/job-agent.ts';
import { EDITOR_SLUG } from '../domain/usual-agent.ts';
import { newId } from './ids.ts';

const definition = (workspace_id: string, model: string): CreateAgent =>
  createAgentBody.parse({
    workspace_id,
    name: 'Editor',
    description: 'Proposes edits to the files of a notebook; a person reviews each of them.',
    model,
    system_prompt: EDITOR_PROMPT,
    scope: { notebooks: ['*'] },
    can_write: true,
    can_create: true,
    max_tokens_per_request: 16_000,
    max_token_budget: 2_000_000,
    max_requests_per_hour: null,
    system_tools: [
      'read_file',
      'list_files',
      'search_project',
      'get_file_metadata',
      'read_result',
      'clarify_user',
      'propose_edits',
    ],
    visibility: 'workspace',
  });

/** The built-in agent `editor` of a workspace. */
export const editorIn = (workspaceId: string, model: string) => ({
  ...definition(workspaceId, model),
  id: newId('agt', `editor of ${workspaceId}`),
  slug: EDITOR_SLUG,
});
