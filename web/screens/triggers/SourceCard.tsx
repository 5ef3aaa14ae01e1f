import { useMutation, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Pause, Play, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { EventSource, EventSubscription } from '../../../domain/event.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { Menu } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { Block } from '../../components/Value.tsx';
import { hookExample } from '../../hook-example.ts';
import { type NewSource, triggersApi } from '../../triggers-api.ts';
import { SubscriptionDialog } from './SubscriptionDialog.tsx';
import { SubscriptionLine } from './SubscriptionLine.tsx';

interface Props {
  source: EventSource;
  subscriptions: EventSubscription[];
  mayMake: boolean;
  mayChange: (made: { created_by: string }) => boolean;
  onSecret: (told: NewSource) => void;
}

/** An address, how to send to it, and what runs for what comes. */
export function SourceCard({ source, subscriptions, mayMake, mayChange, onSecret }: Props) {
  const { id, name, is_active, url } = source;
  const client = useQueryClient();
  const [asks, setAsks] = useState<'remove' | 'renew' | null>(null);
  const [edited, setEdited] = useState<EventSubscription | 'new' | null>(null);
  const again = () => client.invalidateQueries({ queryKey: ['sources'] });
  const onError = (error: Error) => toast(error.message, 'failed');
  const turn = useMutation({
    mutationFn: () => triggersApi.changeSource(id, { is_active: !is_active }),
    onSuccess: () => toast(is_active ? `${name} takes nothing any more` : `${name} takes events again`),
    onError,
    onSettled: again,
  });
  const renew = useMutation({ mutationFn: () => triggersApi.renewSecret(id), onSuccess: onSecret, onError });
  const remove = useMutation({
    mutationFn: () => triggersApi.removeSource(id),
    onSuccess: () => toast(`Deleted ${name}`),
    onError,
    onSettled: again,
  });
  return (
    <article aria-label={name} className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <header className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <h2 className="flex items-baseline gap-2">
            <span className="truncate font-semibold" title={name}>
              {name}
            </span>
            {!is_active && <span className="text-small font-normal text-faint">Off</span>}
          </h2>
          {source.description && <p className="text-small text-soft">{source.description}</p>}
          <Copyable text={url} label={`the address of ${name}`} />
        </div>
        {mayChange(source) && (
          <Menu
            label={`More about ${name}`}
            items={[
              is_active
                ? { name: 'Turn off', icon: Pause, run: () => turn.mutate() }
                : { name: 'Turn on', icon: Play, run: () => turn.mutate() },
              { name: 'New secret', icon: KeyRound, run: () => setAsks('renew') },
              { name: 'Delete', icon: Trash2, run: () => setAsks('remove'), danger: true },
            ]}
          />
        )}
      </header>
      <details>
        <summary className="cursor-pointer text-small text-soft hover:text-ink">How to send an event</summary>
        <div className="mt-2">
          <Block text={hookExample(url)} label={`Example for ${name}`} />
        </div>
      </details>
      {subscriptions.length === 0 ? (
        <p className="text-small text-faint">Nothing runs for its events yet.</p>
      ) : (
        <ul aria-label={`Subscriptions of ${name}`} className="divide-y divide-line rounded-md border border-line">
          {subscriptions.map((subscription) => (
            <SubscriptionLine
              key={subscription.id}
              subscription={subscription}
              mayChange={mayChange(subscription)}
              onEdit={() => setEdited(subscription)}
            />
          ))}
        </ul>
      )}
      {mayMake && (
        <Button className="self-start" onClick={() => setEdited('new')} aria-label={`Subscribe to ${name}`}>
          <Plus aria-hidden size={14} /> Subscribe
        </Button>
      )}
      {edited !== null && (
        <SubscriptionDialog
          source={source}
          subscription={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
      <Confirm
        open={asks === 'remove'}
        onOpenChange={(open) => setAsks(open ? 'remove' : null)}
        title={`Delete “${name}”?`}
        description="Its address takes nothing any more. What was delivered stays to be read."
        confirm="Delete webhook"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
      <Confirm
        open={asks === 'renew'}
        onOpenChange={(open) => setAsks(open ? 'renew' : null)}
        title={`Give “${name}” a new secret?`}
        description="What is signed with the old one is refused from then on."
        confirm="Make a new secret"
        keep="Keep the old one"
        onConfirm={() => renew.mutate()}
      />
    </article>
  );
}
