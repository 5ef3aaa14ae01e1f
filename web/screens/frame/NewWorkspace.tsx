import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { session } from '../../session.ts';
import { workspaceApi } from '../../workspace-api.ts';

export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: () => workspaceApi.add(name.trim()),
    onSuccess: async ({ id }) => {
      // Known before it is chosen: one that nobody knows would be taken for another.
      await client.invalidateQueries({ queryKey: ['me'] });
      session.chooseWorkspace(id);
      onClose();
      navigate('/settings#notebooks');
    },
  });
  return (
    <Modal
      open
      onOpenChange={onClose}
      title="New workspace"
      description="It has agents, notebooks and members of its own. You are its admin; add a notebook next, and invite others."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') make.mutate();
        }}
      >
        <TextField
          label="Name"
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {make.error && <ErrorNote title="The workspace was not made" error={make.error} />}
        <Button type="submit" kind="primary" className="self-start" busy={make.isPending} disabled={name.trim() === ''}>
          Create workspace
        </Button>
      </form>
    </Modal>
  );
}
