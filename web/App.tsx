import { Compass } from 'lucide-react';
import { type ComponentType, Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { ButtonLink } from './components/Button.tsx';
import { EmptyState } from './components/EmptyState.tsx';
import { Page } from './components/Page.tsx';
import { PLACES } from './definitions-api.ts';
import { KIND_WORDS } from './screens/definitions/kinds.ts';
import { Frame } from './screens/frame/Frame.tsx';
import { SignIn } from './screens/sign-in/SignIn.tsx';
import * as screens from './screens.ts';
import { session } from './session.ts';
import { modName } from './shortcuts.ts';

function SignedIn() {
  const token = session.useToken();
  const { pathname, search } = useLocation();
  if (token !== null) return <Frame key={token} />;
  const next = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/sign-in${next}`} replace />;
}

/** A screen that comes when it is opened; until then its place is kept. */
function Later({ title, of: Screen }: { title: string; of: ComponentType }) {
  return (
    <Suspense fallback={<Page title={title}>{null}</Page>}>
      <Screen />
    </Suspense>
  );
}

function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="There is no such page"
        action={
          <ButtonLink kind="primary" to="/">
            Go home
          </ButtonLink>
        }
      >
        The address may be mistyped. {modName()} K finds every page there is.
      </EmptyState>
    </Page>
  );
}

export function App() {
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route element={<SignedIn />}>
        <Route index element={<Later title="Home" of={screens.Home} />} />
        <Route path="inbox" element={<Later title="Inbox" of={screens.Inbox} />} />
        <Route path="chat/:sessionId?" element={<Later title="Chat" of={screens.Chat} />} />
        <Route path="tasks" element={<Later title="Tasks" of={screens.Tasks} />} />
        <Route path="runs" element={<Later title="Runs" of={screens.Runs} />} />
        <Route path="runs/:id" element={<Later title="Run" of={screens.RunPage} />} />
        <Route path="runs/:id/tree" element={<Later title="Tree of runs" of={screens.TreePage} />} />
        <Route path="files" element={<Later title="Files" of={screens.AnyFiles} />} />
        <Route path="files/:notebookId/*" element={<Later title="Files" of={screens.Files} />} />
        <Route path="edits/:jobId" element={<Later title="Edits" of={screens.JobPage} />} />
        <Route path="checkpoints" element={<Later title="Checkpoints" of={screens.Checkpoints} />} />
        <Route path="checkpoints/:id" element={<Later title="Checkpoint" of={screens.CheckpointPage} />} />
        <Route path="knowledge" element={<Later title="Knowledge" of={screens.Knowledge} />} />
        <Route path="knowledge/:id" element={<Later title="Document" of={screens.SourcePage} />} />
        <Route path="agents" element={<Later title="Agents" of={screens.Agents} />} />
        <Route path="agents/new" element={<Later title="New agent" of={screens.NewAgentPage} />} />
        <Route path="agents/:id" element={<Later title="Agent" of={screens.AgentPage} />} />
        <Route path="triggers" element={<Later title="Triggers" of={screens.TriggersPage} />} />
        {(['tool', 'integration', 'evaluator'] as const).map((kind) => (
          <Route key={kind} path={PLACES[kind].page.slice(1)}>
            <Route
              index
              element={
                <Suspense key={kind} fallback={<Page title={KIND_WORDS[kind].title}>{null}</Page>}>
                  <screens.Definitions kind={kind} />
                </Suspense>
              }
            />
            <Route
              path=":id"
              element={
                <Suspense fallback={<Page title={KIND_WORDS[kind].title}>{null}</Page>}>
                  <screens.DefinitionPage kind={kind} />
                </Suspense>
              }
            />
          </Route>
        ))}
        <Route path="mcp-servers" element={<Later title="MCP servers" of={screens.McpServersPage} />} />
        <Route path="workflows" element={<Later title="Workflows" of={screens.Workflows} />} />
        <Route path="workflows/new" element={<Later title="New workflow" of={screens.WorkflowPage} />} />
        <Route path="workflows/:id" element={<Later title="Workflow" of={screens.WorkflowPage} />} />
        <Route path="activity" element={<Later title="Activity" of={screens.Activity} />} />
        <Route path="settings" element={<Later title="Settings" of={screens.Settings} />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}
