import { useId, useState } from 'react';
import { TextField } from '../../components/Fields.tsx';
import { Segments } from '../../components/Segments.tsx';
import { howMany, isOn, switched } from '../../enabled-list.ts';

export interface Switchable {
  /** As the settings name it. */
  ref: string;
  title: string;
  about: string;
  /** Its workspace, where there are several. */
  place: string;
}

interface Props {
  label: string;
  mono?: boolean;
  lines: Switchable[];
  enabled: string[] | null;
  onChange: (enabled: string[] | null) => void;
}

/** From here on nobody finds one by looking. */
const MANY = 12;

const matches = ({ title, about }: Switchable, text: string): boolean =>
  `${title} ${about}`.toLowerCase().includes(text.trim().toLowerCase());

/** All of them, or some: with all, those that come later are on too. */
export function EnabledList({ label, mono = false, lines, enabled, onChange }: Props) {
  const id = useId();
  const [filter, setFilter] = useState('');
  const all = lines.map(({ ref }) => ref);
  const shown = lines.filter((line) => matches(line, filter));
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 id={id} className="font-medium">
          {label} <span className="font-normal text-faint">{howMany(enabled, all)}</span>
        </h3>
        <Segments
          label={`${label} that may be used`}
          value={enabled === null ? 'all' : 'some'}
          choices={[
            { value: 'all', name: 'All' },
            { value: 'some', name: 'Only these' },
          ]}
          onChange={(value) => onChange(value === 'all' ? null : all)}
        />
      </div>
      {enabled === null && (
        <p className="text-small text-faint">All that you can use, also those that are added later.</p>
      )}
      {enabled !== null && lines.length > MANY && (
        <TextField
          label={`Find among ${label.toLowerCase()}`}
          hideLabel
          type="search"
          placeholder={`Find among ${label.toLowerCase()}`}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {enabled !== null && (
        <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {shown.map((line) => (
            <li key={line.ref}>
              <Line
                line={line}
                mono={mono}
                on={isOn(enabled, line.ref)}
                onSwitch={(on) => onChange(switched(enabled, all, line.ref, on))}
              />
            </li>
          ))}
          {shown.length === 0 && (
            <li className="px-3 py-2 text-faint">{lines.length === 0 ? 'There are none yet.' : 'None fits.'}</li>
          )}
        </ul>
      )}
    </section>
  );
}

interface LineProps {
  line: Switchable;
  mono: boolean;
  on: boolean;
  onSwitch: (on: boolean) => void;
}

function Line({ line: { title, about, place }, mono, on, onSwitch }: LineProps) {
  const id = useId();
  return (
    <label className="flex cursor-pointer items-start gap-3 px-3 py-2 hover:bg-hover">
      <input
        type="checkbox"
        aria-labelledby={id}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={on}
        onChange={(event) => onSwitch(event.target.checked)}
      />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span id={id} className={`min-w-0 break-words ${mono ? 'font-mono' : 'font-medium'}`}>
            {title}
          </span>
          {place && <span className="text-small text-faint">{place}</span>}
        </span>
        <span className="line-clamp-2 break-words text-small text-soft">{about}</span>
      </span>
    </label>
  );
}
