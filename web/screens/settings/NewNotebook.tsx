import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Select, TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { nameOf } from '../../file-paths.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { AddForm } from './AddForm.tsx';

/** The last part of a path or an address, as a name to begin with. */
const nameFrom = (place: string): string =>
  nameOf(place.replace(/[/\\]+$/, '').replace(/\.git$/, '')).replace(/^.*:/, '');

/** A folder on the server, offered or typed, or a git repository by its address. */
export function NewNotebook({ workspaceId }: { workspaceId: string }) {
  const client = useQueryClient();
  const offers = useId();
  const [kind, setKind] = useState<'folder' | 'git'>('folder');
  const [place, setPlace] = useState('');
  const [branch, setBranch] = useState('');
  const [name, setName] = useState('');
  const offered = useQuery({
    queryKey: ['notebook-roots', workspaceId],
    queryFn: () => workspaceApi.notebookRoots(workspaceId),
  });
  const free = offered.data?.folders.filter(({ notebook_id }) => notebook_id === null) ?? [];
  const called = name.trim() || nameFrom(place.trim());
  const add = useMutation({
    mutationFn: () =>
      workspaceApi.addNotebook({
        workspace_id: workspaceId,
        name: called,
        kind,
        ...(kind === 'folder'
          ? { path: place.trim() }
          : { url: place.trim(), ...(branch.trim() && { default_branch: branch.trim() }) }),
      }),
    onSuccess: (made) => {
      setPlace('');
      setBranch('');
      setName('');
      toast(`Added ${made.name}`);
      client.invalidateQueries({ queryKey: ['notebooks'] });
      client.invalidateQueries({ queryKey: ['notebook-roots'] });
    },
  });
  const roots = offered.data?.roots.join(', ');
  return (
    <AddForm label="Add a notebook" onSubmit={() => add.mutate()} error={add.error} failed="The notebook was not added">
      <div className="w-36 max-sm:w-full">
        <Select
          label="Kind"
          value={kind}
          onChange={(event) => {
            setKind(event.target.value === 'git' ? 'git' : 'folder');
            setPlace('');
            add.reset();
          }}
        >
          <option value="folder">Folder</option>
          <option value="git">Git repository</option>
        </Select>
      </div>
      <div className="min-w-64 flex-1">
        {kind === 'folder' ? (
          <>
            <TextField
              label="Folder on the server"
              list={offers}
              className="font-mono"
              required
              placeholder={free[0]?.path ?? '/srv/notes'}
              hint={roots ? `Below ${roots}.` : 'An absolute path.'}
              value={place}
              onChange={(event) => setPlace(event.target.value)}
            />
            <datalist id={offers}>
              {free.map(({ path, name: folder }) => (
                <option key={path} value={path}>
                  {folder}
                </option>
              ))}
            </datalist>
          </>
        ) : (
          <TextField
            label="Address of the repository"
            className="font-mono"
            required
            placeholder="git@host:team/repo.git"
            hint="https or SSH, without a password in it: a token or key is set once it is in the list."
            value={place}
            onChange={(event) => setPlace(event.target.value)}
          />
        )}
      </div>
      {kind === 'git' && (
        <div className="w-36 max-sm:w-full">
          <TextField
            label="Branch"
            placeholder="its default"
            value={branch}
            onChange={(event) => setBranch(event.target.value)}
          />
        </div>
      )}
      <div className="w-44 max-sm:w-full">
        <TextField
          label="Notebook name"
          maxLength={100}
          placeholder={nameFrom(place.trim()) || 'Notes'}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button
        type="submit"
        className="mt-6.5 max-sm:mt-0"
        busy={add.isPending}
        disabled={place.trim() === '' || called === ''}
      >
        Add notebook
      </Button>
      {free.length > 0 && kind === 'folder' && place === '' && (
        <p className="flex w-full flex-wrap items-center gap-2 text-small text-faint">
          Not added yet:
          {free.slice(0, 8).map(({ path, name: folder }) => (
            <button
              key={path}
              type="button"
              title={path}
              onClick={() => setPlace(path)}
              className="rounded border border-line bg-canvas px-1.5 font-mono text-soft hover:border-control hover:text-ink pointer-coarse:py-1.5"
            >
              {folder}
            </button>
          ))}
        </p>
      )}
    </AddForm>
  );
}
