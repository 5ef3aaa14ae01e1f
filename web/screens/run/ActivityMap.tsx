import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { nodeKey, type Row } from '../../activity.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useShortcuts } from '../../shortcuts.ts';
import { statusOf, type Transcript } from '../../transcript.ts';
import type { Item } from '../../transcript-items.ts';
import { FoldRow, ItemRow, TaskRow } from './MapRow.tsx';

interface Props {
  rows: Row[];
  task: string;
  transcript: Transcript;
  /** Of the runs below that are open on the map. */
  transcriptOf: (runId: string) => Transcript | undefined;
  /** Nothing has come yet, as opposed to: there is nothing. */
  isEmpty: boolean;
  selected: string | null;
  /** No item was chosen by hand: the map stays with what matters now. */
  isFollowing: boolean;
  onChoose: (key: string | null) => void;
  onToggle: (fold: string) => void;
}

const ROW_PX = 44;
const NEAR_PX = 60;

/** The run as a vertical line of nodes. Only those in sight exist, so three thousand scroll like thirty. */
export function ActivityMap(props: Props) {
  const { rows, task, transcript, transcriptOf, isEmpty, selected, isFollowing, onChoose, onToggle } = props;
  const { ended } = transcript;
  const box = useRef<HTMLDivElement>(null);
  const [hasLeft, setHasLeft] = useState(false);
  const total = rows.length + 1;
  const keyAt = (index: number): string => (index === 0 ? 'input' : (rows[index - 1]?.key ?? 'input'));
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: keyAt,
    overscan: 10,
  });

  const found = selected === 'input' ? 0 : rows.findIndex((row) => holds(row, selected)) + 1;
  const at = found > 0 || selected === 'input' ? found : total - 1;
  const follows = isFollowing && !hasLeft;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the map grows or the choice moves, not when the virtualizer renders
  useEffect(() => {
    if (!follows) return;
    // What waits or was asked for is brought into sight; while it works, the newest line is.
    const newest = lastBelow(rows, at);
    const target = newest !== at ? newest : ended || at === total - 1 || at < total - 8 ? at : total - 1;
    list.scrollToIndex(target, { align: 'end' });
  }, [follows, at, total, ended]);

  const go = (index: number): void => {
    const next = Math.max(0, Math.min(total - 1, index));
    const row = rows[next - 1];
    onChoose(row?.type === 'fold' ? nodeKey(row.run_id, row.calls[0]?.key ?? '') : keyAt(next));
    list.scrollToIndex(next, { align: 'auto' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets = new Map([
      ['ArrowDown', at + 1],
      ['ArrowUp', at - 1],
      ['Home', 0],
      ['End', total - 1],
    ]);
    const target = targets.get(event.key);
    const row = rows[at - 1];
    if (target !== undefined) go(target);
    else if (
      row &&
      row.open !== null &&
      (event.key === 'Enter' || event.key === (row.open ? 'ArrowLeft' : 'ArrowRight'))
    )
      onToggle(row.key);
    else return;
    event.preventDefault();
  };
  useShortcuts({ j: () => go(at + 1), k: () => go(at - 1) });

  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (below < NEAR_PX) setHasLeft(false);
  };

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        role="tree"
        aria-label="Activity"
        aria-busy={isEmpty}
        tabIndex={0}
        aria-activedescendant={`row-${keyAt(at)}`}
        onKeyDown={onKeyDown}
        onWheel={(event) => event.deltaY < 0 && setHasLeft(true)}
        onTouchMove={() => setHasLeft(true)}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div role="presentation" className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index - 1];
            const shape = {
              id: keyAt(index),
              depth: row?.depth ?? 0,
              isSelected: index === at,
              // The line of a run below ends with it.
              isLast: index === total - 1 || (row?.depth ?? 0) > (rows[index]?.depth ?? 0),
              isEnd: index === total - 1,
            };
            const own = row?.run_id ? transcriptOf(row.run_id) : transcript;
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                {!row ? (
                  <TaskRow task={task} {...shape} onClick={onChoose} />
                ) : row.type === 'fold' ? (
                  <FoldRow row={row} {...shape} onClick={onToggle} />
                ) : (
                  <ItemRow
                    item={row.item}
                    written={row.item.kind === 'model' && own?.writing?.turn === row.item.turn ? own.writing.text : ''}
                    isOver={own?.ended !== null}
                    expanded={row.open}
                    below={statusBelow(row.item, transcriptOf)}
                    {...shape}
                    onClick={onChoose}
                    onToggle={onToggle}
                  />
                )}
              </div>
            );
          })}
        </div>
        {isEmpty && (
          <div className="flex flex-col gap-6 px-6 py-3">
            {['w-3/4', 'w-1/2', 'w-2/3'].map((width) => (
              <Skeleton key={width} className={width} />
            ))}
          </div>
        )}
      </div>
      {!follows && !isEmpty && (
        <button
          type="button"
          onClick={() => {
            setHasLeft(false);
            onChoose(null);
          }}
          className="absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line bg-raised px-3 text-small font-medium shadow-float hover:bg-hover"
        >
          <ArrowDown aria-hidden size={14} /> Jump to now
        </button>
      )}
    </div>
  );
}

/** How the run stands that a call was handed to, while it is at work and known. */
function statusBelow(item: Item, transcriptOf: Props['transcriptOf']): RunStatus | null {
  if (item.kind !== 'call' || !item.delegation || item.result) return null;
  const known = transcriptOf(item.delegation.run_id);
  return known && known.next_cursor > 1 ? statusOf(known) : 'running';
}

/** What a closed row stands for is chosen with it. */
function holds(row: Row, key: string | null): boolean {
  if (row.key === key || key === null || row.open !== false) return row.key === key;
  if (row.type === 'fold') return row.items.some((item) => nodeKey(row.run_id, item.key) === key);
  return row.item.kind === 'call' && row.item.delegation !== null && key.startsWith(`${row.item.delegation.run_id}/`);
}

/** The last line of the run that is open below a row, where that run is still at work; else the row itself. */
function lastBelow(rows: readonly Row[], at: number): number {
  const row = rows[at - 1];
  if (row?.type !== 'item' || !row.open || row.item.kind !== 'call' || row.item.result) return at;
  let last = at;
  while ((rows[last]?.depth ?? 0) > row.depth) last += 1;
  return last;
}
