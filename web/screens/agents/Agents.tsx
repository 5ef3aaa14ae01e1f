import { Bot, Plus, SearchX } from 'lucide-react';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { AGENT_KINDS, foundAgents, kindIn } from '../../agent-list.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import { count } from '../../format.ts';
import { useAgents, useMe, useWorkspace } from '../../queries.ts';
import { withChanges } from '../../run-filters.ts';
import { AgentCard, CardSkeleton } from './AgentCard.tsx';

/** More cards at once than anybody reads; the rest comes when asked for. */
const AT_ONCE = 60;

export function Agents() {
  const agents = useAgents();
  const { data: me } = useMe();
  const role = useWorkspace()?.role;
  const mayMake = role !== undefined && role !== 'read';
  const [address, setAddress] = useAddress();
  const [shown, setShown] = useState(AT_ONCE);
  const text = address.get('q') ?? '';
  const kind = kindIn(address.get('show'));
  const found = agents.data && foundAgents(agents.data, text, kind, me?.user.id);
  const change = (changes: Record<string, string>): void => {
    setShown(AT_ONCE);
    setAddress(withChanges(address, changes));
  };
  return (
    <Page title="Agents" action={mayMake && <NewAgent />}>
      {agents.error && !agents.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The agents could not be read" error={agents.error} />
        </div>
      ) : agents.data?.length === 0 ? (
        <EmptyState
          icon={Bot}
          title="No agents in this workspace"
          action={mayMake && <ButtonLink to="/agents/new">Make the first agent</ButtonLink>}
        >
          An agent is a model with rules: which files it may read and change, what it must ask first, and how much it
          may spend.{' '}
          {mayMake ? 'Begin with a template and narrow it down.' : 'Somebody who may write here can make one.'}
        </EmptyState>
      ) : (
        <div className="mx-auto flex max-w-5xl flex-col gap-4 p-6 max-sm:p-4">
          <search aria-label="Find agents" className="flex gap-2 max-sm:flex-col">
            <SearchField
              label="Search agents"
              placeholder="Search by name, model or what it is for"
              value={text}
              onChange={({ target }) => change({ q: target.value })}
            />
            <div className="w-44 max-sm:w-full">
              <Select label="Show" hideLabel value={kind} onChange={({ target }) => change({ show: target.value })}>
                {AGENT_KINDS.map(({ value, name }) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </Select>
            </div>
          </search>
          {found?.length === 0 ? (
            <EmptyState
              icon={SearchX}
              title="No agent is like that"
              action={<Button onClick={() => change({ q: '', show: '' })}>Show all agents</Button>}
            >
              Every word must be in its name, slug, model or description.
            </EmptyState>
          ) : (
            <ul aria-label="Agents" aria-busy={agents.isPending} className="grid grid-cols-2 gap-4 max-lg:grid-cols-1">
              {found
                ? found.slice(0, shown).map((agent) => <AgentCard key={agent.id} agent={agent} />)
                : [0, 1].map((each) => <CardSkeleton key={each} />)}
            </ul>
          )}
          {found && found.length > shown && (
            <Button className="self-center" onClick={() => setShown(shown + AT_ONCE)}>
              Show more ({count(found.length - shown)} left)
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

function NewAgent() {
  return (
    <ButtonLink kind="primary" to="/agents/new">
      <Plus aria-hidden size={15} /> New agent
    </ButtonLink>
  );
}
