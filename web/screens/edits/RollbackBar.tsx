import { useState } from 'react';
import type { Checkpoint } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Ago } from '../../components/Times.tsx';
import { plural } from '../../format.ts';
import { modName } from '../../shortcuts.ts';
import { takenFrom } from '../../three-way.ts';
import type { RollingBack } from './rolling-back.ts';

interface Props {
  checkpoint: Checkpoint;
  does: RollingBack;
  picked: ReadonlySet<string>;
  onDone: () => void;
}

/** What is asked before: which hunks, or null for all of it. */
type Asked = readonly string[] | null;

/** The way back: pick or all, look at it, save it. */
export function RollbackBar({ checkpoint, does, picked, onDone }: Props) {
  const [asked, setAsked] = useState<{ hunks: Asked } | null>(null);
  const { rollback } = checkpoint;
  const able = takenFrom(checkpoint.affected_files);
  const chosen = able.filter((id) => picked.has(id));
  const files = plural(checkpoint.files, 'file');
  const isHard = asked?.hunks === null;
  return (
    <footer className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-2">
      {does.back.error && <ErrorNote title="Nothing was rolled back" error={does.back.error} />}
      {does.save.error && <ErrorNote title="The rollback was not saved" error={does.save.error} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="min-w-60 flex-1">
          <State does={does} checkpoint={checkpoint} />
        </p>
        <div className="flex flex-wrap gap-2">
          {does.isOpen && rollback?.state === 'conflict' && does.reply === null && (
            <Button busy={does.back.isPending} onClick={() => does.back.mutate(rollback.hunk_ids)}>
              Show what is in the way
            </Button>
          )}
          <Button
            disabled={chosen.length === 0 || rollback?.state === 'saving'}
            busy={does.back.isPending}
            onClick={() => setAsked({ hunks: chosen })}
          >
            {chosen.length === 0 ? 'Roll back selected' : `Roll back ${plural(chosen.length, 'hunk')}`}
          </Button>
          <Button
            kind="danger"
            disabled={rollback?.state === 'saving'}
            busy={does.back.isPending}
            onClick={() => setAsked({ hunks: null })}
          >
            Roll back everything
          </Button>
          {does.isOpen && (
            <Button
              kind="primary"
              disabled={!does.canSave}
              busy={does.save.isPending}
              title={`${modName()} S`}
              onClick={() => does.save.mutate()}
            >
              Save rollback
            </Button>
          )}
        </div>
      </div>
      <Confirm
        open={asked !== null}
        onOpenChange={(isOpen) => !isOpen && setAsked(null)}
        title={
          isHard
            ? `Put ${files} back as they were before the job?`
            : `Take back ${plural(asked?.hunks?.length ?? 0, 'hunk')}?`
        }
        description={
          isHard
            ? 'Everything that was changed in them since is dropped, also what other people and later jobs changed. Nothing is on disk before you save it.'
            : 'What was changed elsewhere in these files since stays. Nothing is on disk before you save it.'
        }
        confirm="Roll back"
        keep="Keep"
        onConfirm={() => {
          does.back.mutate([...(asked?.hunks ?? [])]);
          setAsked(null);
          onDone();
        }}
      />
    </footer>
  );
}

function State({ does, checkpoint: { rollback, files } }: Pick<Props, 'does' | 'checkpoint'>) {
  if (rollback?.state === 'conflict')
    return (
      <span className="text-failed">
        Some of it overlaps what was changed later. Say how those files are to be, then save. Nothing is on disk yet.
      </span>
    );
  if (rollback?.state === 'buffer')
    return (
      <span className="text-waits">
        {rollback.mode === 'hard_all' ? 'Everything is' : `${plural(rollback.hunk_ids.length, 'hunk is', 'hunks are')}`}{' '}
        rolled back in the buffer. Nothing is on disk before you save it.
      </span>
    );
  if (rollback?.state === 'saving') return <span className="text-running">Writing the files</span>;
  if (rollback?.state === 'failed')
    return (
      <span className="text-failed">The last rollback was not saved: roll back again to see what it comes to now.</span>
    );
  if (rollback?.state === 'saved' && rollback.saved_at && !does.isOpen)
    return (
      <span className="text-soft">
        {rollback.mode === 'hard_all' ? 'Rolled back' : `${plural(rollback.hunk_ids.length, 'hunk')} rolled back`} and
        saved <Ago at={rollback.saved_at} />.
      </span>
    );
  return (
    <span className="text-soft">
      {plural(files, 'file')} as they were before the job. Pick hunks, or take all of it back.
    </span>
  );
}
