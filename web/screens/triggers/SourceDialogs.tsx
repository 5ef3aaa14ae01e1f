import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Copyable, copy } from '../../components/Copyable.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { Block } from '../../components/Value.tsx';
import { hookExample } from '../../hook-example.ts';
import { newKey } from '../../http.ts';
import { type NewSource, triggersApi } from '../../triggers-api.ts';
import { errorsOf } from '../agents/saving.ts';

interface NewProps {
  workspaceId: string;
  onClose: () => void;
  onMade: (made: NewSource) => void;
}

export function NewSourceDialog({ workspaceId, onClose, onMade }: NewProps) {
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [form, setForm] = useState({ name: '', description: '' });
  const make = useMutation({
    mutationFn: () => triggersApi.addSource({ workspace_id: workspaceId, ...form, name: form.name.trim() }, key),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: ['sources'] });
      onMade(made);
    },
  });
  const errors = errorsOf(make.error);
  const change = (part: Partial<typeof form>): void => {
    setForm({ ...form, ...part });
    setKey(newKey());
  };
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title="New webhook">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <TextField
          label="Name"
          autoFocus
          required
          maxLength={200}
          placeholder="Tickets"
          value={form.name}
          error={errors.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <TextField
          label="Description"
          maxLength={2000}
          placeholder="What sends here, and what for"
          value={form.description}
          error={errors.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        {make.error && Object.keys(errors).length === 0 && (
          <ErrorNote title="The webhook was not made" error={make.error} />
        )}
        <div className="flex justify-end max-sm:*:flex-1">
          <Button type="submit" kind="primary" busy={make.isPending} disabled={form.name.trim() === ''}>
            Make webhook
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** The one time its secret is seen. */
export function SecretDialog({ source, onClose }: { source: NewSource; onClose: () => void }) {
  const example = hookExample(source.url, source.secret);
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Secret of ${source.name}`}
      description="Copy it now: it is not shown again. Whoever has it can start what is subscribed."
    >
      <div className="flex flex-col gap-4">
        <p className="rounded-md border border-line bg-canvas p-3">
          <Copyable text={source.secret} label="the secret" />
        </p>
        <div className="flex flex-col gap-2">
          <p className="font-medium">Try it in a terminal</p>
          <Block text={example} label="Example" />
        </div>
        <div className="flex justify-end gap-2 max-sm:*:flex-1">
          <Button
            onClick={async () => {
              await copy(example);
              toast('Copied the example');
            }}
          >
            Copy example
          </Button>
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
