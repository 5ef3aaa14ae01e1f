import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/Fields.tsx';
import { sizeOf } from '../../edit-review.ts';

interface Props {
  patch: string;
  busy: boolean;
  onSplit: (at: { new_lines: number; old_lines?: number }) => void;
}

/** A hunk too large to be accepted by the way: cut in two, or accepted as one. */
export function SplitHunk({ patch, busy, onSplit }: Props) {
  const { added, removed } = sizeOf(patch);
  // Where lines only go, they are what is counted.
  const isOfNew = added > 1;
  const most = (isOfNew ? added : removed) - 1;
  const [text, setText] = useState(String(Math.max(1, Math.ceil(most / 2))));
  const at = Number(text);
  const isFit = Number.isInteger(at) && at >= 1 && at <= most;
  if (most < 1) return <p className="text-small text-soft">One line that is too long to be split.</p>;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isFit) onSplit(isOfNew ? { new_lines: at } : { new_lines: 0, old_lines: at });
      }}
    >
      <TextField
        label={isOfNew ? 'Split after how many new lines?' : 'Split after how many removed lines?'}
        type="number"
        min={1}
        max={most}
        value={text}
        hint={`1 to ${most}. Or accept it as one.`}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" className="self-start" disabled={!isFit} busy={busy}>
        Split
      </Button>
    </form>
  );
}
