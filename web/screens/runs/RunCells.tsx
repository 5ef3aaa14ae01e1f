import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Run } from '../../../domain/run.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago, Elapsed } from '../../components/Times.tsx';
import { cost, count, inputLine, money, plural, short } from '../../format.ts';
import { useMe } from '../../queries.ts';
import type { Column, ColumnId } from '../../run-columns.ts';
import { lookOf, triggerWord } from '../../status.ts';

const begunAt = (run: Run): string => run.started_at ?? run.created_at;

function TaskLink({ run }: { run: Run }) {
  const task = inputLine(run.input) || run.id;
  return (
    <Link
      data-run
      to={`/runs/${encodeURIComponent(run.id)}`}
      title={task}
      className="block truncate font-medium outline-none after:absolute after:inset-0 after:-outline-offset-2 focus-visible:after:outline-2 focus-visible:after:outline-accent-ink"
    >
      {task}
    </Link>
  );
}

function Took({ run }: { run: Run }) {
  const { ended } = lookOf(run.status);
  if (run.status === 'queued') return '–';
  return <Elapsed from={begunAt(run)} to={ended ? (run.completed_at ?? begunAt(run)) : null} />;
}

function WorkspaceName({ id }: { id: string }) {
  const { data: me } = useMe();
  const name = me?.workspaces.find((workspace) => workspace.id === id)?.name ?? '';
  return <span title={me ? `${me.organization.name} / ${name}` : name}>{name}</span>;
}

/** With everything below it, as the run page counts it. */
const usage = (run: Run): string => `${plural(run.tree.iterations, 'iteration')}, ${count(run.tree.tokens)} tokens`;

const CELLS: Record<ColumnId, (run: Run) => ReactNode> = {
  status: (run) => <StatusBadge status={run.status} />,
  agent: (run) => <span title={run.agent_name}>{run.agent_name}</span>,
  trigger: (run) => triggerWord(run.trigger_type),
  caller: (run) => <span title={run.caller_name}>{run.caller_name}</span>,
  workspace: (run) => <WorkspaceName id={run.workspace_id} />,
  duration: (run) => <Took run={run} />,
  usage: (run) => (
    <span className="relative" title={usage(run)}>
      {count(run.tree.iterations)} / {short(run.tree.tokens)}
    </span>
  ),
  cost: (run) => (run.cost_usd === null ? <span title={cost(null)}>–</span> : money(run.tree.cost_usd)),
  started: (run) => <Ago at={begunAt(run)} className="relative" />,
};

export function RowCells({ run, columns }: { run: Run; columns: readonly Column[] }) {
  return (
    <>
      <td className="min-w-0">
        <TaskLink run={run} />
      </td>
      {columns.map(({ id, isFigure }) => (
        <td
          key={id}
          className={`min-w-0 truncate text-soft ${isFigure ? 'text-right' : ''} ${id === 'status' ? 'flex' : ''}`}
        >
          {CELLS[id](run)}
        </td>
      ))}
    </>
  );
}

export function PhoneCells({ run }: { run: Run }) {
  return (
    <>
      <td className="col-span-2 min-w-0">
        <TaskLink run={run} />
      </td>
      <td className="flex min-w-0 items-center gap-2 text-soft">
        <span className="flex shrink-0">
          <StatusBadge status={run.status} />
        </span>
        <span className="truncate text-small text-faint">{run.agent_name}</span>
      </td>
      <td className="text-right text-small text-soft">
        {run.tree.cost_usd > 0 && `${money(run.tree.cost_usd)} · `}
        <Ago at={begunAt(run)} className="relative" />
      </td>
    </>
  );
}

/** The next page is on its way: the row is where it will be. */
export function WaitingCells({ columns }: { columns: readonly Column[] }) {
  return (
    <>
      <td>
        <Skeleton className="w-3/5" />
      </td>
      {columns.map(({ id, isFigure }) => (
        <td key={id} className={isFigure ? 'text-right' : ''}>
          <Skeleton className="w-3/5" />
        </td>
      ))}
    </>
  );
}
