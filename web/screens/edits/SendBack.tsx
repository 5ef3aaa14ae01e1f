import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea } from '../../components/Fields.tsx';
import type { Reviewing } from './reviewing.ts';

/** What the agent is told when it proposes anew. */
export function SendBack({ open, does, onClose }: { open: boolean; does: Reviewing; onClose: () => void }) {
  const [text, setText] = useState('');
  return (
    <Modal
      open={open}
      onOpenChange={onClose}
      title="Send the proposal back"
      description="The agent is told which hunks you rejected and what you said about them, reads the files again, and proposes anew. Nothing is written."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          does.rerun.mutate(text.trim(), { onSuccess: onClose });
        }}
      >
        <TextArea
          label="What should be different?"
          hint="May be left empty."
          rows={3}
          maxLength={10_000}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {does.rerun.error && <ErrorNote title="It was not sent back" error={does.rerun.error} />}
        <Button type="submit" kind="primary" className="self-start" busy={does.rerun.isPending}>
          Send back
        </Button>
      </form>
    </Modal>
  );
}
