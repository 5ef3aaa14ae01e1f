import type { AppDeps } from '../app.ts';
import type { Route } from '../route.ts';
import { agentFileRoutes } from './agent-files.ts';
import { agentRoutes } from './agents.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { credentialRoutes } from './credentials.ts';
import { definitionVersionRoutes } from './definition-versions.ts';
import { evaluatorRoutes, toolRoutes, workflowDefinitionRoutes } from './definitions.ts';
import { dispatchRoutes } from './dispatch.ts';
import { editJobRoutes } from './edit-jobs.ts';
import { editRoutes } from './edits.ts';
import { eventRoutes } from './events.ts';
import { evidenceRoutes } from './evidence.ts';
import { executorRoutes } from './executors.ts';
import { fileRoutes } from './files.ts';
import { githubIntegrationRoutes } from './github-integration.ts';
import { inboxRoutes } from './inbox.ts';
import { integrationRoutes } from './integrations.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { meRoutes } from './me.ts';
import { memberRoutes } from './members.ts';
import { modelRoutes } from './models.ts';
import { notebookCredentialRoutes } from './notebook-credentials.ts';
import { notebookRoutes } from './notebooks.ts';
import { probeRoutes } from './probes.ts';
import { quoteRoutes } from './quotes.ts';
import { rationaleRoutes } from './rationales.ts';
import { runLifecycleRoutes } from './run-lifecycle.ts';
import { runRoutes } from './runs.ts';
import { scheduleRoutes } from './schedules.ts';
import { sessionRoutes } from './sessions.ts';
import { taskRoutes } from './tasks.ts';
import { templateRoutes } from './templates.ts';
import { workspaceRoutes } from './workspaces.ts';

/** A new noun is a file beside this one and a line here. The order is that of the reference page. */
const NOUNS: ((deps: AppDeps) => Route[])[] = [
  authRoutes,
  meRoutes,
  apiKeyRoutes,
  workspaceRoutes,
  memberRoutes,
  notebookRoutes,
  notebookCredentialRoutes,
  fileRoutes,
  knowledgeRoutes,
  // Before agents, or express would take `agents/tools` for an agent called tools.
  toolRoutes,
  workflowDefinitionRoutes,
  evaluatorRoutes,
  definitionVersionRoutes,
  // Before those with an id in the same place.
  githubIntegrationRoutes,
  integrationRoutes,
  agentRoutes,
  credentialRoutes,
  agentFileRoutes,
  mcpServerRoutes,
  templateRoutes,
  probeRoutes,
  modelRoutes,
  sessionRoutes,
  quoteRoutes,
  // Before runs, or express would take `runs/schedule` for a run called schedule.
  scheduleRoutes,
  runRoutes,
  runLifecycleRoutes,
  rationaleRoutes,
  editRoutes,
  editJobRoutes,
  checkpointRoutes,
  eventRoutes,
  evidenceRoutes,
  dispatchRoutes,
  inboxRoutes,
  taskRoutes,
  auditRoutes,
  executorRoutes,
];

export const allRoutes = (deps: AppDeps): Route[] => NOUNS.flatMap((routesOf) => routesOf(deps));
