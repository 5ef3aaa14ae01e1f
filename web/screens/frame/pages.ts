import {
  BookOpen,
  Bot,
  Braces,
  FolderTree,
  Gauge,
  GitPullRequest,
  History,
  House,
  Inbox,
  KeyRound,
  ListTodo,
  ListTree,
  LockKeyhole,
  type LucideIcon,
  MessagesSquare,
  NotebookText,
  Plug,
  PlugZap,
  ScrollText,
  Settings,
  ToggleRight,
  Users,
  Webhook,
  Workflow,
  Wrench,
  Zap,
} from 'lucide-react';

export interface PageLink {
  to: string;
  name: string;
  icon: LucideIcon;
  /** Pressed after g. */
  key: string;
  /** Where else one is still on this page. */
  also?: string[];
}

interface PageGroup {
  name: string;
  pages: PageLink[];
}

/** The pages there are, grouped by what one comes for: rail, bottom bar, command palette and keyboard all read this. */
export const PAGE_GROUPS: PageGroup[] = [
  {
    name: 'Work',
    pages: [
      { to: '/', name: 'Home', icon: House, key: 'h' },
      { to: '/inbox', name: 'Inbox', icon: Inbox, key: 'i' },
      { to: '/chat', name: 'Chat', icon: MessagesSquare, key: 'c' },
      { to: '/runs', name: 'Runs', icon: ListTree, key: 'r' },
      { to: '/tasks', name: 'Tasks', icon: ListTodo, key: 't' },
    ],
  },
  {
    name: 'Content',
    pages: [
      { to: '/files', name: 'Files', icon: FolderTree, key: 'f', also: ['/edits', '/checkpoints'] },
      { to: '/knowledge', name: 'Knowledge', icon: BookOpen, key: 'k' },
    ],
  },
  {
    name: 'Build',
    pages: [
      { to: '/agents', name: 'Agents', icon: Bot, key: 'a' },
      { to: '/workflows', name: 'Workflows', icon: Workflow, key: 'w' },
      { to: '/triggers', name: 'Triggers', icon: Zap, key: 'x' },
      { to: '/tools', name: 'Tools', icon: Wrench, key: 'o', also: ['/integrations', '/mcp-servers'] },
      { to: '/evaluators', name: 'Evaluators', icon: Gauge, key: 'e' },
    ],
  },
  {
    name: 'Workspace',
    pages: [
      { to: '/activity', name: 'Activity', icon: ScrollText, key: 'y' },
      { to: '/settings', name: 'Settings', icon: Settings, key: 's' },
    ],
  },
];

export const PAGES: PageLink[] = PAGE_GROUPS.flatMap(({ pages }) => pages);

/** What lies within a page, for those who look for it by its own name. */
export const PARTS: { to: string; name: string; aside: string; icon: LucideIcon }[] = [
  { to: '/checkpoints', name: 'Checkpoints', aside: 'edits that were applied', icon: History },
  { to: '/triggers?view=webhooks', name: 'Webhooks', aside: 'Triggers', icon: Webhook },
  { to: '/integrations', name: 'Integrations', aside: 'Tools', icon: PlugZap },
  { to: '/mcp-servers', name: 'MCP servers', aside: 'Tools', icon: Plug },
  { to: '/settings#notebooks', name: 'Notebooks', aside: 'Settings', icon: NotebookText },
  { to: '/settings#members', name: 'Members', aside: 'Settings', icon: Users },
  { to: '/settings#github', name: 'GitHub', aside: 'Settings', icon: GitPullRequest },
  { to: '/settings#api-keys', name: 'API keys', aside: 'Settings', icon: KeyRound },
  { to: '/settings#password', name: 'Password', aside: 'Settings', icon: LockKeyhole },
  { to: '/settings#dispatcher', name: 'Enabled tools and agents', aside: 'Settings', icon: ToggleRight },
];

interface Making {
  to: string;
  name: string;
  icon: LucideIcon;
  /** The least that is needed for it. */
  role: 'write' | 'admin';
}

/** Everything that can be made, and where. */
export const MAKES: Making[] = [
  { to: '/tasks?new', name: 'New task', icon: ListTodo, role: 'write' },
  { to: '/agents/new', name: 'New agent', icon: Bot, role: 'write' },
  { to: '/workflows/new', name: 'New workflow', icon: Workflow, role: 'write' },
  { to: '/triggers?new', name: 'New schedule', icon: Zap, role: 'write' },
  { to: '/triggers?view=webhooks&new', name: 'New webhook', icon: Webhook, role: 'write' },
  { to: '/tools/new', name: 'New tool', icon: Wrench, role: 'write' },
  { to: '/evaluators/new', name: 'New evaluator', icon: Gauge, role: 'write' },
  { to: '/knowledge', name: 'Add documents', icon: BookOpen, role: 'write' },
  { to: '/integrations/new', name: 'New integration', icon: PlugZap, role: 'admin' },
  { to: '/mcp-servers', name: 'Add MCP server', icon: Plug, role: 'admin' },
  { to: '/settings#notebooks', name: 'Add notebook', icon: NotebookText, role: 'admin' },
  { to: '/settings#members', name: 'Invite member', icon: Users, role: 'admin' },
];

export const mayMake = (needs: Making['role'], role: string | undefined): boolean =>
  role === 'admin' || (role === 'write' && needs === 'write');

export const API_REFERENCE = { to: '/docs', name: 'API reference', icon: Braces };

export const isOn = (pathname: string, { to, also = [] }: PageLink): boolean =>
  to === '/' ? pathname === '/' : [to, ...also].some((each) => pathname === each || pathname.startsWith(`${each}/`));
