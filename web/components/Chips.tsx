import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from './Button.tsx';
import { TextField } from './Fields.tsx';

interface Props {
  label: string;
  /** Of the field that adds one. */
  add: string;
  placeholder: string;
  error?: string | undefined;
  values: readonly string[];
  /** The number, from 1, of the one that is pointed at. */
  marked: number | null;
  disabled: boolean;
  onChange: (values: string[]) => void;
}

/** Short texts, each with a way to remove it. Enter or a comma adds what is typed. */
export function Chips({ label, add, placeholder, error, values, marked, disabled, onChange }: Props) {
  const [text, setText] = useState('');
  const take = (): void => {
    const typed = text.trim();
    setText('');
    if (typed !== '' && !values.includes(typed)) onChange([...values, typed]);
  };
  return (
    <div className="flex flex-col gap-2">
      {values.length > 0 && (
        <ul aria-label={label} className="flex flex-wrap gap-1.5">
          {values.map((value, index) => (
            <li
              key={value}
              aria-current={marked === index + 1 || undefined}
              className={`inline-flex min-w-0 items-center rounded-md border pl-2 font-mono text-small ${marked === index + 1 ? 'border-waits bg-waits-wash' : 'border-line bg-canvas'}`}
            >
              <span className="truncate">{value}</span>
              <button
                type="button"
                aria-label={`Remove ${value}`}
                disabled={disabled}
                onClick={() => onChange(values.filter((each) => each !== value))}
                className="ml-0.5 flex size-6 items-center justify-center rounded text-faint hover:text-ink disabled:opacity-50 pointer-coarse:size-9"
              >
                <X aria-hidden size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex max-w-sm items-start gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={add}
            hideLabel
            placeholder={placeholder}
            error={error}
            className="font-mono"
            spellCheck={false}
            autoCapitalize="off"
            value={text}
            disabled={disabled}
            onBlur={take}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ',') return;
              event.preventDefault();
              take();
            }}
          />
        </div>
        <Button disabled={disabled || text.trim() === ''} onClick={take}>
          <Plus aria-hidden size={14} /> Add
        </Button>
      </div>
    </div>
  );
}
