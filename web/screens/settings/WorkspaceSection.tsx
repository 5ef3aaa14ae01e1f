import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { Section } from './Section.tsx';

export function WorkspaceSection() {
  const client = useQueryClient();
  const workspace = useWorkspace();
  const [name, setName] = useState('');
  useEffect(() => setName(workspace?.name ?? ''), [workspace?.name]);
  const rename = useMutation({
    mutationFn: (id: string) => workspaceApi.rename(id, name.trim()),
    onSuccess: () => {
      toast('Workspace renamed');
      client.invalidateQueries({ queryKey: ['me'] });
    },
  });
  if (!workspace) return null;
  const mayChange = isAdmin(workspace.role);
  const isSame = name.trim() === '' || name.trim() === workspace.name;
  return (
    <Section
      anchor="workspace"
      title="Workspace"
      about={`What follows is about ${workspace.name}; you are its ${workspace.role === 'admin' ? 'admin' : `member with the role ${workspace.role}`}.`}
    >
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame) rename.mutate(workspace.id);
        }}
      >
        <div className="w-64 max-sm:w-full">
          <TextField
            label="Workspace name"
            required
            maxLength={100}
            disabled={!mayChange}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        {mayChange && (
          <Button type="submit" busy={rename.isPending} disabled={isSame}>
            Rename
          </Button>
        )}
      </form>
      {rename.error && <ErrorNote title="The workspace was not renamed" error={rename.error} />}
      <p className="flex items-center gap-2 text-small text-faint">
        Workspace id <Copyable text={workspace.id} label="workspace id" />
      </p>
    </Section>
  );
}
