import type { AppDeps } from '../app.ts';
import type { Route } from '../route.ts';
import { agentFileRoutes } from './agent-files.ts';
import { agentRoutes } from './agents.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { authRoutes } from './auth.ts';
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
  knowledgeRoutes,
  agentRoutes,
  agentFileRoutes,
  templateRoutes,
  probeRoutes,
  modelRoutes,
  quoteRoutes,
  runRoutes,
  runLifecycleRoutes,
  rationaleRoutes,
  inboxRoutes,
];

export const allRoutes = (deps: AppDeps): Route[] => NOUNS.flatMap((routesOf) => routesOf(deps));
