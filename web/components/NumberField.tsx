import { type ReactNode, useState } from 'react';
import { TextField } from './Fields.tsx';

interface Props {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  value: number | null;
  /** What an empty field means, where it may be empty. */
  empty?: string;
  /** Not only whole numbers. */
  fractional?: boolean;
  onChange: (value: number | null) => void;
}

/** A number, or none. What is typed stays as it is typed: half a number is not put right under the hand. */
export function NumberField({ value, empty, fractional = false, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState<{ text: string; value: number | null } | null>(null);
  const text = typed && typed.value === value ? typed.text : value === null ? '' : String(value);
  return (
    <TextField
      {...rest}
      type="number"
      inputMode={fractional ? 'decimal' : 'numeric'}
      min={0}
      step={fractional ? 'any' : 1}
      placeholder={empty}
      value={text}
      onChange={({ target }) => {
        const next = target.value === '' ? null : Number(target.value);
        const given = next === null || Number.isFinite(next) ? next : value;
        setTyped({ text: target.value, value: given });
        onChange(given);
      }}
    />
  );
}
