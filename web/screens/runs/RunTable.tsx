import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Run } from '../../../domain/run.ts';
import { isAscending, type RunOrder } from '../../../domain/run-order.ts';
import { useIsNarrow } from '../../media.ts';
import { type Column, fittingColumns, nextSort } from '../../run-columns.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { PhoneCells, RowCells, WaitingCells } from './RunCells.tsx';

const ROW_PX = 44;
const PHONE_ROW_PX = 72;
const REM_PX = 16;

interface Props {
  runs: Run[];
  isPending: boolean;
  hasMore: boolean;
  onEnd: () => void;
  columns: Column[];
  isOwnChoice: boolean;
  sort: RunOrder;
  onSort: (sort: RunOrder) => void;
}

/** Only the rows in sight exist, so ten thousand runs scroll like ten. */
export function RunTable({ runs, isPending, hasMore, onEnd, columns, isOwnChoice, sort, onSort }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const width = useWidth(box);
  const total = isPending ? 12 : runs.length + (hasMore ? 1 : 0);
  const rowPx = isNarrow ? PHONE_ROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows measured on a phone are of no use on a desk
  useEffect(() => rows.measure(), [rowPx]);
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

  const shown = isNarrow ? [] : fittingColumns(columns, width / REM_PX, isOwnChoice);
  const gridTemplateColumns = isNarrow
    ? 'minmax(0, 1fr) auto'
    : `minmax(0, 1fr) ${shown.map(({ rem }) => `${rem}rem`).join(' ')}`;
  const line = 'grid items-center gap-x-3 px-6 max-md:gap-y-0.5 max-md:px-4';
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      <table aria-label="Runs" aria-busy={isPending} aria-rowcount={hasMore ? -1 : runs.length + 1} className="block">
        <thead className="sticky top-0 z-10 block border-b border-line bg-surface max-md:hidden">
          <tr aria-rowindex={1} style={{ gridTemplateColumns }} className={`${line} h-9 text-small text-faint`}>
            <th scope="col" className="text-left font-normal">
              Task
            </th>
            {shown.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: rows.getTotalSize() }}>
          {visible.map(({ index, start, size }) => {
            const run = runs[index];
            return (
              <tr
                key={run?.id ?? `row-${index}`}
                aria-rowindex={index + 2}
                className={`${line} absolute inset-x-0 border-b border-line hover:bg-hover max-md:content-center`}
                style={{ height: size, transform: `translateY(${start}px)`, gridTemplateColumns }}
              >
                {!run ? (
                  <WaitingCells columns={shown} />
                ) : isNarrow ? (
                  <PhoneCells run={run} />
                ) : (
                  <RowCells run={run} columns={shown} />
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Head({ column, sort, onSort }: { column: Column; sort: RunOrder; onSort: (sort: RunOrder) => void }) {
  const { sorts, name, isFigure } = column;
  const isSorted = sorts?.includes(sort) ?? false;
  const isUp = isAscending(sort);
  const Arrow = isUp ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
      className={`font-normal ${isFigure ? 'text-right' : 'text-left'}`}
    >
      {sorts ? (
        <button
          type="button"
          onClick={() => onSort(nextSort(column, sort))}
          className={`inline-flex h-7 items-center gap-1 rounded hover:text-ink ${isSorted ? 'font-medium text-ink' : ''}`}
        >
          {isSorted && <Arrow aria-hidden size={12} />}
          {name}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

/** The room there is, as it changes. */
function useWidth(box: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(1136);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
