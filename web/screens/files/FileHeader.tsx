import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button } from '../../components/Button.tsx';
import { Menu } from '../../components/Menu.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { fileHref, folderHref, folderOf, isMarkdown, nameOf } from '../../file-paths.ts';
import { filesApi } from '../../files-api.ts';
import { size } from '../../format.ts';
import { modName } from '../../shortcuts.ts';
import type { useEditedFile } from './edited-file.ts';
import { PathCrumbs } from './PathCrumbs.tsx';
import { RenameDialog } from './RenameDialog.tsx';

interface Props {
  notebook: Notebook;
  path: string;
  edited: ReturnType<typeof useEditedFile>;
  mayWrite: boolean;
  isRendered: boolean;
  onRender: (isOn: boolean) => void;
  /** The file is about to be left on purpose. */
  onLeave: () => void;
}

export function FileHeader({ notebook, path, edited, mayWrite, isRendered, onRender, onLeave }: Props) {
  const { base, isDirty } = edited;
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <PathCrumbs notebook={notebook} path={path} />
      {isDirty && (
        <span className="flex items-center gap-1.5 text-small font-medium whitespace-nowrap text-waits">
          <span aria-hidden className="size-2 rounded-full bg-waits" /> Unsaved
        </span>
      )}
      <div className="ml-auto flex items-center gap-2">
        {base && (
          <span className="text-small whitespace-nowrap text-faint max-lg:hidden">
            {size(base.size)}
            {base.modified_at && (
              <>
                {' '}
                · changed <Ago at={base.modified_at} />
              </>
            )}
          </span>
        )}
        {isMarkdown(path) && <ViewSwitch isRendered={isRendered} onRender={onRender} />}
        {mayWrite && base && !edited.hasMet && (
          <>
            <Button
              kind={isDirty ? 'primary' : 'plain'}
              disabled={!isDirty}
              busy={edited.isSaving}
              title={`${modName()} S`}
              onClick={edited.save}
            >
              Save
            </Button>
            <FileMenu notebook={notebook} path={path} edited={edited} onLeave={onLeave} />
          </>
        )}
      </div>
    </header>
  );
}

function ViewSwitch({ isRendered, onRender }: Pick<Props, 'isRendered' | 'onRender'>) {
  const views = [
    { name: 'Read', isOn: true },
    { name: 'Source', isOn: false },
  ];
  return (
    <fieldset className="inline-flex rounded-lg border border-line bg-canvas p-0.5">
      <legend className="sr-only">View</legend>
      {views.map(({ name, isOn }) => (
        <button
          key={name}
          type="button"
          aria-pressed={isRendered === isOn}
          onClick={() => onRender(isOn)}
          className="h-7 rounded-md px-2.5 text-soft aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink aria-pressed:ring-1 aria-pressed:ring-line pointer-coarse:h-9"
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

function FileMenu({ notebook, path, edited, onLeave }: Pick<Props, 'notebook' | 'path' | 'edited' | 'onLeave'>) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [renames, setRenames] = useState(false);
  const { base, isDirty } = edited;
  const refresh = () => client.invalidateQueries({ queryKey: ['folder', notebook.id] });

  async function bringBack(content: string): Promise<void> {
    try {
      await filesApi.write(notebook.id, { path, content, expected_hash: null });
      toast(`${nameOf(path)} is back`);
      await refresh();
      navigate(fileHref(notebook.id, path));
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'failed');
    }
  }
  const remove = useMutation({
    mutationFn: () => filesApi.remove(notebook.id, path, base?.hash ?? ''),
    onSuccess: () => {
      onLeave();
      client.removeQueries({ queryKey: ['file', notebook.id, path] });
      void refresh();
      const content = base?.text ?? '';
      toast(`Deleted ${nameOf(path)}`, 'done', { name: 'Undo', run: () => void bringBack(content) });
      navigate(folderHref(notebook.id, folderOf(path)));
    },
    onError: (error) => toast(error.message, 'failed'),
  });
  return (
    <>
      <Menu
        label={`More for ${nameOf(path)}`}
        items={[
          {
            name: isDirty ? 'Rename or move (save first)' : 'Rename or move',
            icon: PencilLine,
            run: () => setRenames(true),
            disabled: isDirty,
          },
          { name: 'Delete', icon: Trash2, run: () => remove.mutate(), danger: true },
        ]}
      />
      {renames && base && (
        <RenameDialog notebookId={notebook.id} path={path} hash={base.hash} onClose={() => setRenames(false)} />
      )}
    </>
  );
}
