import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type AgentView, agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm, Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { toast } from '../../components/Toasts.tsx';
import { records, text } from '../../event-data.ts';
import { ApiError } from '../../http.ts';

interface Props {
  agent: AgentView;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onRemoved: () => void;
}

/** Deleting cannot be undone from here, so it is asked; where others need the agent, they are named. */
export function RemoveAgent({ agent, open, onOpenChange, onRemoved }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => agentsApi.remove(agent.id),
    onSuccess: () => {
      toast(`Deleted ${agent.name}`);
      onRemoved();
      client.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  return (
    <>
      <Confirm
        open={open}
        onOpenChange={onOpenChange}
        title={`Delete “${agent.name}”?`}
        description="Nobody can start it any more, and it cannot be brought back. Its runs stay, and those under way go on. To keep it for later, deactivate it instead."
        confirm="Delete agent"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
      <Modal open={remove.error !== null} onOpenChange={() => remove.reset()} title={`“${agent.name}” was not deleted`}>
        {remove.error && <Refused error={remove.error} onClose={() => remove.reset()} />}
      </Modal>
    </>
  );
}

function Refused({ error, onClose }: { error: Error; onClose: () => void }) {
  const users = error instanceof ApiError && error.code === 'in_use' ? records(error.details, 'used_by') : [];
  if (users.length === 0) return <ErrorNote title="The server refused" error={error} />;
  return (
    <div className="flex flex-col gap-4">
      <p>These agents hand work to it. Take it off their lists first:</p>
      <ul className="divide-y divide-line rounded-md border border-line">
        {users.map((user) => (
          <li key={text(user, 'id')} className="px-3 py-2">
            <Link
              to={`/agents/${encodeURIComponent(text(user, 'id'))}`}
              onClick={onClose}
              className="rounded text-accent-ink hover:underline"
            >
              {text(user, 'name')}
            </Link>
          </li>
        ))}
      </ul>
      <Button className="self-end" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
