import type { AppDeps } from '../app.ts';
import type { Route } from '../route.ts';
import { agentFileRoutes } from './agent-files.ts';
import { agentRoutes } from './agents.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { credentialRoutes } from './credentials.ts';
import { fileRoutes } from './files.ts';
import { inboxRoutes } from './inbox.ts';
import { knowledgeRoutes } from './knowledge.ts';
import { meRoutes } from './me.ts';
import { memberRoutes } from './members.ts';
import { modelRoutes } from './models.ts';
import { notebookRoutes } from './notebooks.ts';
import { probeRoutes } from './probes.ts';
import { quoteRoutes } from './quotes.ts';
import { rationaleRoutes } from './rationales.ts';
import { runLifecycleRoutes } from './run-lifecycle.ts';
import { runRoutes } from './runs.ts';
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
  fileRoutes,
  knowledgeRoutes,
  agentRoutes,
  credentialRoutes,
  agentFileRoutes,
  templateRoutes,
  probeRoutes,
  modelRoutes,
  sessionRoutes,
  quoteRoutes,
  runRoutes,
  runLifecycleRoutes,
  rationaleRoutes,
  inboxRoutes,
  taskRoutes,
  auditRoutes,
];

export const allRoutes = (deps: AppDeps): Route[] => NOUNS.flatMap((routesOf) => routesOf(deps));
