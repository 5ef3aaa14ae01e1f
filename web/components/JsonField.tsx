import { useEffect, useRef, useState } from 'react';
import { readJson } from '../definition-drafts.ts';
import { asText } from '../format.ts';
import { TextArea } from './Fields.tsx';

interface Props {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: unknown;
  rows?: number;
  disabled: boolean;
  /** Null for an empty field. */
  onChange: (value: unknown) => void;
  /** Whether what stands there can be saved. */
  onValid: (isValid: boolean) => void;
}

/** A value as JSON. What is typed stays as it is typed; what cannot be read is said and keeps the form from saving. */
export function JsonField({ label, hint, error, value, rows = 6, disabled, onChange, onValid }: Props) {
  const [text, setText] = useState(() => asText(value));
  const told = useRef(value);
  useEffect(() => {
    // Changed from elsewhere: discarded, or read again.
    if (JSON.stringify(value) === JSON.stringify(told.current)) return;
    told.current = value;
    setText(asText(value));
    onValid(true);
  }, [value, onValid]);
  const read = readJson(text);
  const problem = 'problem' in read ? `This is not JSON: ${read.problem}` : undefined;
  return (
    <TextArea
      label={label}
      hint={hint}
      error={problem ?? error}
      rows={rows}
      spellCheck={false}
      autoCapitalize="off"
      disabled={disabled}
      className="max-h-96 overflow-y-auto font-mono text-small"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const next = readJson(target.value);
        onValid(!('problem' in next));
        if ('problem' in next) return;
        told.current = next.value;
        onChange(next.value);
      }}
    />
  );
}
