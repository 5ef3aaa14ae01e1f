import { ListTree, Plus, SearchX } from 'lucide-react';
import { useSearchParams } from 'react-router';
import type { RunStatus } from '../../../domain/run.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { useAgents } from '../../queries.ts';
import { lookOf, STATUS_FILTERS, statusesIn } from '../../status.ts';
import { useComposer } from '../frame/composer.ts';
import { RunTable } from './RunTable.tsx';
import { useRunList } from './run-list.ts';

/** An address may name a set that is none of ours; it is offered as it is. */
const filtersFor = (chosen: RunStatus[]) =>
  chosen.length === 0 || STATUS_FILTERS.some(({ statuses }) => statuses.join() === chosen.join())
    ? STATUS_FILTERS
    : [...STATUS_FILTERS, { name: chosen.map((status) => lookOf(status).word).join(', '), statuses: chosen }];

export function Runs() {
  const [search, setSearch] = useSearchParams();
  const compose = useComposer();
  const { data: agents = [] } = useAgents();
  const status = statusesIn(search.get('status'));
  const agent_id = search.get('agent') ?? undefined;
  const list = useRunList({ status, agent_id });
  const runs = [...new Map(list.data?.pages.flatMap(({ items }) => items).map((run) => [run.id, run])).values()];
  const isFiltered = status.length > 0 || agent_id !== undefined;

  const filter = (name: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };

  return (
    <Page
      title="Runs"
      fixed
      action={
        <Button kind="primary" onClick={() => compose(agent_id ? { agent_id } : {})}>
          <Plus aria-hidden size={15} /> New run
        </Button>
      }
      aside={
        <search aria-label="Filter runs" className="flex min-w-0 gap-2 max-sm:order-last max-sm:w-full">
          <div className="w-44 min-w-0 max-lg:w-36 max-sm:w-1/2">
            <Select
              label="Status"
              hideLabel
              value={status.join(',')}
              onChange={(event) => filter('status', event.target.value)}
            >
              <option value="">All statuses</option>
              {filtersFor(status).map(({ name, statuses }) => (
                <option key={name} value={statuses.join(',')}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
          <div className="w-44 min-w-0 max-lg:w-36 max-sm:w-1/2">
            <Select
              label="Agent"
              hideLabel
              value={agent_id ?? ''}
              onChange={(event) => filter('agent', event.target.value)}
            >
              <option value="">All agents</option>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
        </search>
      }
    >
      {list.error && !list.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The runs could not be read" error={list.error} />
        </div>
      ) : list.isSuccess && runs.length === 0 ? (
        isFiltered ? (
          <EmptyState
            icon={SearchX}
            title="No run fits"
            action={<Button onClick={() => setSearch({}, { replace: true })}>Show all runs</Button>}
          >
            There are runs with another status or agent, perhaps.
          </EmptyState>
        ) : (
          <EmptyState
            icon={ListTree}
            title="No runs yet"
            action={
              <Button kind="primary" onClick={() => compose()}>
                Start the first run
              </Button>
            }
          >
            A run is one task for one agent. It appears here the moment it starts, from this page, the API or the
            command line, and you can follow, steer and stop it.
          </EmptyState>
        )
      ) : (
        <RunTable
          key={`${status.join()}-${agent_id}`}
          runs={runs}
          isPending={list.isPending}
          hasMore={list.hasNextPage}
          onEnd={() => !list.isFetching && list.fetchNextPage()}
        />
      )}
    </Page>
  );
}
