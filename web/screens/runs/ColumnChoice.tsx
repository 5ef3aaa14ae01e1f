import { Check, Columns3 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Button } from '../../components/Button.tsx';
import { COLUMNS, chosenColumns, toggleColumn } from '../../run-columns.ts';
import { stored } from '../../stored.ts';

const kept = stored('longhaul.run-columns');

export function useColumns() {
  const choice = kept.use();
  return { columns: chosenColumns(choice), isOwnChoice: choice !== null };
}

/** Which columns the table has, on this browser. Where there is too little room for all, the table leaves some out. */
export function ColumnChoice() {
  const chosen = new Set(useColumns().columns.map(({ id }) => id));
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button className="max-md:hidden">
          <Columns3 aria-hidden size={14} /> Columns
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 w-52 rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {COLUMNS.map(({ id, name }) => (
            <DropdownMenu.CheckboxItem
              key={id}
              checked={chosen.has(id)}
              onCheckedChange={() => kept.set(toggleColumn(kept.get(), id))}
              onSelect={(event) => event.preventDefault()}
              className="flex h-8 items-center gap-2 rounded px-2 outline-none select-none data-highlighted:bg-hover pointer-coarse:h-10"
            >
              <Check aria-hidden size={14} className={chosen.has(id) ? 'text-accent-ink' : 'invisible'} />
              {name}
            </DropdownMenu.CheckboxItem>
          ))}
          <DropdownMenu.Label className="px-2 py-1 text-small text-faint">
            Where there is too little room, some are left out.
          </DropdownMenu.Label>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
