import { Bot, CornerDownLeft, LogOut, type LucideIcon, MessagesSquare, Moon, Play, Plus, Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { inputLine } from '../../format.ts';
import { useAgents, useMe, useWorkspace } from '../../queries.ts';
import { session } from '../../session.ts';
import { lookOf } from '../../status.ts';
import { THEMES, useTheme } from '../../theme/theme.ts';
import { useLatestRuns } from '../runs/run-list.ts';
import { useComposer } from './composer.ts';
import { API_REFERENCE, PAGES, PARTS } from './pages.ts';

interface Command {
  id: string;
  group: string;
  name: string;
  aside?: string;
  /** Instead of the palette; nothing to those who have no keyboard. */
  keys?: string;
  icon: LucideIcon;
  run: () => void;
}

function useCommands(isOpen: boolean): Command[] {
  const navigate = useNavigate();
  const compose = useComposer();
  const [theme, setTheme] = useTheme();
  const { data: me } = useMe();
  const { data: agents = [] } = useAgents();
  const { data: runs = [] } = useLatestRuns({ limit: 20, enabled: isOpen });
  const workspace = useWorkspace();
  return [
    { id: 'new', group: 'Actions', name: 'New run', keys: 'c', icon: Plus, run: () => compose() },
    { id: 'new-agent', group: 'Actions', name: 'New agent', icon: Bot, run: () => void navigate('/agents/new') },
    { id: 'new-chat', group: 'Actions', name: 'New chat', icon: MessagesSquare, run: () => void navigate('/chat') },
    ...PAGES.map(({ to, name, icon, key }) => ({
      id: to,
      group: 'Go to',
      name,
      keys: `g ${key}`,
      icon,
      run: () => void navigate(to),
    })),
    ...PARTS.map(({ to, name, aside, icon }) => ({
      id: to,
      group: 'Go to',
      name,
      aside,
      icon,
      run: () => void navigate(to),
    })),
    {
      id: API_REFERENCE.to,
      group: 'Go to',
      name: API_REFERENCE.name,
      icon: API_REFERENCE.icon,
      run: () => void window.open(API_REFERENCE.to, '_blank', 'noopener'),
    },
    ...agents
      .filter((agent) => agent.is_active)
      .map(({ id, name }) => ({
        id,
        group: 'Actions',
        name: `New run with ${name}`,
        icon: Bot,
        run: () => compose({ agent_id: id }),
      })),
    ...runs.map(({ id, input, agent_name, status }) => ({
      id,
      group: 'Recent runs',
      name: inputLine(input) || id,
      aside: `${agent_name} · ${lookOf(status).word}`,
      icon: Play,
      run: () => void navigate(`/runs/${encodeURIComponent(id)}`),
    })),
    ...(me?.workspaces ?? [])
      .filter(({ id }) => id !== workspace?.id)
      .map(({ id, name }) => ({
        id,
        group: 'Workspaces',
        name: `Switch to ${name}`,
        icon: CornerDownLeft,
        run: () => session.chooseWorkspace(id),
      })),
    ...THEMES.filter((each) => each !== theme).map((each) => ({
      id: `theme-${each}`,
      group: 'Actions',
      name: `Theme: ${each}`,
      icon: Moon,
      run: () => setTheme(each),
    })),
    { id: 'sign-out', group: 'Actions', name: 'Sign out', icon: LogOut, run: session.end },
  ];
}

const fits = (command: Command, words: readonly string[]): boolean => {
  const text = `${command.name} ${command.aside ?? ''} ${command.group} ${command.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

const GROUPS = ['Go to', 'Actions', 'Recent runs', 'Workspaces'];

export function CommandPalette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[60vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search or run a command</Dialog.Title>
          <Choices onDone={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const commands = useCommands(true).filter((command) => fits(command, words));
  const ordered = GROUPS.flatMap((group) => commands.filter((command) => command.group === group));
  const chosen = ordered[Math.min(at, ordered.length - 1)];

  const take = (command: Command | undefined): void => {
    if (!command) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && ordered.length > 0) {
      event.preventDefault();
      const next = (Math.min(at, ordered.length - 1) + step + ordered.length) % ordered.length;
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      take(chosen);
    }
  };

  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden size={16} className="shrink-0 text-faint" />
        <input
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${ordered.indexOf(chosen)}` : undefined}
          placeholder="Pages, actions, runs"
          // biome-ignore lint/a11y/noAutofocus: the palette was opened to type here
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent outline-none"
        />
        <kbd className="rounded border border-line px-1.5 font-sans text-small text-faint max-sm:hidden">Esc</kbd>
      </div>
      <div id={list} role="listbox" aria-label="Commands" className="overflow-y-auto p-2">
        {ordered.map((command, index) => (
          <div key={`${command.group}-${command.id}`} className="contents">
            {command.group !== ordered[index - 1]?.group && (
              <p role="presentation" className="px-2 pt-2 pb-1 text-small text-faint">
                {command.group}
              </p>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard goes through the search field above */}
            <div
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={command === chosen}
              onClick={() => take(command)}
              onMouseMove={() => setAt(index)}
              className="flex h-9 items-center gap-2.5 rounded-md px-2 aria-selected:bg-chosen pointer-coarse:h-11"
            >
              <command.icon aria-hidden size={15} className="shrink-0 text-faint" />
              <span className="min-w-0 flex-1 truncate">{command.name}</span>
              {command.aside && <span className="max-w-48 truncate text-small text-faint">{command.aside}</span>}
              {command.keys && (
                <kbd className="font-sans text-small text-faint pointer-coarse:hidden">{command.keys}</kbd>
              )}
            </div>
          </div>
        ))}
        {ordered.length === 0 && <p className="px-2 py-6 text-center text-soft">Nothing is called “{text}”.</p>}
      </div>
    </>
  );
}
