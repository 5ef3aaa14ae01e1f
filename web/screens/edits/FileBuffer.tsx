import { ArrowLeft } from 'lucide-react';
import { useRef } from 'react';
import type { ReviewFile } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { nameOf } from '../../file-paths.ts';
import { modName } from '../../shortcuts.ts';
import BufferEditor, { type EditorPlace } from './BufferEditor.tsx';

interface Props {
  file: ReviewFile | undefined;
  error: Error | null;
  /** To be shown first. */
  hunk: string | null;
  /** What is typed and not saved; null where there is nothing of the kind. */
  typed: string | null;
  busy: boolean;
  onType: (text: string) => void;
  onKeep: () => void;
  onDrop: () => void;
  onBack: (way: 'undo' | 'redo') => void;
  onClose: () => void;
}

/** The whole file as it was and as it will be, the latter to be edited. What is saved joins the review as one's own. */
export default function FileBuffer({ file, error, hunk, typed, busy, onClose, ...rest }: Props) {
  const isTyped = typed !== null;
  const place = useRef<EditorPlace | null>(null);
  const shown = useRef('');
  // A new buffer is a new text to edit, with nothing in it to undo; while somebody types, theirs stays.
  if (!isTyped && file) shown.current = `${file.file_path} ${file.buffer_hash}`;
  const line = file?.places.find(({ hunk_id }) => hunk_id === hunk)?.start_line ?? null;
  return (
    <section aria-label="Whole file" className="flex min-h-0 flex-1 flex-col">
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-2 py-1.5">
        <Button kind="quiet" onClick={onClose}>
          <ArrowLeft aria-hidden size={14} /> Hunks
        </Button>
        <h2 className="min-w-0 truncate font-mono text-small font-medium">{file?.file_path}</h2>
        {isTyped && (
          <span className="flex items-center gap-1.5 text-small font-medium whitespace-nowrap text-waits">
            <span aria-hidden className="size-2 rounded-full bg-waits" /> Unsaved
          </span>
        )}
        <div className="ml-auto flex gap-2">
          {isTyped && (
            <Button kind="quiet" onClick={rest.onDrop} disabled={busy}>
              Drop edit
            </Button>
          )}
          <Button
            kind={isTyped ? 'primary' : 'plain'}
            disabled={!isTyped}
            busy={busy}
            title={`${modName()} S`}
            onClick={rest.onKeep}
          >
            Save edit
          </Button>
        </div>
      </header>
      <div className="grid grid-cols-2 border-b border-line text-small text-faint max-md:hidden">
        <p className="px-4 py-1.5">Before</p>
        <p className="border-l border-line px-4 py-1.5">As it will be: edit it here</p>
      </div>
      {file ? (
        <BufferEditor
          key={shown.current}
          place={place}
          name={nameOf(file.file_path)}
          base={file.base_snapshot ?? ''}
          buffer={typed ?? file.working_buffer ?? ''}
          line={line}
          onChange={rest.onType}
          onBack={rest.onBack}
        />
      ) : error ? (
        <div className="p-4">
          <ErrorNote title="The file could not be read" error={error} />
        </div>
      ) : (
        <Skeleton className="m-6 h-24" />
      )}
    </section>
  );
}
