import { Ellipsis, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { IconButton } from './Button.tsx';

export interface MenuItem {
  name: string;
  icon: LucideIcon;
  run: () => void;
  danger?: boolean;
  disabled?: boolean;
}

/** What else can be done with a thing. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label={label}>
          <Ellipsis aria-hidden size={16} />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-48 rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {items.map(({ name, icon: Icon, run, danger = false, disabled = false }) => (
            <DropdownMenu.Item
              key={name}
              onSelect={run}
              disabled={disabled}
              className={`flex h-8 items-center gap-2 rounded px-2 outline-none select-none data-disabled:opacity-55 data-highlighted:bg-hover pointer-coarse:h-10 ${danger ? 'text-failed' : ''}`}
            >
              <Icon aria-hidden size={14} className={danger ? '' : 'text-faint'} /> {name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
