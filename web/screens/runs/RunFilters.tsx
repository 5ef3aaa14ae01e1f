import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { Checkbox, Select, TextField } from '../../components/Fields.tsx';
import { useIsMedium } from '../../media.ts';
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

/** In a line where there is room; else behind a button that says how many are set. */
export function RunFilters({ query, onChange }: Props) {
  const isMedium = useIsMedium();
  const [open, setOpen] = useState(false);
  const set = filterCount(query);
  if (!isMedium)
    return (
      <search aria-label="Filter runs" className="flex flex-wrap items-center gap-2 border-b border-line px-6 py-2">
        <Fields query={query} onChange={onChange} inLine />
        {set > 0 && (
          <Button kind="quiet" onClick={() => onChange(NONE)}>
            Clear
          </Button>
        )}
      </search>
    );
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-6 py-2 max-sm:px-4">
        <Button onClick={() => setOpen(true)}>
          <ListFilter aria-hidden size={14} /> Filter{set > 0 && ` (${set})`}
        </Button>
        {set > 0 && (
          <Button kind="quiet" onClick={() => onChange(NONE)}>
            Clear
          </Button>
        )}
      </div>
      <Modal open={open} onOpenChange={setOpen} title="Filter runs">
        <search aria-label="Filter runs" className="flex flex-col gap-4">
          <Fields query={query} onChange={onChange} inLine={false} />
          <Button kind="primary" onClick={() => setOpen(false)}>
            Show runs
          </Button>
        </search>
      </Modal>
    </>
  );
}

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
  const box = inLine ? 'w-36 min-w-0' : 'min-w-0';
  const days = inLine ? 'w-36' : 'flex-1';
  return (
    <>
      <div className={box}>
        <Select
          label="Status"
          hideLabel={inLine}
          value={query.status.join(',')}
          onChange={(event) => onChange({ status: event.target.value })}
        >
          <option value="">All statuses</option>
          {filtersFor(query.status).map(({ name, statuses }) => (
            <option key={name} value={statuses.join(',')}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <div className={box}>
        <Select
          label="Agent"
          hideLabel={inLine}
          value={query.agent}
          onChange={(event) => onChange({ agent: event.target.value })}
        >
          <option value="">All agents</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <div className={inLine ? 'w-32 min-w-0' : 'min-w-0'}>
        <Select
          label="Trigger"
          hideLabel={inLine}
          value={query.trigger}
          onChange={(event) => onChange({ trigger: event.target.value })}
        >
          <option value="">All triggers</option>
          {TRIGGER_NAMES.map((name) => (
            <option key={name} value={name}>
              {triggerWord(name)}
            </option>
          ))}
        </Select>
      </div>
      <div className={inLine ? 'w-32 min-w-0' : 'min-w-0'}>
        <Select
          label="Caller"
          hideLabel={inLine}
          value={query.caller}
          onChange={(event) => onChange({ caller: event.target.value })}
        >
          <option value="">Everybody</option>
          {me && <option value={me.user.id}>Me</option>}
          {members
            .filter(({ user_id }) => user_id !== me?.user.id)
            .map(({ user_id, name }) => (
              <option key={user_id} value={user_id}>
                {name}
              </option>
            ))}
        </Select>
      </div>
      <div className={inLine ? 'w-32 min-w-0' : 'min-w-0'}>
        <Select
          label="Time"
          hideLabel={inLine}
          value={hasDays ? 'days' : query.since}
          onChange={({ target: { value } }) => {
            setRanges(value === 'days');
            onChange({ since: value === 'days' ? null : value, from: null, to: null });
          }}
        >
          <option value="">Any time</option>
          {SINCE.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value="days">From – to</option>
        </Select>
      </div>
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
        label="Only roots"
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
