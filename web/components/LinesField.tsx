import { useState } from 'react';
import { TextArea } from './Fields.tsx';

interface Props {
  label: string;
  hint: string;
  placeholder: string;
  error?: string | undefined;
  values: readonly string[];
  disabled?: boolean;
  onChange: (values: string[]) => void;
}

const linesOf = (text: string): string[] => [...new Set(text.split('\n').flatMap((line) => line.trim() || []))];

/** Several texts, one a line. What is being typed stays as it is typed. */
export function LinesField({ values, onChange, ...field }: Props) {
  const [text, setText] = useState(values.join('\n'));
  const isOwn = linesOf(text).join('\n') === values.join('\n');
  return (
    <TextArea
      {...field}
      rows={3}
      value={isOwn ? text : values.join('\n')}
      onChange={({ target }) => {
        setText(target.value);
        onChange(linesOf(target.value));
      }}
    />
  );
}
