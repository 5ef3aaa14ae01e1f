import { Link } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { number, records, text } from '../../event-data.ts';
import { plural } from '../../format.ts';
import { ApiError } from '../../http.ts';

interface Props {
  agent: Agent;
  error: Error | null;
  onClose: () => void;
}

/** Why an agent was not deleted; where others need it, who they are. */
export function InUse({ agent, error, onClose }: Props) {
  const details = error instanceof ApiError && error.code === 'in_use' ? error.details : null;
  const users = details ? records(details, 'used_by') : [];
  const unseen = details ? number(details, 'unseen') : 0;
  return (
    <Modal open={error !== null} onOpenChange={onClose} title={`“${agent.name}” was not deleted`}>
      {details ? (
        <div className="flex flex-col gap-4">
          <p>Other agents hand work to it. Take it off their lists first, or deactivate it instead.</p>
          <ul aria-label="Used by" className="divide-y divide-line rounded-md border border-line">
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
            {unseen > 0 && <li className="px-3 py-2 text-faint">{plural(unseen, 'agent')} you may not see</li>}
          </ul>
          <Button className="self-end" onClick={onClose}>
            Close
          </Button>
        </div>
      ) : (
        error && <ErrorNote title="The server refused" error={error} />
      )}
    </Modal>
  );
}
