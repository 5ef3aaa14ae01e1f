import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Checkbox, TextArea } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { workspaceApi } from '../../workspace-api.ts';

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

/** What is run before the first command of an agent in a notebook, to install what its programs need. */
export function NotebookSetup({ notebook, onDone }: { notebook: Notebook; onDone: () => void }) {
  const client = useQueryClient();
  const [commands, setCommands] = useState(notebook.setup_commands.join('\n'));
  const [network, setNetwork] = useState(notebook.setup_network);
  const save = useMutation({
    mutationFn: () =>
      workspaceApi.changeNotebook(notebook.id, { setup_commands: linesOf(commands), setup_network: network }),
    onSuccess: async () => {
      toast(`Saved the set-up of ${notebook.name}`);
      await client.invalidateQueries({ queryKey: ['notebooks'] });
      onDone();
    },
  });
  return (
    <form
      aria-label={`Set-up of ${notebook.name}`}
      className="flex w-full flex-col gap-3 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextArea
        label="Set-up commands, one a line"
        className="font-mono"
        rows={3}
        placeholder="npm ci"
        autoFocus
        hint="Run before the first command of an agent, and again when they or a lock file have changed. What they install is kept."
        value={commands}
        onChange={(event) => setCommands(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      <Checkbox
        label="They may reach public addresses, which installing mostly needs"
        checked={network}
        onChange={(event) => setNetwork(event.target.checked)}
      />
      <div className="flex gap-2">
        <Button type="submit" busy={save.isPending}>
          Save set-up
        </Button>
        <Button kind="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
      {save.error && <ErrorNote title="The set-up was not saved" error={save.error} />}
    </form>
  );
}
