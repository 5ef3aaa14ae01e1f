import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { AuditLine } from '../../../domain/audit.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { duration } from '../../format.ts';
import { useIsNarrow } from '../../media.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Outcome } from './Outcome.tsx';

const ROW_PX = 36;
const PHONE_ROW_PX = 60;
const COLUMNS = '6.5rem 9rem 9rem 12rem minmax(0, 1fr) 5rem 6.5rem';

interface Props {
  lines: AuditLine[];
  isPending: boolean;
  hasMore: boolean;
  onEnd: () => void;
  onOpen: (line: AuditLine) => void;
}

/** Only the rows in sight exist, so a hundred thousand lines scroll like ten. */
export function ActivityTable({ lines, isPending, hasMore, onEnd, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const rowPx = isNarrow ? PHONE_ROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count: isPending ? 16 : lines.length + (hasMore ? 1 : 0),
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 12,
    // A line that comes to the top moves the others down; it does not take their place.
    getItemKey: (index) => lines[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows measured on a phone are of no use on a desk
  useEffect(() => rows.measure(), [rowPx]);
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= lines.length - 1) onEnd();
  }, [hasMore, last, lines.length, onEnd]);

  const step = (by: number): void => {
    const all = [...(box.current?.querySelectorAll<HTMLButtonElement>('button[data-line]') ?? [])];
    const at = all.findIndex((each) => each.matches(':focus'));
    const next = all[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });

  const gridTemplateColumns = isNarrow ? 'minmax(0, 1fr) auto' : COLUMNS;
  const row = 'grid items-center gap-x-3 px-6 max-md:gap-y-0.5 max-md:px-4';
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      <table
        aria-label="Activity"
        aria-busy={isPending}
        aria-rowcount={hasMore ? -1 : lines.length + 1}
        className="block"
      >
        <thead className="sticky top-0 z-10 block border-b border-line bg-surface max-md:hidden">
          <tr aria-rowindex={1} style={{ gridTemplateColumns }} className={`${row} h-9 text-small text-faint`}>
            {['When', 'Who', 'Agent', 'Action', 'Target', 'Took', 'Outcome'].map((name) => (
              <th key={name} scope="col" className={`font-normal ${name === 'Took' ? 'text-right' : 'text-left'}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: rows.getTotalSize() }}>
          {visible.map(({ key, index, start, size }) => {
            const line = lines[index];
            const wash = line?.was_allowed === false ? 'bg-failed-wash' : 'hover:bg-hover';
            return (
              <tr
                key={String(key)}
                aria-rowindex={index + 2}
                className={`${row} absolute inset-x-0 border-b border-line max-md:content-center ${wash}`}
                style={{ height: size, transform: `translateY(${start}px)`, gridTemplateColumns }}
              >
                {!line ? (
                  <td className="col-span-full">
                    <Skeleton className="w-3/5" />
                  </td>
                ) : isNarrow ? (
                  <PhoneCells line={line} onOpen={onOpen} />
                ) : (
                  <RowCells line={line} onOpen={onOpen} />
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

type CellsProps = { line: AuditLine; onOpen: (line: AuditLine) => void };

function Opener({ line, onOpen }: CellsProps) {
  return (
    <button
      type="button"
      data-line
      title={line.action}
      onClick={() => onOpen(line)}
      className="block max-w-full truncate text-left font-mono text-small leading-5 font-medium outline-none after:absolute after:inset-0 after:-outline-offset-2 focus-visible:after:outline-2 focus-visible:after:outline-accent-ink"
    >
      {line.action}
    </button>
  );
}

function RowCells({ line, onOpen }: CellsProps) {
  const { created_at, user_name, agent_name, target, execution_time_ms } = line;
  return (
    <>
      <td className="truncate text-soft">
        <Ago at={created_at} className="relative" />
      </td>
      <td className="truncate">{user_name}</td>
      <td className="truncate text-soft">{agent_name ?? '–'}</td>
      <td className="min-w-0">
        <Opener line={line} onOpen={onOpen} />
      </td>
      <td className="truncate font-mono text-small text-soft" title={target ?? undefined}>
        {target}
      </td>
      <td className="text-right text-soft">{execution_time_ms === null ? '–' : duration(execution_time_ms)}</td>
      <td>
        <Outcome wasAllowed={line.was_allowed} />
      </td>
    </>
  );
}

function PhoneCells({ line, onOpen }: CellsProps) {
  return (
    <>
      <td className="min-w-0">
        <Opener line={line} onOpen={onOpen} />
      </td>
      <td className="text-right text-small">
        {line.was_allowed ? <Ago at={line.created_at} className="text-soft" /> : <Outcome wasAllowed={false} />}
      </td>
      <td className="col-span-2 truncate text-small text-soft">
        {[line.user_name, line.agent_name, line.target].filter(Boolean).join(' · ')}
      </td>
    </>
  );
}
