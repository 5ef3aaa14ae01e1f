import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea, TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { workspaceApi } from '../../workspace-api.ts';

const WORDS: Record<string, string> = { token: 'Token', username: 'User name', ssh_key: 'SSH key' };

/** What a git notebook shows its remote: values go in and never come out. */
export function NotebookAccess({ notebook }: { notebook: Notebook }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton label={`Access of ${notebook.name}`} onClick={() => setOpen(true)}>
        <KeyRound aria-hidden size={15} />
      </IconButton>
      <Modal
        open={open}
        onOpenChange={setOpen}
        title={`Access of ${notebook.name}`}
        description="What the repository is shown to let runs read and push. It is kept encrypted, and never shown again to anybody."
      >
        <Access notebook={notebook} />
      </Modal>
    </>
  );
}

function Access({ notebook: { id, url } }: { notebook: Notebook }) {
  const client = useQueryClient();
  const isHttp = /^https?:/.test(url ?? '');
  const [username, setUsername] = useState('');
  const [secret, setSecret] = useState('');
  const key = isHttp ? 'token' : 'ssh_key';
  const kept = useQuery({ queryKey: ['access', id], queryFn: () => workspaceApi.access(id) });
  const settled = () => client.invalidateQueries({ queryKey: ['access', id] });
  const set = useMutation({
    mutationFn: async () => {
      if (username.trim() !== '') await workspaceApi.setAccess(id, 'username', username.trim());
      if (secret.trim() !== '') await workspaceApi.setAccess(id, key, secret.trim());
    },
    onSuccess: () => {
      setUsername('');
      setSecret('');
      toast('Set. It is used from the next fetch or push on.');
    },
    onSettled: settled,
  });
  const remove = useMutation({
    mutationFn: (each: string) => workspaceApi.removeAccess(id, each),
    onError: (error) => toast(error.message, 'failed'),
    onSettled: settled,
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate();
      }}
    >
      {kept.isPending && <Skeleton className="h-10 w-full" />}
      {kept.error && <ErrorNote title="It could not be read which there are" error={kept.error} />}
      {kept.data?.items.length === 0 && (
        <p className="text-faint">
          None: the repository is open to all{isHttp ? '' : ', or to the key of the server'}.
        </p>
      )}
      {kept.data && kept.data.items.length > 0 && (
        <ul aria-label="Access" className="divide-y divide-line rounded-md border border-line">
          {kept.data.items.map(({ key: each, updated_at }) => (
            <li key={each} className="flex min-h-10 items-center gap-3 py-1 pr-1 pl-3">
              <span className="flex-1">{WORDS[each] ?? each}</span>
              <span className="text-small text-faint">
                set <Ago at={updated_at} />
              </span>
              <IconButton
                label={`Remove ${WORDS[each] ?? each}`}
                busy={remove.isPending}
                onClick={() => remove.mutate(each)}
              >
                <Trash2 aria-hidden size={15} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {isHttp ? (
        <>
          <TextField
            label="User name"
            hint="Only where the server wants one; forges take any with a token."
            autoComplete="off"
            spellCheck={false}
            value={username}
            onChange={({ target }) => setUsername(target.value)}
          />
          <TextField
            label="Token"
            type="password"
            autoComplete="new-password"
            className="font-mono"
            value={secret}
            onChange={({ target }) => setSecret(target.value)}
          />
        </>
      ) : (
        <TextArea
          label="SSH key"
          hint="A private key without a passphrase, whole."
          rows={6}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />
      )}
      {set.error && <ErrorNote title="It was not set" error={set.error} />}
      <Button
        type="submit"
        className="self-start"
        busy={set.isPending}
        disabled={secret.trim() === '' && username.trim() === ''}
      >
        Set
      </Button>
    </form>
  );
}
