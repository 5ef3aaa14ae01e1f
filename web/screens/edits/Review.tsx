import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { Job, ReviewBody } from '../../../domain/edits/wire.ts';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { type HunkAt, hunkBeside, nextOpen, tally } from '../../edit-review.ts';
import { ApiError } from '../../http.ts';
import { useIsNarrow } from '../../media.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { ConflictNote } from './ConflictNote.tsx';
import { FileChanges } from './FileChanges.tsx';
import { useReviewFile } from './job-queries.ts';
import { ReviewFiles } from './ReviewFiles.tsx';
import { ReviewFoot } from './ReviewFoot.tsx';
import { useReviewing } from './reviewing.ts';
import { useUndoKeys } from './undo-keys.ts';

/** CodeMirror comes when a file is opened in it. */
const FileBuffer = lazy(() => import('./FileBuffer.tsx'));

/** What somebody has typed over the working buffer, and which buffer that was. */
interface Typed {
  file_path: string;
  over: string | null;
  text: string;
}

/** A proposal being reviewed: files on the left, the hunks of one in the middle, what can be done with all at the foot. */
export function Review({ job }: { job: Job }) {
  const files = job.diff_bundle?.files ?? [];
  const isNarrow = useIsNarrow();
  const does = useReviewing(job);
  const [current, setCurrent] = useState<HunkAt | null>(() => nextOpen(files, null) ?? hunkBeside(files, null, 0));
  const [path, setPath] = useState(current?.file_path ?? files[0]?.file_path ?? '');
  const [isWhole, setIsWhole] = useState(false);
  const [commenting, setCommenting] = useState<string | null>(null);
  const [typed, setTyped] = useState<Typed | null>(null);
  /** What was asked for while something was not saved. */
  const [held, setHeld] = useState<(() => void) | null>(null);
  const unsaved = useUnsaved(typed !== null);
  const file = useReviewFile(job.job_id, path, job.review?.proposal ?? 0);
  const follows = useRef(false);
  const listed = files.find(({ file_path }) => file_path === path);
  const isBusy = job.review?.state === 'applying' || does.apply.isPending;

  const guarded = (run: () => void): void => {
    if (typed === null) run();
    else setHeld(() => run);
  };
  const go = (to: HunkAt | null): void => {
    if (!to) return;
    follows.current = true;
    setCurrent(to);
    setPath(to.file_path);
  };
  const open = (file_path: string): void =>
    guarded(() => {
      setPath(file_path);
      setCurrent(
        hunkBeside(
          files.filter((each) => each.file_path === file_path),
          null,
          0,
        ),
      );
    });
  const opens = useRef(open);
  opens.current = open;
  /** The same for good: a list of hundreds of files is not drawn anew for every key. */
  const choose = useCallback((file_path: string) => opens.current(file_path), []);
  const send = (body: ReviewBody): void => {
    does.forget();
    does.review.mutate(body);
  };
  const decide = (at: HunkAt, decision: 'accept' | 'reject' | 'pending', as_one = false): void => {
    send({ hunk_id: at.hunk_id, decision, ...(as_one ? { as_one } : {}) });
    if (decision !== 'pending') go(nextOpen(files, at));
  };
  const back = (way: 'undo' | 'redo'): void =>
    guarded(() => {
      const { done, undone } = does.steps;
      const known = way === 'undo' ? done.at(-1) : undone.at(-1);
      // Of an earlier visit it is known for the open file alone.
      if (!known && !(way === 'undo' ? file.data?.can_undo : file.data?.can_redo)) return;
      const last = known ?? [path];
      if (!last.includes(path)) setPath(last[0] ?? path);
      does.forget();
      const where = last.length === 1 ? { file_path: last[0] } : { file_paths: [...last] };
      does.change.mutate(way === 'undo' ? { ...where, undo: true } : { ...where, redo: true });
    });
  const keep = (): void => {
    if (!typed || does.change.isPending) return;
    const { file_path, text, over } = typed;
    does.forget();
    does.change.mutate(
      { file_path, content: text, ...(over === null ? {} : { buffer_hash: over }) },
      {
        onSuccess: () => setTyped((now) => (now?.text === text ? null : now)),
        // Somebody else was faster: who saves again means it, and sees in the hunks what it changes.
        onError: (error) =>
          error instanceof ApiError && error.code === 'conflict' && setTyped((now) => now && { ...now, over: null }),
      },
    );
  };

  const chosen = listed?.hunks.find(({ hunk_id }) => hunk_id === current?.hunk_id);
  useShortcuts({
    'mod+s': keep,
    ...(isWhole
      ? {}
      : {
          j: () => go(hunkBeside(files, current, 1)),
          k: () => go(hunkBeside(files, current, -1)),
          // What is too large to be accepted by the way takes a click on words that say so.
          a: () => current && chosen && !chosen.oversized_hunk && decide(current, 'accept'),
          r: () => current && decide(current, 'reject'),
          c: () => current && setCommenting(current.hunk_id),
          e: () => setIsWhole(true),
        }),
  });
  useUndoKeys(back);

  useEffect(() => {
    if (!follows.current || !current || isWhole) return;
    follows.current = false;
    const card = document.getElementById(`hunk-${current.hunk_id}`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  }, [current, isWhole]);

  return (
    <>
      {job.review?.state === 'conflict' && <ConflictNote job={job} does={does} />}
      <div className="flex min-h-0 flex-1">
        {!isNarrow && <ReviewFiles files={files} chosen={path} conflicts={job.conflict} onChoose={choose} />}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {isNarrow && (
            <div className="border-b border-line p-3">
              <Select label="File" hideLabel value={path} onChange={(event) => open(event.target.value)}>
                {files.map((each) => (
                  <option key={each.file_path} value={each.file_path}>
                    {each.file_path} ({tally([each]).pending} left)
                  </option>
                ))}
              </Select>
            </div>
          )}
          {does.problem && (
            <div className="p-4">
              <ErrorNote title="That was not done" error={does.problem} />
            </div>
          )}
          {listed &&
            (isWhole ? (
              <Suspense fallback={<Skeleton className="m-6 h-24" />}>
                <FileBuffer
                  file={file.data}
                  error={file.error}
                  hunk={chosen?.hunk_id ?? null}
                  typed={typed?.file_path === path ? typed.text : null}
                  busy={does.change.isPending}
                  onType={(text) =>
                    setTyped(
                      text === (file.data?.working_buffer ?? '')
                        ? null
                        : { file_path: path, text, over: typed ? typed.over : (file.data?.buffer_hash ?? null) },
                    )
                  }
                  onKeep={keep}
                  onDrop={() => setTyped(null)}
                  onBack={back}
                  onClose={() => guarded(() => setIsWhole(false))}
                />
              </Suspense>
            ) : (
              <FileChanges
                file={listed}
                notebookId={job.notebook_id}
                conflict={job.conflict.find(({ file_path }) => file_path === path) ?? null}
                current={current}
                commenting={commenting}
                busy={isBusy}
                onCurrent={(hunk_id) => setCurrent({ file_path: path, hunk_id })}
                onCommenting={setCommenting}
                onDecide={(hunk_id, decision, as_one) => decide({ file_path: path, hunk_id }, decision, as_one)}
                onSend={send}
                onAcceptFile={(hunk_ids) => {
                  send({ hunk_ids, decision: 'accept' });
                  go(
                    nextOpen(
                      files.filter((each) => each !== listed),
                      null,
                    ),
                  );
                }}
                onEdit={(hunk_id) => {
                  setCurrent({ file_path: path, hunk_id });
                  setIsWhole(true);
                }}
                onWhole={() => setIsWhole(true)}
              />
            ))}
        </div>
      </div>
      <ReviewFoot
        job={job}
        does={does}
        isTyping={typed !== null}
        canUndo={does.steps.done.length > 0 || file.data?.can_undo === true}
        canRedo={does.steps.undone.length > 0 || file.data?.can_redo === true}
        onBack={back}
      />
      <Confirm
        open={held !== null || unsaved.asks}
        onOpenChange={(isOpen) => {
          if (isOpen) return;
          setHeld(null);
          unsaved.stay();
        }}
        title="Leave your edit without saving it?"
        description="What you typed is not part of the review yet, and would be lost. Ctrl S or ⌘ S saves it."
        confirm="Discard edit"
        keep="Stay"
        onConfirm={() => {
          setTyped(null);
          held?.();
          setHeld(null);
          if (unsaved.asks) unsaved.leave();
        }}
      />
    </>
  );
}
