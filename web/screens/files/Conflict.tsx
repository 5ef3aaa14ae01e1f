import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { FileContent } from '../../../domain/file.ts';
import { Button } from '../../components/Button.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { nameOf } from '../../file-paths.ts';
import { useIsNarrow } from '../../media.ts';

const MergeEditor = lazy(() => import('./MergeEditor.tsx'));

interface Props {
  path: string;
  /** Null where somebody has deleted it. */
  theirs: FileContent | null;
  mine: string;
  busy: boolean;
  onChange: (text: string) => void;
  onSaveMine: () => void;
  onTakeTheirs: () => void;
}

/** Somebody else was here: both texts, and the choice between them. Nothing is written until it is made. */
export function Conflict({ path, theirs, mine, busy, onChange, onSaveMine, onTakeTheirs }: Props) {
  const isNarrow = useIsNarrow();
  return (
    <section aria-label="Conflict" className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 bg-waits-wash px-4 py-3">
        <TriangleAlert aria-hidden size={16} className="shrink-0 text-waits" />
        <p className="min-w-60 flex-1">
          <strong className="font-medium text-waits">
            {theirs ? 'This file was changed while you were editing.' : 'This file was deleted while you were editing.'}
          </strong>{' '}
          {theirs
            ? `${isNarrow ? 'Yours is shown as changes of what is on disk' : 'What is on disk is on the left, yours on the right'}: take over what you need, then choose.`
            : 'Your text is still here.'}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button onClick={onTakeTheirs} disabled={busy}>
            {theirs ? 'Take what is on disk' : 'Let it go'}
          </Button>
          <Button kind="primary" onClick={onSaveMine} busy={busy}>
            Save mine
          </Button>
        </div>
      </div>
      {theirs && (
        <>
          <div className="grid grid-cols-2 border-b border-line text-small text-faint max-md:hidden">
            <p className="px-4 py-1.5">On disk</p>
            <p className="border-l border-line px-4 py-1.5">Yours</p>
          </div>
          <Suspense fallback={<Skeleton className="m-4 h-24" />}>
            <MergeEditor key={theirs.hash} name={nameOf(path)} theirs={theirs.text} mine={mine} onChange={onChange} />
          </Suspense>
        </>
      )}
    </section>
  );
}
