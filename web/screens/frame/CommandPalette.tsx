import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useId, useState } from 'react';
import { focusWaiting } from '../../waiting-focus.ts';
import { type Command, type Opens, useCommands } from './commands.ts';
import { foundCommands } from './found-commands.ts';

interface Props extends Opens {
  onClose: () => void;
}

export function CommandPalette({ onClose, ...opens }: Props) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusWaiting}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[60vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search or run a command</Dialog.Title>
          <Choices onDone={onClose} {...opens} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({ onDone, ...opens }: Opens & { onDone: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const ordered = foundCommands(useCommands(opens), text);
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
          placeholder="Pages, actions, agents, runs"
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
