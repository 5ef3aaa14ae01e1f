import { ListFilter } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useIsMedium } from '../media.ts';
import { Button } from './Button.tsx';
import { Modal } from './Dialogs.tsx';
import { Select } from './Fields.tsx';

interface BarProps {
  /** What is filtered: runs, activity. */
  noun: string;
  /** How many are set. */
  set: number;
  onClear: () => void;
  children: (inLine: boolean) => ReactNode;
}

/** In a line where there is room; else behind a button that says how many are set. */
export function FilterBar({ noun, set, onClear, children }: BarProps) {
  const isMedium = useIsMedium();
  const [open, setOpen] = useState(false);
  const clear = set > 0 && (
    <Button kind="quiet" onClick={onClear}>
      Clear
    </Button>
  );
  if (!isMedium)
    return (
      <search
        aria-label={`Filter ${noun}`}
        className="flex flex-wrap items-center gap-2 border-b border-line px-6 py-2"
      >
        {children(true)}
        {clear}
      </search>
    );
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-6 py-2 max-sm:px-4">
        <Button onClick={() => setOpen(true)}>
          <ListFilter aria-hidden size={14} /> Filter{set > 0 && ` (${set})`}
        </Button>
        {clear}
      </div>
      <Modal open={open} onOpenChange={setOpen} title={`Filter ${noun}`}>
        <search aria-label={`Filter ${noun}`} className="flex flex-col gap-4">
          {children(false)}
          <Button kind="primary" onClick={() => setOpen(false)}>
            Show {noun}
          </Button>
        </search>
      </Modal>
    </>
  );
}

interface ChoiceProps {
  label: string;
  /** What it is called when nothing is chosen. */
  all: string;
  inLine: boolean;
  value: string;
  options: { value: string; name: string }[];
  onChange: (value: string) => void;
}

export function FilterChoice({ label, all, inLine, value, options, onChange }: ChoiceProps) {
  return (
    <div className={inLine ? 'w-36 min-w-0' : 'min-w-0'}>
      <Select label={label} hideLabel={inLine} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {options.map((each) => (
          <option key={each.value} value={each.value}>
            {each.name}
          </option>
        ))}
      </Select>
    </div>
  );
}
