import { Check, ChevronsUpDown, Keyboard, LogOut, Plus } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useMe, useWorkspace } from '../../queries.ts';
import { session } from '../../session.ts';
import { NewWorkspace } from './NewWorkspace.tsx';

const ITEM =
  'flex h-8 items-center gap-2 rounded px-2 outline-none select-none data-highlighted:bg-hover pointer-coarse:h-10';

interface Props {
  compact?: boolean;
  /** Where there is a keyboard: shows what it can do. */
  onKeys?: () => void;
}

export function WorkspaceSwitcher({ compact = false, onKeys }: Props) {
  const { data: me } = useMe();
  const workspace = useWorkspace();
  const name = workspace?.name ?? (me ? 'No workspace' : '');
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label={compact ? `Workspace: ${name}` : undefined}
          title={name}
          className="flex h-10 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left hover:bg-hover"
        >
          <span
            aria-hidden
            className="flex size-6 shrink-0 items-center justify-center rounded bg-accent text-small font-semibold text-on-accent"
          >
            {name.charAt(0).toUpperCase() || '·'}
          </span>
          {!compact && (
            <>
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">
                  <span className="sr-only">Workspace: </span>
                  {name}
                </span>
                <span className="block truncate text-small text-faint">{me?.organization.name}</span>
              </span>
              <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-faint" />
            </>
          )}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            sideOffset={4}
            className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-64 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <DropdownMenu.Label className="px-2 py-1 text-small text-faint">Workspaces</DropdownMenu.Label>
            {me?.workspaces.map(({ id, name: each, role }) => (
              <DropdownMenu.Item key={id} className={ITEM} onSelect={() => session.chooseWorkspace(id)}>
                <span className="min-w-0 flex-1 truncate">{each}</span>
                <span className="text-small text-faint">{role}</span>
                <Check aria-hidden size={14} className={id === workspace?.id ? 'text-accent-ink' : 'invisible'} />
              </DropdownMenu.Item>
            ))}
            {me?.user.is_owner && (
              <DropdownMenu.Item className={ITEM} onSelect={() => setMaking(true)}>
                <Plus aria-hidden size={14} className="text-faint" /> New workspace
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            <DropdownMenu.Label className="truncate px-2 py-1 text-small text-faint">
              {me?.user.email}
            </DropdownMenu.Label>
            {onKeys && (
              <DropdownMenu.Item className={ITEM} onSelect={onKeys}>
                <Keyboard aria-hidden size={14} className="text-faint" />
                <span className="flex-1">Keyboard shortcuts</span>
                <kbd className="font-sans text-small text-faint">?</kbd>
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={ITEM} onSelect={session.end}>
              <LogOut aria-hidden size={14} className="text-faint" /> Sign out
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {isMaking && <NewWorkspace onClose={() => setMaking(false)} />}
    </>
  );
}
