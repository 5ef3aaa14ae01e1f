import { type ComponentType, lazy } from 'react';

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

const often: (() => Promise<unknown>)[] = [];

/** A screen that people come to often: fetched while the browser has nothing better to do. */
function daily<P extends object>(load: Load<P>) {
  often.push(load);
  return lazy(load);
}

/** The first screen shows before the others are there; by the time somebody moves on, they are. */
export function fetchAhead(): void {
  const fetchAll = () => void Promise.allSettled(often.map((load) => load()));
  if ('requestIdleCallback' in window) window.requestIdleCallback(fetchAll, { timeout: 5_000 });
  else setTimeout(fetchAll, 2_000);
}

export const Home = daily(async () => ({ default: (await import('./screens/home/Home.tsx')).Home }));
export const Inbox = daily(async () => ({ default: (await import('./screens/inbox/Inbox.tsx')).Inbox }));
export const Runs = daily(async () => ({ default: (await import('./screens/runs/Runs.tsx')).Runs }));
export const RunPage = daily(async () => ({ default: (await import('./screens/run/RunPage.tsx')).RunPage }));
export const Chat = daily(async () => ({ default: (await import('./screens/chat/Chat.tsx')).Chat }));
export const Tasks = daily(async () => ({ default: (await import('./screens/tasks/Tasks.tsx')).Tasks }));
export const Files = daily(async () => ({ default: (await import('./screens/files/Files.tsx')).Files }));
export const AnyFiles = daily(async () => ({ default: (await import('./screens/files/Files.tsx')).AnyFiles }));
export const Agents = daily(async () => ({ default: (await import('./screens/agents/Agents.tsx')).Agents }));
export const Definitions = daily(async () => ({
  default: (await import('./screens/definitions/Definitions.tsx')).Definitions,
}));
export const Settings = daily(async () => ({ default: (await import('./screens/settings/Settings.tsx')).Settings }));

/** What lies over the page: nothing of it is needed to see the first one. */
export const CommandPalette = daily(async () => ({
  default: (await import('./screens/frame/CommandPalette.tsx')).CommandPalette,
}));
export const Composer = daily(async () => ({ default: (await import('./screens/frame/Composer.tsx')).Composer }));
export const KeyHelp = daily(async () => ({ default: (await import('./screens/frame/KeyHelp.tsx')).KeyHelp }));

export const TreePage = lazy(async () => ({ default: (await import('./screens/tree/TreePage.tsx')).TreePage }));
export const Knowledge = lazy(async () => ({ default: (await import('./screens/knowledge/Knowledge.tsx')).Knowledge }));
export const SourcePage = lazy(async () => ({
  default: (await import('./screens/knowledge/SourcePage.tsx')).SourcePage,
}));
export const Activity = lazy(async () => ({ default: (await import('./screens/activity/Activity.tsx')).Activity }));
/** The form of an agent is as large as most screens together, and opened by few. */
export const AgentPage = lazy(() => import('./screens/agents/AgentPage.tsx'));
export const NewAgentPage = lazy(() => import('./screens/agents/NewAgentPage.tsx'));
export const DefinitionPage = lazy(() => import('./screens/definitions/DefinitionPage.tsx'));
export const McpServersPage = lazy(() => import('./screens/definitions/McpServersPage.tsx'));
export const JobPage = lazy(() => import('./screens/edits/JobPage.tsx'));
export const Checkpoints = lazy(() => import('./screens/edits/Checkpoints.tsx'));
export const CheckpointPage = lazy(() => import('./screens/edits/CheckpointPage.tsx'));
export const Workflows = lazy(() => import('./screens/workflows/Workflows.tsx'));
export const WorkflowPage = lazy(async () => {
  await import('./plain-schemas.ts');
  return import('./screens/workflows/WorkflowPage.tsx');
});
export const TriggersPage = lazy(async () => {
  await import('./plain-schemas.ts');
  return import('./screens/triggers/TriggersPage.tsx');
});
