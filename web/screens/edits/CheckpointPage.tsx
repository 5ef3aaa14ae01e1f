import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { Checkpoint } from '../../../domain/edits/wire.ts';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { firstLine } from '../../format.ts';
import { useIsNarrow } from '../../media.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { CheckpointFiles } from './CheckpointFiles.tsx';
import { Compare } from './Compare.tsx';
import { checkpointsHref, jobHref } from './hrefs.ts';
import { useCheckpoint } from './job-queries.ts';
import { RollbackBar } from './RollbackBar.tsx';
import { RollbackConflicts } from './RollbackConflicts.tsx';
import { useRollback } from './rolling-back.ts';

/** The files as they were before a job: compared with what the job proposed and with what is there now, and the way back. */
export default function CheckpointPage() {
  const { id = '' } = useParams();
  const checkpoint = useCheckpoint(id);
  const found = checkpoint.data;
  const title = (found && firstLine(found.instruction)) || 'Checkpoint';
  return (
    <Page
      title={title}
      crumbs={[{ to: found ? checkpointsHref(found.notebook_id) : '/checkpoints', name: 'Checkpoints' }]}
      fixed
      aside={
        found && (
          <span className="flex shrink-0 items-center gap-4 text-small text-soft max-sm:order-last max-sm:w-full">
            <span>
              applied <Ago at={found.created_at} />
            </span>
            <Link to={jobHref(found.job_id)} className="rounded text-accent-ink hover:underline">
              Open the job
            </Link>
          </span>
        )
      }
    >
      {found ? (
        <Opened key={id} checkpoint={found} />
      ) : checkpoint.error ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="There is no such checkpoint, or you may not see it" error={checkpoint.error} />
        </div>
      ) : (
        <div aria-busy className="flex flex-col gap-5 p-6">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-1/2" />
        </div>
      )}
    </Page>
  );
}

function Opened({ checkpoint }: { checkpoint: Checkpoint }) {
  const files = checkpoint.affected_files;
  const isNarrow = useIsNarrow();
  const [path, setPath] = useState(files[0]?.file_path ?? '');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const does = useRollback(checkpoint);
  const unsaved = useUnsaved(does.isOpen && does.reply !== null);
  useShortcuts({ 'mod+s': () => does.canSave && does.save.mutate() });
  const conflicts = does.reply?.conflicts ?? [];
  const chosen = files.filter(({ file_path }) => file_path === path);
  return (
    <>
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        {isNarrow && (
          <div className="border-b border-line p-3">
            <Select label="File" hideLabel value={path} onChange={(event) => setPath(event.target.value)}>
              {files.map(({ file_path }) => (
                <option key={file_path} value={file_path}>
                  {file_path}
                </option>
              ))}
            </Select>
          </div>
        )}
        <CheckpointFiles
          files={isNarrow ? chosen : files}
          chosen={path}
          picked={picked}
          onChoose={setPath}
          onPick={setPicked}
        />
        <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
          {conflicts.length > 0 && does.isOpen && does.reply && (
            <RollbackConflicts reply={does.reply} contents={does.contents} onContent={does.resolve} />
          )}
          <Compare checkpoint={checkpoint} path={path} isBuffer={does.isOpen} />
        </div>
      </div>
      <RollbackBar checkpoint={checkpoint} does={does} picked={picked} onDone={() => setPicked(new Set())} />
      <Confirm
        open={unsaved.asks}
        onOpenChange={(isOpen) => !isOpen && unsaved.stay()}
        title="Leave the rollback without saving it?"
        description="Nothing of it is on disk yet. It stays here as it is, and can be saved later as long as the files do not change."
        confirm="Leave"
        keep="Stay"
        onConfirm={unsaved.leave}
      />
    </>
  );
}
