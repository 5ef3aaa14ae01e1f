import { definitionRoutes } from '../definition-routes.ts';
import type { Route } from '../route.ts';

/** Before those of agents: `agents/tools` is no agent called tools. */
export const toolRoutes = (): Route[] =>
  definitionRoutes({ kind: 'tool', tag: 'Tools', path: 'agents/tools', ids: 'tool_ids', shows: ['entrypoint'] });

export const workflowDefinitionRoutes = (): Route[] =>
  definitionRoutes({ kind: 'workflow', tag: 'Workflows', path: 'agents/workflows', ids: 'workflow_ids', shows: [] });

export const evaluatorRoutes = (): Route[] =>
  definitionRoutes({ kind: 'evaluator', tag: 'Evaluators', path: 'agents/evals', ids: 'eval_ids', shows: [] });
