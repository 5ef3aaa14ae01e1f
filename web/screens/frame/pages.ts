import {
  BookOpen,
  Bot,
  FolderTree,
  House,
  Inbox,
  ListTodo,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  ScrollText,
  Settings,
} from 'lucide-react';

export interface PageLink {
  to: string;
  name: string;
  icon: LucideIcon;
  /** Pressed after g. */
  key: string;
}

/** The pages there are: rail, bottom bar, command palette and keyboard all read this list. */
export const PAGES: PageLink[] = [
  { to: '/', name: 'Home', icon: House, key: 'h' },
  { to: '/inbox', name: 'Inbox', icon: Inbox, key: 'i' },
  { to: '/chat', name: 'Chat', icon: MessagesSquare, key: 'c' },
  { to: '/runs', name: 'Runs', icon: ListTree, key: 'r' },
  { to: '/tasks', name: 'Tasks', icon: ListTodo, key: 't' },
  { to: '/files', name: 'Files', icon: FolderTree, key: 'f' },
  { to: '/agents', name: 'Agents', icon: Bot, key: 'a' },
  { to: '/knowledge', name: 'Knowledge', icon: BookOpen, key: 'k' },
  { to: '/activity', name: 'Activity', icon: ScrollText, key: 'y' },
  { to: '/settings', name: 'Settings', icon: Settings, key: 's' },
];
