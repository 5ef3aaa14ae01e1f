import { type LucideIcon, UsersRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';

export function Note({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <div className="mt-6 flex gap-2.5 rounded-md bg-waits-wash p-3">
      <Icon aria-hidden size={16} className="mt-0.5 shrink-0 text-waits" />
      <div className="flex min-w-0 flex-col gap-2">
        <p className="font-medium text-waits">{title}</p>
        <div>{children}</div>
      </div>
    </div>
  );
}

/** What the server refused. Where it named fields they are marked below; here are all of them, also those not shown. */
export function Refusal({ title, error, fields }: { title: string; error: Error; fields: Record<string, string> }) {
  const named = Object.entries(fields);
  return (
    <div className="pt-6">
      {named.length === 0 ? (
        <ErrorNote title={title} error={error} />
      ) : (
        <div role="alert" className="flex flex-col gap-1 rounded-md bg-failed-wash p-3">
          <p className="font-medium text-failed">
            {title}: {named.length === 1 ? 'a field needs' : `${named.length} fields need`} another look
          </p>
          <ul>
            {named.map(([name, said]) => (
              <li key={name} className="break-words">
                <span className="font-mono text-small">{name}</span> {said}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface Props {
  what?: string;
  busy: boolean;
  onReload: () => void;
  onOverwrite: () => void;
}

/** Two people changed the same thing; the second one decides. */
export function Conflict({ what = 'agent', busy, onReload, onOverwrite }: Props) {
  return (
    <div role="alert">
      <Note icon={UsersRound} title={`Somebody else has changed this ${what} meanwhile`}>
        <p>
          Nothing was saved. Read their version and lose what you changed here, or save yours over it: the fields you
          changed become yours, all others stay as they are now.
        </p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button busy={busy} onClick={onReload}>
            Reload theirs
          </Button>
          <Button kind="danger" busy={busy} onClick={onOverwrite}>
            Save mine over it
          </Button>
        </div>
      </Note>
    </div>
  );
}
