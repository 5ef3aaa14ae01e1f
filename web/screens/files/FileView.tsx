import { FileWarning, FileX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Block } from '../../components/Value.tsx';
import type { Selection } from '../../edit-rows.ts';
import { isMarkdown, lineIn, nameOf } from '../../file-paths.ts';
import { ApiError } from '../../http.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { stored } from '../../stored.ts';
import { useUnsaved } from '../../unsaved.ts';
import { Conflict } from './Conflict.tsx';
import { useEditedFile } from './edited-file.ts';
import { FileHeader } from './FileHeader.tsx';
import { lineEndOf } from './line-ends.ts';

/** As large as the rest of the page, so it comes with the first file. */
const Editor = lazy(() => import('./Editor.tsx'));

const reading = stored('longhaul.markdown');

interface Props {
  notebook: Notebook;
  path: string;
  mayWrite: boolean;
  onSelect: (selection: Selection | null) => void;
}

export function FileView({ notebook, path, mayWrite, onSelect }: Props) {
  const navigate = useNavigate();
  const { hash } = useLocation();
  const line = lineIn(hash);
  const edited = useEditedFile(notebook.id, path);
  const { file, base, text, isDirty, save } = edited;
  const unsaved = useUnsaved(isDirty);
  // A line can be pointed at in the source alone.
  const isRendered = isMarkdown(path) && reading.use() !== 'source' && line === null;
  useShortcuts({ 'mod+s': save });

  return (
    <section aria-label={nameOf(path)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <FileHeader
        notebook={notebook}
        path={path}
        edited={edited}
        mayWrite={mayWrite}
        isRendered={isRendered}
        onRender={(isOn) => {
          reading.set(isOn ? null : 'source');
          if (line !== null) navigate({ hash: '' }, { replace: true });
        }}
        onLeave={unsaved.letGo}
      />
      {edited.problem && (
        <div className="p-4">
          <ErrorNote title="The file was not saved; your text is still here" error={edited.problem} />
        </div>
      )}
      {edited.hasMet ? (
        <Conflict
          path={path}
          theirs={edited.current}
          mine={text}
          busy={edited.isSaving}
          onChange={edited.change}
          onSaveMine={edited.saveOver}
          onTakeTheirs={edited.drop}
        />
      ) : base ? (
        <>
          {edited.isBehind && (
            <div role="status" className="flex flex-wrap items-center gap-3 bg-waits-wash px-4 py-2">
              <span className="flex-1 text-waits">
                {edited.current ? 'This file has changed on disk since you began.' : 'This file was deleted on disk.'}
              </span>
              <Button onClick={edited.compare}>Compare</Button>
            </div>
          )}
          {isRendered ? (
            <Document text={text} />
          ) : (
            <Suspense fallback={<Lines />}>
              <Editor
                key={lineEndOf(base.text)}
                name={nameOf(path)}
                text={text}
                readOnly={!mayWrite}
                line={line}
                onChange={edited.change}
                onLine={(at) => navigate({ hash: `#L${at}` }, { replace: true })}
                onSelect={(lines) => onSelect(lines && { path, ...lines })}
              />
            </Suspense>
          )}
        </>
      ) : file.error ? (
        <Unreadable error={file.error} path={path} />
      ) : (
        <Lines />
      )}
      <Confirm
        open={unsaved.asks}
        onOpenChange={(isOpen) => !isOpen && unsaved.stay()}
        title={`Leave ${nameOf(path)} without saving?`}
        description="What you changed in it is lost. Ctrl S or ⌘ S saves it."
        confirm="Discard changes"
        keep="Stay"
        onConfirm={unsaved.leave}
      />
    </section>
  );
}

/** Properties at the head of a file are for programs: apart, and as they are. */
function Document({ text }: { text: string }) {
  const [, properties, rest = ''] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-6 py-5 -outline-offset-2 max-sm:px-4"
    >
      {properties !== undefined && (
        <div className="max-w-[76ch] shrink-0">
          <Block label="Properties" text={properties} />
        </div>
      )}
      {text.trim() === '' ? (
        <p className="text-faint">This file is empty.</p>
      ) : (
        <Markdown text={properties === undefined ? text : rest} />
      )}
    </div>
  );
}

const Lines = () => (
  <div aria-busy className="flex flex-1 flex-col gap-3 p-6">
    {['w-1/3', 'w-2/3', 'w-1/2', 'w-3/5', 'w-1/4'].map((width) => (
      <Skeleton key={width} className={width} />
    ))}
  </div>
);

function Unreadable({ error, path }: { error: Error; path: string }) {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'no_such_file') {
    return (
      <EmptyState icon={FileX} title={`There is no ${nameOf(path)} here`}>
        It may have been moved or deleted. The search above the tree finds files by name and by what is in them.
      </EmptyState>
    );
  }
  if (code === 'not_a_text_file' || code === 'too_large') {
    return (
      <EmptyState icon={FileWarning} title={code === 'too_large' ? 'Too large to show' : 'Not a text file'}>
        {code === 'too_large'
          ? 'Files over 10 MB are not shown here. It is still where it was, for programs to use.'
          : 'Only UTF-8 text is shown and edited here. The file is still where it was, for programs to use.'}
      </EmptyState>
    );
  }
  return (
    <div className="p-6 max-sm:p-4">
      <ErrorNote title="The file could not be read" error={error} />
    </div>
  );
}
