import { FileCode2 } from 'lucide-react';
import { Link } from 'react-router';
import type { ConflictFile, ReviewBody } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { acceptable, type HunkAt, type ReviewedFile, tally } from '../../edit-review.ts';
import { fileHref } from '../../file-paths.ts';
import { HunkCard } from './HunkCard.tsx';

interface Props {
  file: ReviewedFile;
  notebookId: string;
  conflict: ConflictFile | null;
  current: HunkAt | null;
  commenting: string | null;
  busy: boolean;
  onCurrent: (hunkId: string) => void;
  onCommenting: (hunkId: string | null) => void;
  onDecide: (hunkId: string, decision: 'accept' | 'reject' | 'pending', asOne: boolean) => void;
  onSend: (body: ReviewBody) => void;
  onAcceptFile: (hunkIds: string[]) => void;
  onEdit: (hunkId: string) => void;
  onWhole: () => void;
}

/** One file of a proposal, hunk by hunk. */
export function FileChanges({
  file,
  notebookId,
  conflict,
  current,
  busy,
  onAcceptFile,
  onSend,
  onWhole,
  ...rest
}: Props) {
  const { file_path, hunks } = file;
  const open = acceptable([file]);
  const isNew = file.base_file_hash === null;
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="min-w-0 truncate font-mono text-small font-medium" title={file_path}>
          {isNew ? (
            file_path
          ) : (
            <Link to={fileHref(notebookId, `/${file_path}`)} className="rounded hover:underline">
              {file_path}
            </Link>
          )}
        </h2>
        {isNew && <span className="rounded bg-done-wash px-1.5 text-small text-done">new file</span>}
        {conflict && (
          <span className="rounded bg-failed-wash px-1.5 text-small font-medium text-failed">changed meanwhile</span>
        )}
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <Button kind="quiet" onClick={onWhole} title="The whole file, as it will be; to edit by hand">
            <FileCode2 aria-hidden size={14} /> Whole file
          </Button>
          <Button
            disabled={busy || tally([file]).rejected === hunks.length}
            onClick={() => onSend({ file_path, decision: 'reject' })}
          >
            Reject file
          </Button>
          <Button disabled={busy || open.length === 0} onClick={() => onAcceptFile(open)}>
            Accept file
          </Button>
        </div>
      </header>
      <ol
        aria-label={`Hunks of ${file_path}`}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4 max-sm:p-3"
      >
        {hunks.map((hunk, at) => (
          <HunkCard
            key={hunk.hunk_id}
            hunk={hunk}
            name={`Hunk ${at + 1} of ${hunks.length}`}
            isCurrent={hunk.hunk_id === current?.hunk_id}
            isCommenting={rest.commenting === hunk.hunk_id}
            busy={busy}
            onFocus={() => rest.onCurrent(hunk.hunk_id)}
            onDecide={(decision, asOne = false) => rest.onDecide(hunk.hunk_id, decision, asOne)}
            onCommenting={(isOn) => rest.onCommenting(isOn ? hunk.hunk_id : null)}
            onComment={(comment) => onSend({ hunk_id: hunk.hunk_id, comment })}
            onSplit={(split_at) => onSend({ hunk_id: hunk.hunk_id, split_at })}
            onEdit={() => rest.onEdit(hunk.hunk_id)}
          />
        ))}
      </ol>
    </>
  );
}
