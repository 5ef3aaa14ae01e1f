import { useQuery } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useMe, useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { type NewSource, triggersApi } from '../../triggers-api.ts';
import { Deliveries } from './Deliveries.tsx';
import { SourceCard } from './SourceCard.tsx';
import { NewSourceDialog, SecretDialog } from './SourceDialogs.tsx';

interface Props {
  isMaking: boolean;
  onMake: (making: boolean) => void;
}

export function Webhooks({ isMaking, onMake }: Props) {
  const workspace = useWorkspace();
  const { data: me } = useMe();
  const [told, setTold] = useState<NewSource | null>(null);
  const id = workspace?.id ?? '';
  const enabled = workspace !== undefined;
  const sources = useQuery({ queryKey: ['sources', id], queryFn: () => triggersApi.sources(id), enabled });
  const subscriptions = useQuery({
    queryKey: ['subscriptions', id],
    queryFn: () => triggersApi.subscriptions(id),
    enabled,
  });
  const mayMake = workspace !== undefined && workspace.role !== 'read';
  const mayChange = ({ created_by }: { created_by: string }) =>
    isAdmin(workspace?.role) || (mayMake && created_by === me?.user.id);
  const wrong = sources.error ?? subscriptions.error;
  return (
    <>
      <section aria-label="Sources" aria-busy={sources.isPending} className="flex flex-col gap-4">
        {wrong && !sources.data && <ErrorNote title="The webhooks could not be read" error={wrong} />}
        {sources.isPending && <Skeleton className="h-24 w-full" />}
        {sources.data?.length === 0 && (
          <EmptyState
            icon={Webhook}
            title="No webhooks yet"
            action={mayMake && <Button onClick={() => onMake(true)}>Make the first webhook</Button>}
          >
            A webhook is an address that other systems send events to, signed with a secret. Agents and workflows that
            are subscribed run for each of them.
          </EmptyState>
        )}
        {sources.data?.map((source) => (
          <SourceCard
            key={source.id}
            source={source}
            subscriptions={subscriptions.data?.filter(({ source_id }) => source_id === source.id) ?? []}
            mayMake={mayMake}
            mayChange={mayChange}
            onSecret={setTold}
          />
        ))}
      </section>
      {workspace && sources.data && sources.data.length > 0 && (
        <Deliveries workspaceId={workspace.id} mayRedeliver={mayMake} />
      )}
      {isMaking && workspace && (
        <NewSourceDialog
          workspaceId={workspace.id}
          onClose={() => onMake(false)}
          onMade={(made) => {
            onMake(false);
            setTold(made);
          }}
        />
      )}
      {told && <SecretDialog source={told} onClose={() => setTold(null)} />}
    </>
  );
}
