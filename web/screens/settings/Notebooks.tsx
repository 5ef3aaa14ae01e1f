import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Folder, FolderTree, GitBranch, PencilLine, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { folderHref } from '../../file-paths.ts';
import { useNotebooks, useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { NewNotebook } from './NewNotebook.tsx';
import { NotebookAccess } from './NotebookAccess.tsx';
import { NotebookSetup } from './NotebookSetup.tsx';
import { Section } from './Section.tsx';

export function Notebooks() {
  const workspace = useWorkspace();
  const notebooks = useNotebooks();
  const mayChange = isAdmin(workspace?.role);
  return (
    <Section
      anchor="notebooks"
      title="Notebooks"
      about={
        mayChange
          ? 'Folders and repositories that agents and people of this workspace work on.'
          : 'Folders and repositories that agents and people of this workspace work on. Admins add and remove them.'
      }
    >
      {mayChange && workspace && <NewNotebook workspaceId={workspace.id} />}
      {notebooks.error && !notebooks.data && (
        <ErrorNote title="The notebooks could not be read" error={notebooks.error} />
      )}
      {notebooks.isPending && <Skeleton className="h-10 w-full" />}
      {notebooks.data?.length === 0 && (
        <p className="flex items-center gap-2 text-faint">
          <FolderTree aria-hidden size={14} /> No notebooks yet.
        </p>
      )}
      {notebooks.data && notebooks.data.length > 0 && (
        <ul aria-label="Notebooks" className="divide-y divide-line rounded-md border border-line">
          {notebooks.data.map((notebook) => (
            <Line key={notebook.id} notebook={notebook} mayChange={mayChange} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ notebook, mayChange }: { notebook: Notebook; mayChange: boolean }) {
  const { id, name, kind } = notebook;
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const [renames, setRenames] = useState(false);
  const [setsUp, setSetsUp] = useState(false);
  const remove = useMutation({
    mutationFn: () => workspaceApi.removeNotebook(id),
    onSuccess: () => toast(`Removed ${name}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['notebooks'] }),
  });
  const Icon = kind === 'git' ? GitBranch : Folder;
  const where = kind === 'git' ? `${notebook.url} (${notebook.default_branch ?? 'default branch'})` : notebook.path;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
      <Icon aria-hidden size={15} className="shrink-0 text-faint" />
      {renames ? (
        <Rename notebook={notebook} onDone={() => setRenames(false)} />
      ) : (
        <>
          <div className="flex min-w-40 flex-1 flex-col">
            <Link to={folderHref(id, '/')} className="truncate font-medium hover:underline">
              {name}
            </Link>
            <span className="truncate font-mono text-small text-faint" title={where ?? undefined}>
              {where}
            </span>
          </div>
          {mayChange && (
            <>
              <IconButton label={`Set-up of ${name}`} aria-expanded={setsUp} onClick={() => setSetsUp(!setsUp)}>
                <SquareTerminal aria-hidden size={15} />
              </IconButton>
              {/^(https?|ssh):|@/.test(notebook.url ?? '') && <NotebookAccess notebook={notebook} />}
              <IconButton label={`Rename ${name}`} onClick={() => setRenames(true)}>
                <PencilLine aria-hidden size={15} />
              </IconButton>
              <Button kind="danger" aria-label={`Remove ${name}`} busy={remove.isPending} onClick={() => setAsks(true)}>
                Remove
              </Button>
            </>
          )}
        </>
      )}
      {setsUp && <NotebookSetup notebook={notebook} onDone={() => setSetsUp(false)} />}
      {remove.error && (
        <div className="w-full">
          <ErrorNote title="The notebook was not removed" error={remove.error} />
        </div>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={`Remove “${name}”?`}
        description={
          kind === 'git'
            ? 'It leaves the lists, and agents cannot use it any more. The repository itself is not touched.'
            : 'It leaves the lists, and agents cannot use it any more. The folder and its files stay on the server as they are.'
        }
        confirm="Remove notebook"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}

function Rename({ notebook, onDone }: { notebook: Notebook; onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(notebook.name);
  const rename = useMutation({
    mutationFn: () => workspaceApi.renameNotebook(notebook.id, name.trim()),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['notebooks'] });
      onDone();
    },
  });
  return (
    <form
      className="flex flex-1 flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === notebook.name) onDone();
        else rename.mutate();
      }}
    >
      <div className="min-w-40 flex-1">
        <TextField
          label={`New name of ${notebook.name}`}
          hideLabel
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && onDone()}
        />
      </div>
      <Button type="submit" busy={rename.isPending} disabled={name.trim() === ''}>
        Rename
      </Button>
      <Button kind="quiet" onClick={onDone}>
        Cancel
      </Button>
      {rename.error && (
        <div className="w-full">
          <ErrorNote title="The notebook was not renamed" error={rename.error} />
        </div>
      )}
    </form>
  );
}
