import { useQuery } from '@tanstack/react-query';
import { FileText, Paperclip } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type KeyboardEvent, useId, useState } from 'react';
import type { ContextRow } from '../../../domain/session.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { matching, readRange, withRow } from '../../context-rows.ts';
import { filesUnder } from '../../notebook-files.ts';

const SHOWN = 50;

interface Props {
  notebookId: string;
  rows: ContextRow[];
  onRows: (rows: ContextRow[]) => void;
}

/** Finds a file of the notebook to pin to the conversation, with the lines of it that matter. */
export function FilePicker({ notebookId, rows, onRows }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-small text-soft hover:bg-hover hover:text-ink pointer-coarse:h-9">
        <Paperclip aria-hidden size={13} /> Pin a file
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Pin a file"
          className="z-50 flex max-h-80 w-[min(28rem,calc(100vw-1rem))] flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float outline-none"
        >
          <Choices
            notebookId={notebookId}
            onTake={(row) => {
              onRows(withRow(rows, row));
              setOpen(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Choices({ notebookId, onTake }: { notebookId: string; onTake: (row: ContextRow) => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const files = useQuery({
    queryKey: ['notebook-files', notebookId],
    queryFn: ({ signal }) => filesUnder(notebookId, '/', signal),
    staleTime: 30_000,
  });
  const { words, ...lines } = readRange(text);
  const found = matching(files.data?.paths ?? [], words, SHOWN);
  // A path the list does not reach can still be typed in full.
  const typed = words.startsWith('/') && !words.endsWith('/') && !found.includes(words) ? [words] : [];
  const paths = [...found, ...typed];
  const chosen = Math.min(at, paths.length - 1);

  const take = (path: string | undefined): void => {
    if (path !== undefined) onTake({ path, ...lines });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && paths.length > 0) {
      event.preventDefault();
      const next = (chosen + step + paths.length) % paths.length;
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      take(paths[chosen]);
    }
  };

  return (
    <>
      <input
        role="combobox"
        aria-label="File to pin"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={paths.length > 0 ? `${list}-${chosen}` : undefined}
        placeholder="Name of a file; notes.md:10-20 for lines of it"
        // biome-ignore lint/a11y/noAutofocus: the picker was opened to type here
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="h-10 shrink-0 border-b border-line bg-transparent px-3 outline-none"
      />
      <div id={list} role="listbox" aria-label="Files" aria-busy={files.isPending} className="overflow-y-auto p-1.5">
        {paths.map((path, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard goes through the field above
          <div
            key={path}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => take(path)}
            onMouseMove={() => setAt(index)}
            className="flex h-8 items-center gap-2 rounded px-2 text-small aria-selected:bg-chosen pointer-coarse:h-10"
          >
            <FileText aria-hidden size={13} className="shrink-0 text-faint" />
            <span className="truncate font-mono">{path}</span>
          </div>
        ))}
        {files.isPending && (
          <div className="flex flex-col gap-3 p-2">
            {['w-3/4', 'w-1/2', 'w-2/3'].map((width) => (
              <Skeleton key={width} className={width} />
            ))}
          </div>
        )}
        {files.error && <ErrorNote title="The files could not be read" error={files.error} />}
        {files.data && paths.length === 0 && (
          <p className="px-2 py-4 text-center text-soft">
            {words === '' ? 'This notebook has no files.' : `No file is called “${words}”.`}
          </p>
        )}
        {files.data?.isWhole === false && (
          <p className="px-2 py-1 text-small text-faint">
            There are more files than are shown; type the whole path, from its first /.
          </p>
        )}
      </div>
    </>
  );
}
