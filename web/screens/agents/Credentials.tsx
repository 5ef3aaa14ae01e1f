import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Trash2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { agentsApi, type Credential } from '../../agents-api.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

const SUGGESTED = ['api_key', 'api_base'];

export function Credentials() {
  const { agentId, disabled } = useForm();
  return (
    <FormSection
      id="credentials"
      about="Secrets of this agent: api_key and api_base go to its model's provider before those of the installation. They are kept encrypted and never shown again, to nobody. Setting one counts at once, not with Save."
    >
      {agentId === null ? (
        <p className="flex items-center gap-2 text-faint">
          <KeyRound aria-hidden size={14} /> Create the agent first; then its credentials can be set here.
        </p>
      ) : disabled ? (
        <p className="text-faint">Only those who may change the agent see which there are.</p>
      ) : (
        <Keys
          ownerId={agentId}
          calls={{
            list: agentsApi.credentials,
            set: agentsApi.setCredential,
            remove: agentsApi.removeCredential,
          }}
          suggested={SUGGESTED}
          none="None: it uses those of the installation."
        />
      )}
    </FormSection>
  );
}

interface KeysProps {
  /** The agent or integration they are of. */
  ownerId: string;
  calls: {
    list: (id: string) => Promise<{ items: Credential[] }>;
    set: (id: string, key: string, value: string) => Promise<Credential>;
    remove: (id: string, key: string) => Promise<void>;
  };
  suggested: string[];
  /** Said where there is none. */
  none: string;
}

/** Names of secrets, with a way to set, replace and remove each; their values go in and never come out. */
export function Keys({ ownerId, calls, suggested, none }: KeysProps) {
  const client = useQueryClient();
  const list = useId();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const keys = useQuery({
    queryKey: ['credentials', ownerId],
    queryFn: () => calls.list(ownerId),
    select: ({ items }) => items,
  });
  const set = useMutation({
    mutationFn: () => calls.set(ownerId, key.trim(), value),
    onSuccess: (made) => {
      setKey('');
      setValue('');
      toast(`${made.key} is set`);
      client.invalidateQueries({ queryKey: ['credentials', ownerId] });
    },
  });
  const isThere = keys.data?.some((each) => each.key === key.trim()) ?? false;
  const canSet = key.trim() !== '' && value !== '';
  return (
    <>
      {keys.error && !keys.data && <ErrorNote title="The credentials could not be read" error={keys.error} />}
      {keys.isPending && <Skeleton className="h-10 w-full" />}
      {keys.data?.length === 0 && (
        <p className="flex items-center gap-2 text-faint">
          <KeyRound aria-hidden size={14} /> {none}
        </p>
      )}
      {keys.data && keys.data.length > 0 && (
        <ul aria-label="Credentials" className="divide-y divide-line rounded-md border border-line">
          {keys.data.map((each) => (
            <KeyLine
              key={each.key}
              credential={each}
              onRemove={() => calls.remove(ownerId, each.key)}
              ownerId={ownerId}
              onReplace={() => {
                setKey(each.key);
                field.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-48 max-sm:w-full">
          <TextField
            label="Credential"
            list={list}
            maxLength={100}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            className="font-mono"
            placeholder={suggested[0]}
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
          <datalist id={list}>
            {suggested.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </div>
        <div className="w-72 max-sm:w-full">
          <TextField
            ref={field}
            label="Value"
            type="password"
            autoComplete="new-password"
            className="font-mono"
            value={value}
            onChange={({ target }) => setValue(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              if (canSet) set.mutate();
            }}
          />
        </div>
        <Button busy={set.isPending} disabled={!canSet} onClick={() => set.mutate()}>
          {isThere ? 'Replace' : 'Set'}
        </Button>
      </div>
      {set.error && <ErrorNote title="It was not set" error={set.error} />}
    </>
  );
}

interface KeyLineProps {
  ownerId: string;
  onRemove: () => Promise<void>;
  credential: Credential;
  onReplace: () => void;
}

function KeyLine({ ownerId, onRemove, credential: { key, updated_at }, onReplace }: KeyLineProps) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: onRemove,
    onSuccess: () => toast(`Removed ${key}`),
    onError: (error) => toast(error.message, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['credentials', ownerId] }),
  });
  return (
    <li className="flex min-h-10 items-center gap-3 py-1 pr-1 pl-3">
      <span className="min-w-0 flex-1 truncate font-mono text-small">{key}</span>
      <span className="text-small text-faint max-sm:hidden">
        set <Ago at={updated_at} />
      </span>
      <Button kind="quiet" aria-label={`Replace ${key}`} onClick={onReplace}>
        Replace
      </Button>
      <IconButton label={`Remove ${key}`} busy={remove.isPending} onClick={() => setAsks(true)}>
        <Trash2 aria-hidden size={15} />
      </IconButton>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={`Remove ${key}?`}
        description="It is missing from the next call on. The value cannot be brought back, only set again."
        confirm="Remove credential"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}
