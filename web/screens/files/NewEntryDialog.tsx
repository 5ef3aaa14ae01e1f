import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { fileHref, folderHref, typedPath } from '../../file-paths.ts';
import { filesApi } from '../../files-api.ts';

interface Props {
  notebookId: string;
  kind: 'file' | 'folder';
  /** Where it goes unless another place is typed. */
  folder: string;
  onClose: () => void;
}

export function NewEntryDialog({ notebookId, kind, folder, onClose }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [text, setText] = useState(folder === '/' ? '/' : `${folder}/`);
  const path = typedPath(text);
  const isWhole = path !== '/' && !text.trimEnd().endsWith('/');
  const make = useMutation({
    mutationFn: (): Promise<{ path: string }> =>
      kind === 'folder'
        ? filesApi.makeFolder(notebookId, path)
        : filesApi.write(notebookId, { path, content: '', expected_hash: null }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ['folder', notebookId] });
      onClose();
      navigate(kind === 'folder' ? folderHref(notebookId, made.path) : fileHref(notebookId, made.path, 1));
    },
  });
  return (
    <Modal open onOpenChange={onClose} title={`New ${kind}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isWhole) make.mutate();
        }}
      >
        <TextField
          label="Path"
          hint="From the root of the notebook. Folders that are not there are made."
          className="font-mono"
          required
          autoFocus
          placeholder={kind === 'file' ? '/notes/idea.md' : '/notes'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          // Behind what is there already, where one goes on typing.
          onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        />
        {make.error && <ErrorNote title={`The ${kind} was not made`} error={make.error} />}
        <Button type="submit" kind="primary" className="self-start" busy={make.isPending} disabled={!isWhole}>
          Create {kind}
        </Button>
      </form>
    </Modal>
  );
}
