import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import { Select } from './Fields.tsx';

export interface Pick {
  id: string;
  name: string;
  aside?: ReactNode;
}

interface Props {
  /** "agents": what is in the list. */
  label: string;
  /** "Add an agent": what the field beside it does. */
  add: string;
  chosen: readonly Pick[];
  others: readonly Pick[];
  disabled: boolean;
  onAdd: (id: string) => void;
  onRemove: (id: string) => void;
}

/** Some of many: those chosen in a list, the others in a field to choose from. */
export function PickList({ label, add, chosen, others, disabled, onAdd, onRemove }: Props) {
  return (
    <div className="flex flex-col gap-3">
      {chosen.length > 0 && (
        <ul aria-label={label} className="divide-y divide-line rounded-md border border-line">
          {chosen.map(({ id, name, aside }) => (
            <li key={id} className="flex min-h-10 items-center gap-3 py-1 pr-1 pl-3">
              <span className="min-w-0 flex-1 truncate" title={name}>
                {name}
              </span>
              <span className="shrink-0 text-small text-faint">{aside}</span>
              <IconButton label={`Remove ${name}`} disabled={disabled} onClick={() => onRemove(id)}>
                <X aria-hidden size={14} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="max-w-sm">
        <Select
          label={add}
          hideLabel
          value=""
          disabled={disabled || others.length === 0}
          onChange={({ target }) => target.value && onAdd(target.value)}
        >
          <option value="">{others.length === 0 ? `No other ${label} to add` : `${add}…`}</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
    </div>
  );
}
