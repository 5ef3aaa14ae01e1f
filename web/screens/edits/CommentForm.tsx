import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { TextArea } from '../../components/Fields.tsx';

interface Props {
  name: string;
  before: string;
  onSave: (text: string) => void;
  onClose: () => void;
}

/** What is said about a hunk. The agent is told when the proposal goes back to it. */
export function CommentForm({ name, before, onSave, onClose }: Props) {
  const [text, setText] = useState(before);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text.trim());
      }}
    >
      <TextArea
        label={`Comment on ${name}`}
        hideLabel
        placeholder="The agent is told when you send this back"
        rows={2}
        maxLength={10_000}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onSave(text.trim());
        }}
      />
      <div className="flex gap-2">
        <Button type="submit" disabled={text.trim() === before}>
          Save comment
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </form>
  );
}
