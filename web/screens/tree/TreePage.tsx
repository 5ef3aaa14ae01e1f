import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { RunTree } from '../../../domain/run-tree.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago, Elapsed } from '../../components/Times.tsx';
import { cost, count, inputLine, money, plural, short, shortId } from '../../format.ts';
import { useRun, useRunTree } from '../../queries.ts';
import { type TreeRow, treeRows } from '../../run-tree.ts';
import { lookOf } from '../../status.ts';

const GRID =
  'grid grid-cols-[minmax(0,1fr)_10rem_6rem_6rem_5rem_5.5rem] items-center gap-x-3 px-6 max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-y-0.5 max-md:px-4';

const MOST_INDENTS = 8;

/** A run and all that it has handed work to. */
export function TreePage() {
  const { id = '' } = useParams();
  const tree = useRunTree(id);
  const { data: run } = useRun(tree.data?.root_run_id ?? id);
  const task = inputLine(run?.input) || 'Run';
  return (
    <Page
      title="Tree of runs"
      tab={`Tree: ${task}`}
      crumbs={[
        { to: '/runs', name: 'Runs' },
        { to: `/runs/${encodeURIComponent(id)}`, name: task.length > 40 ? `${task.slice(0, 40)}…` : task },
      ]}
    >
      {tree.error && !tree.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The tree could not be read" error={tree.error} />
        </div>
      ) : tree.data ? (
        <Tree tree={tree.data} current={id} />
      ) : (
        <div aria-busy className="flex flex-col gap-6 p-6">
          {['w-1/2', 'w-2/3', 'w-2/5'].map((width) => (
            <Skeleton key={width} className={width} />
          ))}
        </div>
      )}
    </Page>
  );
}

function Tree({ tree, current }: { tree: RunTree; current: string }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = treeRows(tree.runs, closed);
  const toggle = (id: string): void => {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    setClosed(next);
  };
  return (
    <>
      <Totals tree={tree} />
      <table aria-label="Tree of runs" className="block">
        <thead className="block border-b border-line max-md:hidden">
          <tr className={`${GRID} h-9 text-small text-faint *:font-normal`}>
            <th scope="col" className="text-left">
              Agent
            </th>
            <th scope="col" className="text-left">
              Status
            </th>
            <th scope="col" className="text-right">
              Iter. / tokens
            </th>
            <th scope="col" className="text-right">
              Cost
            </th>
            <th scope="col" className="text-right">
              Duration
            </th>
            <th scope="col" className="text-right">
              Started
            </th>
          </tr>
        </thead>
        <tbody className="block">
          {rows.map((row) => (
            <Line key={row.run.id} row={row} isCurrent={row.run.id === current} onToggle={toggle} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Totals({ tree: { runs, settled, unconfirmed } }: { tree: RunTree }) {
  const isPriced = runs.every((run) => run.cost_usd !== null);
  return (
    <p className="border-b border-line px-6 py-3 text-soft max-sm:px-4">
      <span className="font-medium text-ink">{plural(runs.length, 'run')}</span> · {count(settled.tokens)} tokens ·{' '}
      {isPriced || settled.cost_usd > 0 ? `${money(settled.cost_usd)} settled` : cost(null)}
      {unconfirmed.calls > 0 && (
        <span className="text-waits">
          {' '}
          · up to {count(unconfirmed.tokens)} tokens and {money(unconfirmed.cost_usd)} more in{' '}
          {plural(unconfirmed.calls, 'call')} that {unconfirmed.calls === 1 ? 'was' : 'were'} never answered
        </span>
      )}
    </p>
  );
}

function Line({
  row: { run, depth, open },
  isCurrent,
  onToggle,
}: {
  row: TreeRow;
  isCurrent: boolean;
  onToggle: (id: string) => void;
}) {
  const begun = run.started_at ?? run.created_at;
  const { ended } = lookOf(run.status);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <tr
      aria-current={isCurrent}
      style={{ '--indent': `${Math.min(depth, MOST_INDENTS) * 20}px` }}
      className={`${GRID} relative min-h-11 border-b border-line py-1.5 hover:bg-hover aria-[current=true]:bg-chosen`}
    >
      <td className="flex min-w-0 items-center gap-1.5 pl-(--indent) max-md:col-span-2">
        {open === null ? (
          <span aria-hidden className="w-6 shrink-0" />
        ) : (
          <button
            type="button"
            aria-expanded={open}
            aria-label={`Runs below ${run.agent_name}`}
            onClick={() => onToggle(run.id)}
            className="relative z-10 flex size-6 shrink-0 items-center justify-center rounded text-soft hover:bg-line"
          >
            <Chevron aria-hidden size={15} />
          </button>
        )}
        <Link
          to={`/runs/${encodeURIComponent(run.id)}`}
          className="truncate font-medium after:absolute after:inset-0 after:-outline-offset-2"
        >
          {run.agent_name}
        </Link>
        <span className="shrink-0 font-mono text-small text-faint">{shortId(run.id)}</span>
        <span className="min-w-0 truncate text-faint max-lg:hidden">
          <ModelName model={run.llm_model} />
        </span>
      </td>
      <td className="flex min-w-0 max-md:pl-[calc(var(--indent)+1.875rem)]">
        <StatusBadge status={run.status} />
      </td>
      <td className="text-right text-soft max-md:hidden" title={`${count(run.tokens_used)} tokens of its own`}>
        {count(run.iterations_used)} / {short(run.tokens_used)}
      </td>
      <td className="text-right text-soft">
        <span className="md:hidden">{short(run.tokens_used)} tok · </span>
        {run.cost_usd === null ? <span title={cost(null)}>–</span> : money(run.cost_usd)}
        {run.unconfirmed_calls > 0 && <span className="text-waits"> +{run.unconfirmed_calls}?</span>}
      </td>
      <td className="text-right text-soft max-md:hidden">
        {run.status === 'queued' ? '–' : <Elapsed from={begun} to={ended ? (run.completed_at ?? begun) : null} />}
      </td>
      <td className="text-right text-soft max-md:hidden">
        <Ago at={begun} className="relative" />
      </td>
    </tr>
  );
}
