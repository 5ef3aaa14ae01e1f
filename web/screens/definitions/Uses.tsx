import { Link } from 'react-router';
import type { VersionedKind } from '../../../domain/definition.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { pageOf } from '../../definitions-api.ts';
import { number, records, text } from '../../event-data.ts';
import { plural } from '../../format.ts';
import { ApiError } from '../../http.ts';

const HAS_PAGE: Record<VersionedKind, true> = {
  agent: true,
  tool: true,
  workflow: true,
  evaluator: true,
  integration: true,
};
const hasPage = (kind: string): kind is VersionedKind => kind in HAS_PAGE;

const isUse = (error: Error | null): error is ApiError =>
  error instanceof ApiError && (error.code === 'in_use' || error.code === 'has_schedules');

/** Why something was not deleted or changed; where others need it, who they are, with a way to each. */
export function Uses({ title, error, onClose }: { title: string; error: Error | null; onClose: () => void }) {
  const users = isUse(error) ? records(error.details, 'used_by') : [];
  const unseen = isUse(error) ? number(error.details, 'unseen') : 0;
  return (
    <Modal open={error !== null} onOpenChange={onClose} title={title}>
      {isUse(error) ? (
        <div className="flex flex-col gap-4">
          <p>
            {error.code === 'has_schedules'
              ? 'Schedules would start it. Pause or delete them first.'
              : 'Others use it. Take it out of them first, or deactivate them.'}
          </p>
          <ul aria-label="Used by" className="divide-y divide-line rounded-md border border-line">
            {users.map((user) => (
              <li key={text(user, 'id')} className="flex items-baseline gap-3 px-3 py-2">
                <Named kind={text(user, 'kind')} id={text(user, 'id')} name={text(user, 'name')} onOpen={onClose} />
                <span className="ml-auto shrink-0 text-small text-faint">{text(user, 'kind')}</span>
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

function Named({ kind, id, name, onOpen }: { kind: string; id: string; name: string; onOpen: () => void }) {
  if (!hasPage(kind)) return <span className="min-w-0 truncate">{name}</span>;
  return (
    <Link to={pageOf(kind, id)} onClick={onOpen} className="min-w-0 truncate rounded text-accent-ink hover:underline">
      {name}
    </Link>
  );
}
