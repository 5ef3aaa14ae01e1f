import { ListTree, Plus, SearchX } from 'lucide-react';
import { useAddress } from '../../address.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { filterCount, queryIn, withChanges } from '../../run-filters.ts';
import { useComposer } from '../frame/composer.ts';
import { ColumnChoice, useColumns } from './ColumnChoice.tsx';
import { NONE, RunFilters } from './RunFilters.tsx';
import { RunTable } from './RunTable.tsx';
import { useRunList } from './run-list.ts';

export function Runs() {
  const [search, setSearch] = useAddress();
  const compose = useComposer();
  const { columns, isOwnChoice } = useColumns();
  const query = queryIn(search);
  const list = useRunList(query);
  const runs = [...new Map(list.data?.pages.flatMap(({ items }) => items).map((run) => [run.id, run])).values()];
  const change = (changes: Record<string, string | null>): void => setSearch(withChanges(search, changes));

  return (
    <Page
      title="Runs"
      fixed
      action={
        <div className="flex gap-2">
          <ColumnChoice />
          <Button kind="primary" onClick={() => compose(query.agent ? { agent_id: query.agent } : {})}>
            <Plus aria-hidden size={15} /> New run
          </Button>
        </div>
      }
    >
      <RunFilters query={query} onChange={change} />
      {list.error && !list.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The runs could not be read" error={list.error} />
        </div>
      ) : list.isSuccess && runs.length === 0 ? (
        filterCount(query) > 0 ? (
          <EmptyState
            icon={SearchX}
            title="No run fits"
            action={<Button onClick={() => change(NONE)}>Show all runs</Button>}
          >
            No run of this workspace is all of what you ask for. Take a filter away, or all of them.
          </EmptyState>
        ) : (
          <EmptyState
            icon={ListTree}
            title="No runs yet"
            action={<Button onClick={() => compose()}>Start the first run</Button>}
          >
            A run is one task for one agent. It appears here the moment it starts, from this page, the API or the
            command line, and you can follow, steer and stop it.
          </EmptyState>
        )
      ) : (
        <RunTable
          key={search.toString()}
          runs={runs}
          isPending={list.isPending}
          hasMore={list.hasNextPage}
          onEnd={() => !list.isFetching && list.fetchNextPage()}
          columns={columns}
          isOwnChoice={isOwnChoice}
          sort={query.sort}
          onSort={(sort) => change({ sort: sort === 'newest' ? null : sort })}
        />
      )}
    </Page>
  );
}
