import { Check, CheckCheck, Hand, Pencil, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { PendingAction } from '../../domain/pending.ts';
import { callWords } from '../call-words.ts';
import type { Decision } from '../decisions.ts';
import { useWaitingFocus } from '../waiting-focus.ts';
import { ArgumentsForm } from './ArgumentsForm.tsx';
import { Button } from './Button.tsx';
import { Diff } from './Diff.tsx';
import { ErrorNote } from './ErrorNote.tsx';
import { TextField } from './Fields.tsx';
import { Value } from './Value.tsx';

export type ActionMode = 'look' | 'deny' | 'edit';

interface Props {
  action: Pick<PendingAction, 'id' | 'type' | 'path' | 'arguments' | 'preview' | 'problem'>;
  mode: ActionMode;
  onMode: (mode: ActionMode) => void;
  onDecide: (decision: Decision) => void;
  /** Other arguments are wanted: the action is shown with them before anybody allows it. */
  onRevise: (edited: Record<string, unknown>) => void;
  /** Sent, and not yet in the run's log. */
  busy: boolean;
  error: Error | null;
  /** The one thing on the page that waits: the focus goes to it. */
  takesFocus?: boolean;
  /** It belongs to a conversation, in which its tool need not be asked about again. */
  forSession?: boolean;
}

/** An action that waits for a person: what it would do, and what to say to it. */
export function ActionCard(props: Props) {
  const { action, mode, onMode, onDecide, onRevise, busy, error, takesFocus = false, forSession = false } = props;
  const card = useRef<HTMLElement>(null);
  // The card and not the button: a key that was meant for something else must not allow anything.
  useWaitingFocus(card, takesFocus);
  const { verb, object } = callWords({ name: action.type, arguments: action.arguments });
  const target = action.path ?? object;
  // What the step of a workflow asks is a sentence, not a change.
  const isStep = action.type === 'approval';

  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={`Approval: ${verb} ${target}`}
      className="overflow-hidden rounded-lg border border-waits/40 bg-surface outline-none"
    >
      <header className="flex items-start gap-2.5 bg-waits-wash px-4 py-3">
        <Hand aria-hidden size={16} className="mt-0.5 shrink-0 text-waits" />
        <div className="min-w-0">
          <p className="font-medium break-words">
            <span className="text-waits">Waits for approval:</span> {verb}{' '}
            <span className={isStep ? '' : 'font-mono text-small'}>{target}</span>
          </p>
          <p className="text-small text-soft">Nothing happens until you decide. There is no time limit.</p>
        </div>
      </header>
      <div className="flex flex-col gap-3 p-4">
        {mode === 'edit' ? (
          <ArgumentsForm value={action.arguments} busy={busy} onBack={() => onMode('look')} onSubmit={onRevise} />
        ) : (
          <>
            {isStep && <p className="break-words whitespace-pre-wrap">{action.preview}</p>}
            {action.preview && !isStep ? (
              <Diff patch={action.preview} label={action.path ?? action.type} />
            ) : (
              (!isStep || Object.keys(action.arguments).length > 0) && (
                <Value value={action.arguments} label="Arguments" />
              )
            )}
            {mode === 'deny' ? (
              <DenyForm
                busy={busy}
                onBack={() => onMode('look')}
                onDeny={(reason) => onDecide({ confirmed: false, ...(reason && { reason }) })}
              />
            ) : (
              <div className="flex flex-wrap items-center gap-2">
                <Button kind="primary" busy={busy} onClick={() => onDecide({ confirmed: true })}>
                  <Check aria-hidden size={15} /> Allow
                </Button>
                <Button disabled={busy} onClick={() => onMode('deny')}>
                  <X aria-hidden size={15} /> Deny
                </Button>
                <Button kind="quiet" disabled={busy} onClick={() => onMode('edit')}>
                  <Pencil aria-hidden size={14} /> Edit
                </Button>
                {forSession && (
                  <Button
                    kind="quiet"
                    disabled={busy}
                    title={`Allows this, and does not ask about ${action.type} again in this conversation`}
                    onClick={() => onDecide({ confirmed: true, for_session: true })}
                  >
                    <CheckCheck aria-hidden size={14} /> Allow for this session
                  </Button>
                )}
              </div>
            )}
          </>
        )}
        {action.problem && (
          <p role="alert" className="text-small text-failed">
            With the changed arguments it cannot be done, so that it is as it was: {action.problem}
          </p>
        )}
        {error && <ErrorNote title="The decision was not taken" error={error} />}
      </div>
    </section>
  );
}

function DenyForm({ busy, onBack, onDeny }: { busy: boolean; onBack: () => void; onDeny: (reason: string) => void }) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(reason.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onBack();
      }}
    >
      <TextField
        label="Reason"
        hint="Optional. The model is told, and goes on without this action."
        autoFocus
        value={reason}
        maxLength={4000}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" kind="danger" busy={busy}>
          Deny action
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
