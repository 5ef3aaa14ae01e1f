import { Compass } from 'lucide-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { Link, Navigate, Route, Routes, useLocation } from 'react-router';
import { EmptyState } from './components/EmptyState.tsx';
import { Page } from './components/Page.tsx';
import { Activity } from './screens/activity/Activity.tsx';
import { Agents } from './screens/agents/Agents.tsx';
import { Chat } from './screens/chat/Chat.tsx';
import { AnyFiles, Files } from './screens/files/Files.tsx';
import { Frame } from './screens/frame/Frame.tsx';
import { Home } from './screens/home/Home.tsx';
import { Inbox } from './screens/inbox/Inbox.tsx';
import { Knowledge } from './screens/knowledge/Knowledge.tsx';
import { SourcePage } from './screens/knowledge/SourcePage.tsx';
import { RunPage } from './screens/run/RunPage.tsx';
import { Runs } from './screens/runs/Runs.tsx';
import { Settings } from './screens/settings/Settings.tsx';
import { SignIn } from './screens/sign-in/SignIn.tsx';
import { Tasks } from './screens/tasks/Tasks.tsx';
import { TreePage } from './screens/tree/TreePage.tsx';
import { session } from './session.ts';

/** The form of an agent is as large as most screens together, and opened by few. */
const AgentPage = lazy(() => import('./screens/agents/AgentPage.tsx'));
const NewAgentPage = lazy(() => import('./screens/agents/NewAgentPage.tsx'));

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
          <Link to="/" className="text-accent-ink underline">
            Go home
          </Link>
        }
      >
        The address may be mistyped. Ctrl K or ⌘ K finds every page there is.
      </EmptyState>
    </Page>
  );
}

export function App() {
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route element={<SignedIn />}>
        <Route index element={<Home />} />
        <Route path="inbox" element={<Inbox />} />
        <Route path="chat/:sessionId?" element={<Chat />} />
        <Route path="tasks" element={<Tasks />} />
        <Route path="runs" element={<Runs />} />
        <Route path="runs/:id" element={<RunPage />} />
        <Route path="runs/:id/tree" element={<TreePage />} />
        <Route path="files" element={<AnyFiles />} />
        <Route path="files/:notebookId/*" element={<Files />} />
        <Route path="knowledge" element={<Knowledge />} />
        <Route path="knowledge/:id" element={<SourcePage />} />
        <Route path="agents" element={<Agents />} />
        <Route path="agents/new" element={<Later title="New agent" of={NewAgentPage} />} />
        <Route path="agents/:id" element={<Later title="Agent" of={AgentPage} />} />
        <Route path="activity" element={<Activity />} />
        <Route path="settings" element={<Settings />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}
