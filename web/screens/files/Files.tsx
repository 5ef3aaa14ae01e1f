import { FilePlus, FolderPlus, FolderTree, GitBranch, History, Sparkles } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate, useParams } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextField } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import type { Selection } from '../../edit-rows.ts';
import { folderHref, folderOf, nameOf, placeIn } from '../../file-paths.ts';
import { useIsNarrow } from '../../media.ts';
import { useNotebooks, useWorkspace } from '../../queries.ts';
import { stored } from '../../stored.ts';
import { AgentSidebar } from '../edits/AgentSidebar.tsx';
import { checkpointsHref } from '../edits/hrefs.ts';
import { FileHits } from './FileHits.tsx';
import { FileTree } from './FileTree.tsx';
import { FileView } from './FileView.tsx';
import { FolderView } from './FolderView.tsx';
import { useFreshFiles, useNotebook } from './file-queries.ts';
import { NewEntryDialog } from './NewEntryDialog.tsx';

const last = stored('longhaul.notebook');
const agentPane = stored('longhaul.agent-pane');

/** Without a notebook in the address: the one that was looked at last, or the first there is. */
export function AnyFiles() {
  const notebooks = useNotebooks();
  const items = notebooks.data;
  const chosen = items?.find(({ id }) => id === last.get()) ?? items?.[0];
  if (chosen) return <Navigate to={folderHref(chosen.id, '/')} replace />;
  return (
    <Page title="Files">
      {notebooks.error && !items ? (
        <div className="p-6">
          <ErrorNote title="The notebooks could not be read" error={notebooks.error} />
        </div>
      ) : items ? (
        <EmptyState
          icon={FolderTree}
          title="No notebooks yet"
          action={
            <Link to="/settings#notebooks" className="text-accent-ink underline">
              Add a notebook
            </Link>
          }
        >
          A notebook is a folder of files that agents and people work on. An admin of the workspace adds one in the
          settings.
        </EmptyState>
      ) : (
        <div aria-busy className="flex flex-col gap-5 p-6">
          <Skeleton className="w-1/3" />
          <Skeleton className="w-1/2" />
        </div>
      )}
    </Page>
  );
}

export function Files() {
  const { notebookId = '' } = useParams();
  const { notebook, error, mayWrite } = useNotebook(notebookId);
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const seen = useRef(workspace?.id);
  useFreshFiles(notebookId);
  useEffect(() => {
    if (notebook) last.set(notebook.id);
  }, [notebook]);
  useEffect(() => {
    // Another workspace has other notebooks.
    if (seen.current !== undefined && workspace && seen.current !== workspace.id) navigate('/files');
    seen.current = workspace?.id;
  }, [workspace, navigate]);
  if (notebook) return <Opened notebook={notebook} mayWrite={mayWrite} />;
  return (
    <Page title="Files">
      {error ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="There is no such notebook, or you may not see it" error={error} />
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

function Opened({ notebook, mayWrite }: { notebook: Notebook; mayWrite: boolean }) {
  const place = placeIn(useLocation().pathname);
  const isNarrow = useIsNarrow();
  const [query, setQuery] = useState('');
  const [making, setMaking] = useState<'file' | 'folder' | null>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  const isFile = place.type === 'file';
  const hasAgent = agentPane.use() === 'open' && mayWrite;
  // On a phone one pane is in sight.
  const showsFiles = !isNarrow || !hasAgent;
  const words = query.trim();
  return (
    <Page
      title="Files"
      tab={isFile ? nameOf(place.path) : notebook.name}
      fixed
      aside={
        <>
          <NotebookChoice notebook={notebook} />
          {!hasAgent && (
            <Link
              to={checkpointsHref(notebook.id)}
              className="inline-flex shrink-0 items-center gap-1.5 rounded text-small text-accent-ink hover:underline max-sm:hidden"
            >
              <History aria-hidden size={14} /> Checkpoints
            </Link>
          )}
        </>
      }
      action={
        mayWrite && (
          <Button
            aria-pressed={hasAgent}
            className="aria-pressed:bg-chosen"
            title="Edits over many files, proposed by an agent and reviewed by you"
            onClick={() => agentPane.set(hasAgent ? null : 'open')}
          >
            <Sparkles aria-hidden size={14} /> Agent
          </Button>
        )
      }
    >
      <div className="flex min-h-0 flex-1">
        {showsFiles && (!isNarrow || !isFile) && (
          <div className="flex w-72 shrink-0 flex-col border-r border-line max-md:w-full max-md:border-r-0">
            <div className="flex items-center gap-1 p-2">
              <search className="min-w-0 flex-1">
                <TextField
                  label="Search files"
                  hideLabel
                  type="search"
                  placeholder="Search names and text"
                  value={query}
                  onChange={(event) => setQuery(event.target.value)}
                />
              </search>
              {mayWrite && (
                <>
                  <IconButton label="New file" onClick={() => setMaking('file')}>
                    <FilePlus aria-hidden size={16} />
                  </IconButton>
                  <IconButton label="New folder" onClick={() => setMaking('folder')}>
                    <FolderPlus aria-hidden size={16} />
                  </IconButton>
                </>
              )}
            </div>
            {notebook.kind === 'git' && <GitNote notebook={notebook} />}
            {words === '' ? (
              <FileTree key={notebook.id} notebookId={notebook.id} place={place} />
            ) : (
              <FileHits notebookId={notebook.id} query={words} />
            )}
          </div>
        )}
        {isFile ? (
          <div className={showsFiles ? 'contents' : 'hidden'}>
            <FileView
              key={place.path}
              notebook={notebook}
              path={place.path}
              mayWrite={mayWrite}
              onSelect={setSelection}
            />
          </div>
        ) : (
          !isNarrow && (
            <FolderView notebook={notebook} path={place.path} onNewFile={mayWrite ? () => setMaking('file') : null} />
          )
        )}
        {hasAgent && (
          <AgentSidebar
            key={notebook.id}
            notebook={notebook}
            path={isFile ? place.path : null}
            selection={isFile && selection?.path === place.path ? selection : null}
            onClose={() => agentPane.set(null)}
          />
        )}
      </div>
      {making && (
        <NewEntryDialog
          notebookId={notebook.id}
          kind={making}
          folder={isFile ? folderOf(place.path) : place.path}
          onClose={() => setMaking(null)}
        />
      )}
    </Page>
  );
}

function NotebookChoice({ notebook }: { notebook: Notebook }) {
  const navigate = useNavigate();
  const { data: notebooks = [] } = useNotebooks();
  const offered = notebooks.some(({ id }) => id === notebook.id) ? notebooks : [notebook, ...notebooks];
  return (
    <div className="w-56 min-w-0 max-sm:w-44">
      <Select
        label="Notebook"
        hideLabel
        value={notebook.id}
        onChange={(event) => navigate(folderHref(event.target.value, '/'))}
      >
        {offered.map(({ id, name, kind }) => (
          <option key={id} value={id}>
            {kind === 'git' ? `${name} (git)` : name}
          </option>
        ))}
      </Select>
    </div>
  );
}

function GitNote({ notebook: { default_branch, url } }: { notebook: Notebook }) {
  return (
    <p className="flex items-center gap-1.5 px-3 pb-2 text-small text-faint" title={url ?? undefined}>
      <GitBranch aria-hidden size={13} className="shrink-0" />
      <span className="truncate">{default_branch ?? 'default branch'} · to read only</span>
    </p>
  );
}
