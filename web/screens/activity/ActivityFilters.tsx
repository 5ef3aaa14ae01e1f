import { X } from 'lucide-react';
import { type AuditQuery, auditFilterCount, FAMILIES, NO_FILTERS } from '../../audit-filters.ts';
import { Button } from '../../components/Button.tsx';
import { FilterBar, FilterChoice } from '../../components/FilterBar.tsx';
import { shortId } from '../../format.ts';
import { peopleIn } from '../../people.ts';
import { useAgents, useMe, useMembers } from '../../queries.ts';
import { SINCE } from '../../run-filters.ts';

interface Props {
  query: AuditQuery;
  onChange: (changes: Record<string, string | null>) => void;
}

export const ActivityFilters = ({ query, onChange }: Props) => (
  <FilterBar noun="activity" set={auditFilterCount(query)} onClear={() => onChange(NO_FILTERS)}>
    {(inLine) => <Fields query={query} onChange={onChange} inLine={inLine} />}
  </FilterBar>
);

const OUTCOMES = [
  { value: 'refused', name: 'Refused' },
  { value: 'allowed', name: 'Allowed' },
];

function Fields({ query, onChange, inLine }: Props & { inLine: boolean }) {
  const { data: agents = [] } = useAgents();
  const { data: members = [] } = useMembers();
  const { data: me } = useMe();
  const isKnown = FAMILIES.some(({ value }) => value === query.action) || query.action === '';
  const choice = (label: string, name: keyof AuditQuery, all: string, options: { value: string; name: string }[]) => (
    <FilterChoice
      {...{ label, all, inLine, options }}
      value={query[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  const agentOptions = agents.map(({ id, name }) => ({ value: id, name }));
  return (
    <>
      {choice('Outcome', 'outcome', 'All outcomes', OUTCOMES)}
      {choice('Action', 'action', 'All actions', [
        ...FAMILIES,
        // An address may name an action that is none of ours; it is offered as it is.
        ...(isKnown ? [] : [{ value: query.action, name: query.action }]),
      ])}
      {choice('Agent', 'agent', 'All agents', agentOptions)}
      {choice('Person', 'person', 'Everybody', peopleIn(members, me))}
      {choice('Time', 'since', 'Any time', SINCE)}
      {query.run !== '' && (
        <Button aria-label="Of all runs" title={query.run} onClick={() => onChange({ run: null })}>
          Run <span className="font-mono text-small">{shortId(query.run)}</span> <X aria-hidden size={14} />
        </Button>
      )}
    </>
  );
}
