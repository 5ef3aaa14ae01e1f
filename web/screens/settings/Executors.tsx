import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { plural } from '../../format.ts';
import { useMe } from '../../queries.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { Section } from './Section.tsx';

const REFRESH_MS = 5_000;
const STATES = { alive: 'takes runs', draining: 'is leaving', silent: 'has gone silent' };

/** For the owner: processes belong to the installation, not to a workspace. */
export function Executors() {
  const { data: me } = useMe();
  if (!me?.user.is_owner) return null;
  return (
    <Section
      anchor="executors"
      title="Executors"
      about="Processes that have the files of runs on git notebooks. Where one is lost, its runs go on at another."
    >
      <List />
    </Section>
  );
}

function List() {
  const executors = useQuery({
    queryKey: ['executors'],
    queryFn: workspaceApi.executors,
    refetchInterval: REFRESH_MS,
  });
  if (executors.isPending) return <Skeleton className="h-10 w-full" />;
  if (executors.error) return <ErrorNote title="The executors could not be read" error={executors.error} />;
  const { items } = executors.data;
  if (items.length === 0) return <p className="text-faint">None is there: runs on git notebooks wait for one.</p>;
  return (
    <ul aria-label="Executors" className="divide-y divide-line rounded-md border border-line">
      {items.map(({ id, state, checkouts, started_at, seen_at }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
          <span className="min-w-40 flex-1 truncate font-mono text-small">{id}</span>
          <span className={state === 'alive' ? 'text-soft' : 'text-waits'}>{STATES[state]}</span>
          <span className="text-soft">{plural(checkouts, 'checkout')}</span>
          <span className="text-small text-faint">
            {state === 'silent' ? 'seen' : 'since'} <Ago at={state === 'silent' ? seen_at : started_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
