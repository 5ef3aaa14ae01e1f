import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventSource, EventSubscription } from '../../../domain/event.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea, TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { newKey } from '../../http.ts';
import { asTyped, typedProblem, typedValue } from '../../json-text.ts';
import { triggersApi } from '../../triggers-api.ts';
import { errorsOf } from '../agents/saving.ts';
import { draftOfTarget, NO_TARGET, TargetFields, targetOf } from './TargetFields.tsx';

interface Props {
  source: EventSource;
  subscription: EventSubscription | null;
  onClose: () => void;
}

/** What runs for the events of a source, for which of them, and with what. */
export function SubscriptionDialog({ source, subscription, onClose }: Props) {
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [target, setTarget] = useState(subscription ? draftOfTarget(subscription) : NO_TARGET);
  const [form, setForm] = useState({
    name: subscription?.name ?? '',
    filter: subscription?.filter ?? '',
    input_mapping: asTyped(subscription?.input_mapping),
  });
  const save = useMutation({
    mutationFn: () => {
      const wanted = targetOf(target);
      const body = {
        ...wanted,
        target_type: wanted.agent_id === null ? ('workflow' as const) : ('agent' as const),
        name: form.name,
        filter: form.filter.trim() || null,
        input_mapping: typedValue(form.input_mapping),
      };
      return subscription
        ? triggersApi.changeSubscription(subscription.id, body)
        : triggersApi.addSubscription({ ...body, source_id: source.id }, key);
    },
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: ['subscriptions'] });
      toast(`${name} runs for events of ${source.name}`);
      onClose();
    },
  });
  const errors = errorsOf(save.error);
  const wrong = typedProblem(form.input_mapping);
  const change = (part: Partial<typeof form>): void => {
    setForm({ ...form, ...part });
    setKey(newKey());
  };
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title={`Subscribe to ${source.name}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (target.target !== '' && wrong === null) save.mutate();
        }}
      >
        <TextField
          label="Name"
          maxLength={200}
          placeholder="New tickets"
          value={form.name}
          error={errors.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <TargetFields
          draft={target}
          errors={errors}
          onChange={(part) => {
            setTarget({ ...target, ...part });
            setKey(newKey());
          }}
        />
        <TextField
          label="Only where"
          spellCheck={false}
          className="font-mono"
          placeholder={'payload.action == "opened"'}
          hint="Without it, for every event."
          value={form.filter}
          error={errors.filter}
          onChange={(event) => change({ filter: event.target.value })}
        />
        <TextArea
          label="Input mapping"
          rows={3}
          className="max-h-60 font-mono"
          placeholder={'{ "ticket": "{{ payload.ticket.id }}" }'}
          hint="Makes the input from {{ payload … }}, {{ headers … }}, {{ source.name }} and {{ delivery.id }}. Without it, the input is the payload."
          value={form.input_mapping}
          error={errors.input_mapping ?? wrong ?? undefined}
          onChange={(event) => change({ input_mapping: event.target.value })}
        />
        {save.error && Object.keys(errors).length === 0 && (
          <ErrorNote title="The subscription was not saved" error={save.error} />
        )}
        <div className="flex justify-end max-sm:*:flex-1">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={target.target === '' || wrong !== null}>
            {subscription ? 'Save subscription' : 'Subscribe'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
