import { Check, TriangleAlert } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import type { ConflictFile } from '../../../domain/edits/wire.ts';
import { type ReviewedFile, tally } from '../../edit-review.ts';
import { folderOf, nameOf } from '../../file-paths.ts';
import { plural } from '../../format.ts';

interface Props {
  files: readonly ReviewedFile[];
  chosen: string;
  conflicts: readonly ConflictFile[];
  onChoose: (path: string) => void;
}

/** The files of a proposal, each with how much is left to decide. */
export const ReviewFiles = memo(function ReviewFiles({ files, chosen, conflicts, onChoose }: Props) {
  const changed = new Set(conflicts.map(({ file_path }) => file_path));
  const left = files.filter((file) => tally([file]).pending > 0).length;
  return (
    <nav aria-label="Files to review" className="flex w-72 shrink-0 flex-col overflow-y-auto border-r border-line p-2">
      <p className="px-2 py-1 text-small text-faint">
        {plural(files.length, 'file')}
        {left > 0 ? `, ${left} to decide` : ', all decided'}
      </p>
      {files.map((file) => (
        <FileLine
          key={file.file_path}
          file={file}
          isChosen={file.file_path === chosen}
          isChanged={changed.has(file.file_path)}
          onChoose={onChoose}
        />
      ))}
    </nav>
  );
});

const FileLine = memo(function FileLine({
  file,
  isChosen,
  isChanged,
  onChoose,
}: {
  file: ReviewedFile;
  isChosen: boolean;
  isChanged: boolean;
  onChoose: (path: string) => void;
}) {
  const line = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Keys go on to the next file: the list goes with them.
    if (isChosen) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const { pending, all, rejected } = tally([file]);
  const folder = folderOf(`/${file.file_path}`);
  return (
    <button
      ref={line}
      type="button"
      aria-current={isChosen}
      title={file.file_path}
      onClick={() => onChoose(file.file_path)}
      className="flex min-h-9 w-full shrink-0 items-center gap-2 rounded-md px-2 py-1 text-left -outline-offset-2 hover:bg-hover aria-[current=true]:bg-chosen pointer-coarse:min-h-11"
    >
      {isChanged && <TriangleAlert aria-label="changed meanwhile" size={14} className="shrink-0 text-failed" />}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{nameOf(file.file_path)}</span>
        {folder !== '/' && <span className="truncate text-small text-faint">{folder.slice(1)}</span>}
      </span>
      {pending > 0 ? (
        <span className="shrink-0 rounded-full bg-waits-wash px-2 text-small font-medium text-waits">
          {pending === all ? `${pending} left` : `${pending} of ${all} left`}
        </span>
      ) : (
        <span className="flex shrink-0 items-center gap-1 text-small text-soft">
          {rejected === all ? (
            'rejected'
          ) : (
            <>
              <Check aria-hidden size={13} className="text-done" /> {rejected > 0 ? `${all - rejected} of ${all}` : all}
              <span className="sr-only">accepted</span>
            </>
          )}
        </span>
      )}
    </button>
  );
});
