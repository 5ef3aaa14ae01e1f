import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pause, Pencil, Play, Trash2 } from 'lucide-react';
import type { EventSubscription } from '../../../domain/event.ts';
import { Menu } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { triggersApi } from '../../triggers-api.ts';

interface Props {
  subscription: EventSubscription;
  mayChange: boolean;
  onEdit: () => void;
}

export function SubscriptionLine({ subscription, mayChange, onEdit }: Props) {
  const { id, name, target_name, target_type, filter, is_active } = subscription;
  const client = useQueryClient();
  const again = () => client.invalidateQueries({ queryKey: ['subscriptions'] });
  const onError = (error: Error) => toast(error.message, 'failed');
  const turn = useMutation({
    mutationFn: () => triggersApi.changeSubscription(id, { is_active: !is_active }),
    onError,
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: () => triggersApi.removeSubscription(id),
    onSuccess: () => toast(`${name} runs for it no more`),
    onError,
    onSettled: again,
  });
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <div className="flex min-w-0 flex-1 flex-col">
        <p className="truncate">
          <span className="font-medium">{name}</span>
          <span className="text-small text-soft">
            {' '}
            runs the {target_type} {target_name}
          </span>
          {!is_active && <span className="text-small text-faint"> · Off</span>}
        </p>
        {filter && (
          <p className="truncate font-mono text-small text-faint" title={filter}>
            only where {filter}
          </p>
        )}
      </div>
      {mayChange && (
        <Menu
          label={`More about ${name}`}
          items={[
            { name: 'Edit', icon: Pencil, run: onEdit },
            is_active
              ? { name: 'Turn off', icon: Pause, run: () => turn.mutate() }
              : { name: 'Turn on', icon: Play, run: () => turn.mutate() },
            { name: 'Remove', icon: Trash2, run: () => remove.mutate(), danger: true },
          ]}
        />
      )}
    </li>
  );
}
