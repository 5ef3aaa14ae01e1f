import { useState } from 'react';
import { asText } from '../format.ts';
import { Button } from './Button.tsx';
import { TextArea } from './Fields.tsx';

interface Props {
  value: Record<string, unknown>;
  busy: boolean;
  onBack: () => void;
  onSubmit: (edited: Record<string, unknown>) => void;
}

type Parsed = { ok: true; value: unknown } | { ok: false };

function parse(text: string, like: unknown): Parsed {
  if (typeof like === 'string') return { ok: true, value: text };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** Changes the arguments of an action, which is then shown with them: strings as they are, everything else as JSON. */
export function ArgumentsForm({ value, busy, onBack, onSubmit }: Props) {
  const [drafts, setDrafts] = useState(() =>
    Object.entries(value).map(([name, like]) => ({ name, like, text: asText(like) })),
  );
  const parsed = drafts.map((draft) => ({ ...draft, result: parse(draft.text, draft.like) }));
  const wrong = parsed.some(({ result }) => !result.ok);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(Object.fromEntries(parsed.flatMap(({ name, result }) => (result.ok ? [[name, result.value]] : []))));
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onBack();
      }}
    >
      {parsed.map(({ name, text, result }, index) => (
        <TextArea
          key={name}
          label={name}
          hint={result.ok ? undefined : 'This is not JSON yet.'}
          aria-invalid={!result.ok}
          autoFocus={index === 0}
          spellCheck={false}
          rows={1}
          className="max-h-80 font-mono text-small"
          value={text}
          onChange={(event) =>
            setDrafts(drafts.map((draft) => (draft.name === name ? { ...draft, text: event.target.value } : draft)))
          }
        />
      ))}
      <div className="flex gap-2">
        <Button type="submit" kind="primary" busy={busy} disabled={wrong}>
          Preview
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
