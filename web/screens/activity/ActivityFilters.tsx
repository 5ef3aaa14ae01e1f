import { ListFilter, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AuditQuery, auditFilterCount, FAMILIES, NO_FILTERS } from '../../audit-filters.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { Select } from '../../components/Fields.tsx';
import { shortId } from '../../format.ts';
import { useIsMedium } from '../../media.ts';
import { useAgents, useMe, useMembers } from '../../queries.ts';
import { SINCE } from '../../run-filters.ts';

interface Props {
  query: AuditQuery;
  onChange: (changes: Record<string, string | null>) => void;
}

/** In a line where there is room; else behind a button that says how many are set. */
export function ActivityFilters({ query, onChange }: Props) {
  const isMedium = useIsMedium();
  const [open, setOpen] = useState(false);
  const set = auditFilterCount(query);
  const clear = set > 0 && (
    <Button kind="quiet" onClick={() => onChange(NO_FILTERS)}>
      Clear
    </Button>
  );
  if (!isMedium)
    return (
      <search aria-label="Filter activity" className="flex flex-wrap items-center gap-2 border-b border-line px-6 py-2">
        <Fields query={query} onChange={onChange} inLine />
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
      <Modal open={open} onOpenChange={setOpen} title="Filter activity">
        <search aria-label="Filter activity" className="flex flex-col gap-4">
          <Fields query={query} onChange={onChange} inLine={false} />
          <Button kind="primary" onClick={() => setOpen(false)}>
            Show activity
          </Button>
        </search>
      </Modal>
    </>
  );
}

function Fields({ query, onChange, inLine }: Props & { inLine: boolean }) {
  const { data: agents = [] } = useAgents();
  const { data: members = [] } = useMembers();
  const { data: me } = useMe();
  const people = members.filter(({ user_id }) => user_id !== me?.user.id);
  const families = FAMILIES.some(({ value }) => value === query.action) || query.action === '';
  const choice = (label: string, name: keyof AuditQuery, all: string, options: ReactNode) => (
    <div className={inLine ? 'w-36 min-w-0' : 'min-w-0'}>
      <Select
        label={label}
        hideLabel={inLine}
        value={query[name]}
        onChange={(event) => onChange({ [name]: event.target.value })}
      >
        <option value="">{all}</option>
        {options}
      </Select>
    </div>
  );
  const option = (value: string, name: string) => (
    <option key={value} value={value}>
      {name}
    </option>
  );
  return (
    <>
      {choice('Outcome', 'outcome', 'All outcomes', [option('refused', 'Refused'), option('allowed', 'Allowed')])}
      {choice('Action', 'action', 'All actions', [
        ...FAMILIES.map(({ value, name }) => option(value, name)),
        // An address may name an action that is none of ours; it is offered as it is.
        ...(families ? [] : [option(query.action, query.action)]),
      ])}
      {choice(
        'Agent',
        'agent',
        'All agents',
        agents.map(({ id, name }) => option(id, name)),
      )}
      {choice('Person', 'person', 'Everybody', [
        ...(me ? [option(me.user.id, 'Me')] : []),
        ...people.map(({ user_id, name }) => option(user_id, name)),
      ])}
      {choice(
        'Time',
        'since',
        'Any time',
        SINCE.map(({ value, name }) => option(value, name)),
      )}
      {query.run !== '' && (
        <Button aria-label="Of all runs" title={query.run} onClick={() => onChange({ run: null })}>
          Run <span className="font-mono text-small">{shortId(query.run)}</span> <X aria-hidden size={14} />
        </Button>
      )}
    </>
  );
}
