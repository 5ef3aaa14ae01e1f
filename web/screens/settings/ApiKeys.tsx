import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { type ApiKey, api, type CreatedApiKey } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { exactly } from '../../format.ts';
import { useApiKeys } from '../../queries.ts';
import { Section } from './Section.tsx';

const DAY_MS = 86_400_000;

export function ApiKeys() {
  const keys = useApiKeys();
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const alive = keys.data?.filter(({ revoked_at }) => revoked_at === null);
  return (
    <Section
      anchor="api-keys"
      title="API keys"
      about={
        <>
          For the command line, scripts and other programs. A key may do what you may do; the{' '}
          <a href="/docs" target="_blank" rel="noopener" className="rounded text-accent-ink hover:underline">
            API reference
          </a>{' '}
          says how it is used.
        </>
      }
    >
      <NewKey onMade={setMade} />
      {made && (
        <div role="status" className="flex flex-col gap-1 rounded-md bg-done-wash p-3">
          <p className="font-medium text-done">“{made.name}” is made. This is the only time its key is shown.</p>
          <Copyable text={made.key} label="API key" />
        </div>
      )}
      {keys.error && !keys.data && <ErrorNote title="The keys could not be read" error={keys.error} />}
      {keys.isPending && <Skeleton className="h-10 w-full" />}
      {alive?.length === 0 && (
        <p className="flex items-center gap-2 text-faint">
          <KeyRound aria-hidden size={14} /> No keys yet.
        </p>
      )}
      {alive && alive.length > 0 && (
        <ul aria-label="API keys" className="divide-y divide-line rounded-md border border-line">
          {alive.map((key) => (
            <KeyLine key={key.id} apiKey={key} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function NewKey({ onMade }: { onMade: (key: CreatedApiKey) => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const make = useMutation({
    mutationFn: () =>
      api.createApiKey({
        name: name.trim(),
        ...(days && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      }),
    onSuccess: (key) => {
      setName('');
      onMade(key);
      client.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <div className="w-64 max-sm:w-full">
        <TextField
          label="Key name"
          placeholder="Laptop"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="w-36 max-sm:flex-1">
        <Select label="Expires" value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="30">in 30 days</option>
          <option value="90">in 90 days</option>
          <option value="365">in a year</option>
          <option value="">never</option>
        </Select>
      </div>
      <Button type="submit" busy={make.isPending} disabled={name.trim() === ''}>
        Create key
      </Button>
      {make.error && (
        <div className="w-full">
          <ErrorNote title="The key was not made" error={make.error} />
        </div>
      )}
    </form>
  );
}

function KeyLine({ apiKey }: { apiKey: ApiKey }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.revokeApiKey(apiKey.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
      <span className="min-w-0 flex-1 truncate font-medium">{apiKey.name}</span>
      <span className="font-mono text-small text-soft">{apiKey.prefix}…</span>
      <span className="text-small text-faint">
        {apiKey.last_used_at ? (
          <>
            used <Ago at={apiKey.last_used_at} />
          </>
        ) : (
          'never used'
        )}
      </span>
      <span className="text-small text-faint" title={apiKey.expires_at ? exactly(apiKey.expires_at) : undefined}>
        {apiKey.expires_at ? `expires ${new Date(apiKey.expires_at).toLocaleDateString()}` : 'never expires'}
      </span>
      <Button kind="danger" aria-label={`Revoke ${apiKey.name}`} busy={revoke.isPending} onClick={() => setAsks(true)}>
        Revoke
      </Button>
      {revoke.error && <ErrorNote title="The key was not revoked" error={revoke.error} />}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={`Revoke “${apiKey.name}”?`}
        description="Programs that use it are refused from now on. A revoked key cannot be brought back."
        confirm="Revoke key"
        keep="Keep it"
        onConfirm={() => revoke.mutate()}
      />
    </li>
  );
}
