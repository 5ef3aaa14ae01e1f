import { TextArea } from '../../components/Fields.tsx';
import type { useJsonText } from './json-text.ts';

/** A value as JSON, which may be wrong while it is being typed. */
export function JsonField({
  label,
  hint,
  input,
}: {
  label: string;
  hint: string;
  input: ReturnType<typeof useJsonText>;
}) {
  return (
    <TextArea
      label={label}
      hint={input.isWrong ? 'This is not JSON yet.' : hint}
      aria-invalid={input.isWrong}
      rows={6}
      spellCheck={false}
      className="max-h-72 font-mono text-small"
      value={input.text}
      onChange={({ target }) => input.setText(target.value)}
    />
  );
}
