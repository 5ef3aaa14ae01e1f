import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { Run } from '../../../domain/run.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago, Elapsed } from '../../components/Times.tsx';
import { asText, count, firstLine, plural, short } from '../../format.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { lookOf, triggerWord } from '../../status.ts';

const COLUMNS =
  'grid grid-cols-[minmax(12rem,1fr)_9.5rem_8.5rem_4.5rem_6rem_5.5rem_7.5rem_5.5rem] items-center gap-x-3 px-6 max-xl:grid-cols-[minmax(12rem,1fr)_9.5rem_minmax(6rem,10rem)_5.5rem_5.5rem] max-md:grid-cols-[1fr_auto] max-md:gap-y-0.5 max-md:px-4';
const TH = 'text-left font-normal';
const WIDE = 'max-xl:hidden';
const ROW_PX = 44;
const PHONE_ROW_PX = 68;
const isPhone = (): boolean => window.matchMedia('(max-width: 767px)').matches;

interface Props {
  runs: Run[];
  isPending: boolean;
  hasMore: boolean;
  onEnd: () => void;
}

/** Only the rows in sight exist, so ten thousand runs scroll like ten. */
export function RunTable({ runs, isPending, hasMore, onEnd }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const total = isPending ? 12 : runs.length + (hasMore ? 1 : 0);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => (isPhone() ? PHONE_ROW_PX : ROW_PX),
    overscan: 12,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= runs.length - 1) onEnd();
  }, [hasMore, last, runs.length, onEnd]);

  const step = (by: number): void => {
    const links = [...(box.current?.querySelectorAll<HTMLAnchorElement>('a[data-run]') ?? [])];
    const at = links.findIndex((link) => link.matches(':focus'));
    const next = links[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });

  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      <table aria-label="Runs" aria-busy={isPending} aria-rowcount={hasMore ? -1 : runs.length + 1} className="block">
        <thead className="sticky block top-0 z-10 border-b border-line bg-surface max-md:hidden">
          <tr aria-rowindex={1} className={`${COLUMNS} h-9 text-small text-faint`}>
            <th scope="col" className={TH}>
              Task
            </th>
            <th scope="col" className={TH}>
              Status
            </th>
            <th scope="col" className={TH}>
              Agent
            </th>
            <th scope="col" className={`${TH} ${WIDE}`}>
              Trigger
            </th>
            <th scope="col" className={`${TH} ${WIDE}`}>
              Caller
            </th>
            <th scope="col" className={'text-right font-normal'}>
              Duration
            </th>
            <th scope="col" className={`text-right font-normal ${WIDE}`}>
              Iterations / tokens
            </th>
            <th scope="col" className={'text-right font-normal'}>
              Started
            </th>
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: rows.getTotalSize() }}>
          {visible.map(({ index, start, size }) => {
            const run = runs[index];
            return (
              <tr
                key={run?.id ?? `row-${index}`}
                aria-rowindex={index + 2}
                className={`${COLUMNS} absolute inset-x-0 border-b border-line hover:bg-hover max-md:content-center`}
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                {run ? <Cells run={run} /> : <Waiting />}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Cells({ run }: { run: Run }) {
  const task = firstLine(asText(run.input)) || run.id;
  const { ended } = lookOf(run.status);
  const begun = run.started_at ?? run.created_at;
  return (
    <>
      <td className="min-w-0 max-md:col-span-2">
        <Link
          data-run
          to={`/runs/${encodeURIComponent(run.id)}`}
          title={task}
          className="block truncate font-medium outline-none after:absolute after:inset-0 after:-outline-offset-2 focus-visible:after:outline-2 focus-visible:after:outline-accent-ink"
        >
          {task}
        </Link>
      </td>
      <td className="flex min-w-0">
        <StatusBadge status={run.status} />
      </td>
      <td className="truncate text-soft max-md:hidden" title={run.agent_name}>
        {run.agent_name}
      </td>
      <td className={`truncate text-soft ${WIDE}`}>{triggerWord(run.trigger_type)}</td>
      <td className={`truncate text-soft ${WIDE}`} title={run.caller_name}>
        {run.caller_name}
      </td>
      <td className="text-right text-soft max-md:hidden">
        {run.status === 'queued' ? '–' : <Elapsed from={begun} to={ended ? (run.completed_at ?? begun) : null} />}
      </td>
      <td
        className={`relative text-right text-soft ${WIDE}`}
        title={`${plural(run.iterations_used, 'iteration')}, ${count(run.tokens_used)} tokens`}
      >
        {count(run.iterations_used)} / {short(run.tokens_used)}
      </td>
      <td className="text-right text-soft">
        <Ago at={begun} className="relative" />
      </td>
    </>
  );
}

/** The next page is on its way: the row is where it will be. */
function Waiting() {
  return (
    <>
      <td className="max-md:col-span-2">
        <Skeleton className="w-3/5" />
      </td>
      <td>
        <Skeleton className="w-24" />
      </td>
      <td className="max-md:hidden">
        <Skeleton className="w-20" />
      </td>
      <td className={WIDE}>
        <Skeleton className="w-12" />
      </td>
      <td className={WIDE}>
        <Skeleton className="w-16" />
      </td>
      <td className="text-right max-md:hidden">
        <Skeleton className="w-10" />
      </td>
      <td className={`text-right ${WIDE}`}>
        <Skeleton className="w-14" />
      </td>
      <td className="text-right">
        <Skeleton className="w-12" />
      </td>
    </>
  );
}
