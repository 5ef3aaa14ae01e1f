import { useId } from 'react';

interface Props<T extends string> {
  label: string;
  value: T;
  choices: readonly { value: T; name: string }[];
  onChange: (value: T) => void;
}

/** One of a few, all of them in sight. */
export function Segments<T extends string>({ label, value, choices, onChange }: Props<T>) {
  const group = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex max-w-full flex-wrap self-start rounded-lg border border-line bg-canvas p-0.5"
    >
      {choices.map((each) => (
        <label
          key={each.value}
          className="flex h-8 cursor-pointer items-center rounded-md px-4 text-soft has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:ring-1 has-checked:ring-line has-disabled:cursor-default has-focus-visible:outline-2 has-focus-visible:outline-accent-ink pointer-coarse:h-10 max-sm:px-3"
        >
          <input
            type="radio"
            name={group}
            value={each.value}
            checked={value === each.value}
            onChange={() => onChange(each.value)}
            className="sr-only"
          />
          {each.name}
        </label>
      ))}
    </div>
  );
}
