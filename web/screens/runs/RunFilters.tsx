import { useState } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { Checkbox, TextField } from '../../components/Fields.tsx';
import { FilterBar, FilterChoice } from '../../components/FilterBar.tsx';
import { peopleIn } from '../../people.ts';
import { useAgents, useMe, useMembers } from '../../queries.ts';
import { filterCount, type RunQuery, SINCE } from '../../run-filters.ts';
import { lookOf, STATUS_FILTERS, TRIGGER_NAMES, triggerWord } from '../../status.ts';

interface Props {
  query: RunQuery;
  onChange: (changes: Record<string, string | null>) => void;
}

/** An address may name a set that is none of ours; it is offered as it is. */
const filtersFor = (chosen: RunStatus[]) =>
  chosen.length === 0 || STATUS_FILTERS.some(({ statuses }) => statuses.join() === chosen.join())
    ? STATUS_FILTERS
    : [...STATUS_FILTERS, { name: chosen.map((status) => lookOf(status).word).join(', '), statuses: chosen }];

export const RunFilters = ({ query, onChange }: Props) => (
  <FilterBar noun="runs" set={filterCount(query)} onClear={() => onChange(NONE)}>
    {(inLine) => <Fields query={query} onChange={onChange} inLine={inLine} />}
  </FilterBar>
);

export const NONE: Record<string, null> = {
  status: null,
  agent: null,
  trigger: null,
  caller: null,
  since: null,
  from: null,
  to: null,
  roots: null,
  workspace: null,
};

function Fields({ query, onChange, inLine }: Props & { inLine: boolean }) {
  const { data: agents = [] } = useAgents();
  const { data: members = [] } = useMembers();
  const { data: me } = useMe();
  const [ranges, setRanges] = useState(false);
  const hasDays = ranges || query.from !== '' || query.to !== '';
  const days = inLine ? 'w-36' : 'flex-1';
  const choice = (
    label: string,
    name: 'status' | 'agent' | 'trigger' | 'caller',
    all: string,
    options: { value: string; name: string }[],
  ) => (
    <FilterChoice
      {...{ label, all, inLine, options }}
      value={String(query[name])}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <>
      {choice(
        'Status',
        'status',
        'All statuses',
        filtersFor(query.status).map(({ name, statuses }) => ({ value: statuses.join(), name })),
      )}
      {choice(
        'Agent',
        'agent',
        'All agents',
        agents.map(({ id, name }) => ({ value: id, name })),
      )}
      {choice(
        'Trigger',
        'trigger',
        'All triggers',
        TRIGGER_NAMES.map((name) => ({ value: name, name: triggerWord(name) })),
      )}
      {choice('Caller', 'caller', 'Everybody', peopleIn(members, me))}
      <FilterChoice
        {...{ label: 'Time', all: 'Any time', inLine }}
        options={[...SINCE, { value: 'days', name: 'From – to' }]}
        value={hasDays ? 'days' : query.since}
        onChange={(value) => {
          setRanges(value === 'days');
          onChange({ since: value === 'days' ? null : value, from: null, to: null });
        }}
      />
      {hasDays && (
        <div className="flex gap-2">
          <div className={days}>
            <TextField
              type="date"
              label="From day"
              hideLabel={inLine}
              max={query.to || undefined}
              value={query.from}
              onChange={(event) => onChange({ from: event.target.value, since: null })}
            />
          </div>
          <div className={days}>
            <TextField
              type="date"
              label="To day"
              hideLabel={inLine}
              min={query.from || undefined}
              value={query.to}
              onChange={(event) => onChange({ to: event.target.value, since: null })}
            />
          </div>
        </div>
      )}
      <Checkbox
        label="Top level only"
        title="Leaves out runs that another run has made"
        checked={query.roots}
        onChange={(event) => onChange({ roots: event.target.checked ? '1' : null })}
      />
      {(me?.workspaces.length ?? 0) > 1 && (
        <Checkbox
          label="All workspaces"
          checked={query.everywhere}
          onChange={(event) => onChange({ workspace: event.target.checked ? 'all' : null })}
        />
      )}
    </>
  );
}
