import {
  Bot,
  Building2,
  CornerDownLeft,
  FolderTree,
  Keyboard,
  LogOut,
  type LucideIcon,
  MessagesSquare,
  Moon,
  Play,
  Plus,
  Workflow,
} from 'lucide-react';
import { useNavigate } from 'react-router';
import { inputLine } from '../../format.ts';
import { pageActions } from '../../page-actions.ts';
import { useAgents, useMe, useNotebooks, useWorkspace } from '../../queries.ts';
import { session } from '../../session.ts';
import { useSessions } from '../../session-queries.ts';
import { lookOf } from '../../status.ts';
import { THEMES, useTheme } from '../../theme/theme.ts';
import { useLatestRuns } from '../runs/run-list.ts';
import { useWorkflows } from '../workflows/workflow-queries.ts';
import { useComposer } from './composer.ts';
import type { Group } from './found-commands.ts';
import { API_REFERENCE, MAKES, mayMake, PAGES, PARTS } from './pages.ts';

export interface Command {
  id: string;
  group: Group;
  name: string;
  aside?: string;
  /** Instead of the palette; nothing to those who have no keyboard. */
  keys?: string;
  icon: LucideIcon;
  run: () => void;
}

export interface Opens {
  onKeys: () => void;
  onNewWorkspace: () => void;
}

/** Every page and every action there is for who is signed in. */
export function useCommands({ onKeys, onNewWorkspace }: Opens): Command[] {
  const navigate = useNavigate();
  const compose = useComposer();
  const [theme, setTheme] = useTheme();
  const { data: me } = useMe();
  const { data: agents = [] } = useAgents();
  const { data: workflows = [] } = useWorkflows();
  const { data: notebooks = [] } = useNotebooks();
  const { data: runs = [] } = useLatestRuns({ limit: 20 });
  const chats = useSessions(false).data?.pages.flatMap(({ items }) => items) ?? [];
  const workspace = useWorkspace();
  const to = (path: string) => () => void navigate(path);
  const action = (id: string, name: string, icon: LucideIcon, run: () => void, keys?: string): Command => ({
    id,
    group: 'Actions',
    name,
    icon,
    run,
    ...(keys && { keys }),
  });

  return [
    ...pageActions().map(({ name, icon, run }): Command => ({ id: name, group: 'On this page', name, icon, run })),
    ...PAGES.map(
      ({ to: path, name, icon, key }): Command => ({
        id: path,
        group: 'Go to',
        name,
        keys: `g ${key}`,
        icon,
        run: to(path),
      }),
    ),
    ...PARTS.map(
      ({ to: path, name, aside, icon }): Command => ({ id: path, group: 'Go to', name, aside, icon, run: to(path) }),
    ),
    {
      id: API_REFERENCE.to,
      group: 'Go to',
      name: API_REFERENCE.name,
      icon: API_REFERENCE.icon,
      run: () => void window.open(API_REFERENCE.to, '_blank', 'noopener'),
    },
    action('new-run', 'New run', Plus, () => compose(), 'c'),
    action('new-chat', 'New chat', MessagesSquare, to('/chat')),
    ...MAKES.filter(({ role }) => mayMake(role, workspace?.role)).map(({ to: path, name, icon }) =>
      action(path, name, icon, to(path)),
    ),
    ...(me?.user.is_owner ? [action('new-workspace', 'New workspace', Building2, onNewWorkspace)] : []),
    ...THEMES.filter((each) => each !== theme).map((each) =>
      action(`theme-${each}`, `Theme: ${each}`, Moon, () => setTheme(each)),
    ),
    action('keys', 'Keyboard shortcuts', Keyboard, onKeys, '?'),
    action('sign-out', 'Sign out', LogOut, session.end),
    ...agents.flatMap(({ id, name, is_active }): Command[] => [
      { id, group: 'Agents', name, aside: 'open', icon: Bot, run: to(`/agents/${encodeURIComponent(id)}`) },
      ...(is_active
        ? [
            {
              id: `run-${id}`,
              group: 'Agents' as const,
              name: `New run with ${name}`,
              icon: Play,
              run: () => compose({ agent_id: id }),
            },
          ]
        : []),
    ]),
    ...workflows.map(
      ({ id, name }): Command => ({
        id,
        group: 'Workflows',
        name,
        icon: Workflow,
        run: to(`/workflows/${encodeURIComponent(id)}`),
      }),
    ),
    ...chats.map(
      ({ id, title, agent_name }): Command => ({
        id,
        group: 'Chats',
        name: title || 'New chat',
        aside: agent_name,
        icon: MessagesSquare,
        run: to(`/chat/${encodeURIComponent(id)}`),
      }),
    ),
    ...runs.map(
      ({ id, input, agent_name, status }): Command => ({
        id,
        group: 'Recent runs',
        name: inputLine(input) || id,
        aside: `${agent_name} · ${lookOf(status).word}`,
        icon: Play,
        run: to(`/runs/${encodeURIComponent(id)}`),
      }),
    ),
    ...notebooks.map(
      ({ id, name }): Command => ({
        id,
        group: 'Files',
        name: `Files of ${name}`,
        icon: FolderTree,
        run: to(`/files/${encodeURIComponent(id)}/`),
      }),
    ),
    ...(me?.workspaces ?? [])
      .filter(({ id }) => id !== workspace?.id)
      .map(
        ({ id, name }): Command => ({
          id,
          group: 'Workspaces',
          name: `Switch to ${name}`,
          icon: CornerDownLeft,
          run: () => session.chooseWorkspace(id),
        }),
      ),
  ];
}
