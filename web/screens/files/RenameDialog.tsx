import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { fileHref, nameOf, typedPath } from '../../file-paths.ts';
import { filesApi } from '../../files-api.ts';

interface Props {
  notebookId: string;
  path: string;
  hash: string;
  onClose: () => void;
}

export function RenameDialog({ notebookId, path, hash, onClose }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [to, setTo] = useState(path);
  const move = useMutation({
    mutationFn: () => filesApi.move(notebookId, { from: path, to: typedPath(to), expected_hash: hash }),
    onSuccess: (moved) => {
      void client.invalidateQueries({ queryKey: ['folder', notebookId] });
      onClose();
      navigate(fileHref(notebookId, moved.path), { replace: true });
    },
  });
  return (
    <Modal open onOpenChange={onClose} title={`Rename or move ${nameOf(path)}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          move.mutate();
        }}
      >
        <TextField
          label="New path"
          hint="From the root of the notebook. Folders that are not there are made."
          className="font-mono"
          required
          autoFocus
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
        {move.error && <ErrorNote title="The file was not moved" error={move.error} />}
        <Button
          type="submit"
          kind="primary"
          className="self-start"
          busy={move.isPending}
          disabled={typedPath(to) === path || to.trim() === ''}
        >
          Move
        </Button>
      </form>
    </Modal>
  );
}
