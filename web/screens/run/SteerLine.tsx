import { useMutation } from '@tanstack/react-query';
import { RotateCcw, SendHorizontal } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import type { Run, RunStatus } from '../../../domain/run.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { asText } from '../../format.ts';
import { lookOf } from '../../status.ts';
import { useComposer } from '../frame/composer.ts';

/** A line to the run: it reads it before its next turn. A run that is over can be started anew. */
export function SteerLine({ id, run, status }: { id: string; run: Run | undefined; status: RunStatus }) {
  const [text, setText] = useState('');
  const compose = useComposer();
  const message = useMutation({
    mutationFn: (content: string) => api.message(id, content),
    onSuccess: () => setText(''),
  });
  const send = (): void => {
    if (text.trim() !== '' && !message.isPending) message.mutate(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  if (!run)
    return <footer aria-hidden className="min-h-12.5 border-t border-line bg-canvas pointer-coarse:min-h-14.5" />;
  if (lookOf(status).ended) {
    return (
      <footer className="flex min-h-12.5 items-center justify-between gap-3 border-t border-line bg-canvas px-6 py-2 max-sm:px-4">
        <span className="text-soft">This run has ended.</span>
        <Button
          onClick={() =>
            compose({
              agent_id: run.agent_id,
              input: asText(run.input),
              ...(run.notebook_id && { notebook_id: run.notebook_id }),
            })
          }
        >
          <RotateCcw aria-hidden size={14} /> Run again
        </Button>
      </footer>
    );
  }
  return (
    <footer className="flex flex-col gap-2 border-t border-line bg-canvas px-6 py-2 max-sm:px-4">
      {message.error && <ErrorNote title="The message was not sent" error={message.error} />}
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div className="min-w-0 flex-1">
          <TextArea
            label="Message to the run"
            hideLabel
            placeholder="Steer this run"
            rows={1}
            className="max-h-40"
            maxLength={100_000}
            value={text}
            onKeyDown={onKeyDown}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Button type="submit" busy={message.isPending} disabled={text.trim() === ''}>
          <SendHorizontal aria-hidden size={14} /> Send
        </Button>
      </form>
    </footer>
  );
}
