import {
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleX,
  MessageSquareText,
  Shrink,
  User,
} from 'lucide-react';
import { memo } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { foldDuration, type Row } from '../../activity.ts';
import { foldWords } from '../../call-words.ts';
import { asText, duration, firstLine } from '../../format.ts';
import { lookOf, TONE_INK } from '../../status.ts';
import type { EndItem, Item, ModelItem } from '../../transcript-items.ts';
import { AskRow, CallRow } from './CallRow.tsx';
import { MapNode, type Shape } from './MapNode.tsx';
import { NoteRow } from './NoteRow.tsx';
import { figures } from './Spent.tsx';

export function TaskRow({ task, ...shape }: Shape & { task: string }) {
  return (
    <MapNode
      icon={User}
      tone="quiet"
      title={
        <>
          <span className="font-medium">Task</span> <span className="text-soft">{task}</span>
        </>
      }
      {...shape}
    />
  );
}

export function FoldRow({ row, ...shape }: Shape & { row: Extract<Row, { type: 'fold' }> }) {
  return (
    <MapNode
      icon={row.open ? ChevronDown : ChevronRight}
      tone="quiet"
      expanded={row.open}
      title={foldWords(row.calls)}
      aside={duration(foldDuration(row.calls))}
      {...shape}
    />
  );
}

interface ItemProps extends Shape {
  item: Item;
  /** What is written of this turn so far. */
  written: string;
  isOver: boolean;
  expanded: boolean | null;
  /** Of the run a call was handed to, while it is at work. */
  below: RunStatus | null;
  onToggle: (key: string) => void;
}

export const ItemRow = memo(function ItemRow({
  item,
  written,
  isOver,
  expanded,
  below,
  onToggle,
  ...shape
}: ItemProps) {
  switch (item.kind) {
    case 'model':
      return <ModelRow item={item} written={written} {...shape} />;
    case 'call':
      return <CallRow item={item} isOver={isOver} expanded={expanded} below={below} onToggle={onToggle} {...shape} />;
    case 'ask':
      return <AskRow item={item} isOver={isOver} {...shape} />;
    case 'end':
      return <EndRow item={item} {...shape} />;
    default:
      return <NoteRow item={item} {...shape} />;
  }
});

function EndRow({ item, ...shape }: Shape & { item: EndItem }) {
  const { word, tone } = lookOf(item.status);
  return (
    <MapNode
      icon={tone === 'done' ? CircleCheck : tone === 'failed' ? CircleX : CircleAlert}
      tone={tone}
      title={<span className={`font-medium ${TONE_INK[tone]}`}>{word}</span>}
      below={
        item.error ? (
          <span className="text-failed">{item.error.message}</span>
        ) : (
          <span className="text-soft">{firstLine(asText(item.output))}</span>
        )
      }
      {...shape}
    />
  );
}

const quietWords = (item: ModelItem): string => {
  if (item.state === 'retrying') return 'Waits to try again';
  if (item.state === 'stopped') return 'Stopped';
  if (item.sums_up) return item.state === 'writing' ? 'Sums up older turns…' : 'Older turns were summed up';
  if (item.state === 'writing') return 'Thinking…';
  return `Calls ${[...new Set(item.calls.map(({ name }) => name))].join(', ') || 'nothing'}`;
};

function ModelRow({ item, written, ...rest }: Shape & { item: ModelItem; written: string }) {
  const failed = item.failures.at(-1);
  const said = item.sums_up ? '' : firstLine(item.text || written);
  const tokens = item.tokens ? item.tokens.input + item.tokens.output : 0;
  return (
    <MapNode
      icon={item.sums_up ? Shrink : MessageSquareText}
      tone={item.state === 'writing' ? 'running' : item.state === 'retrying' ? 'waits' : 'quiet'}
      isActive={item.state === 'writing'}
      title={said || <span className="text-soft">{quietWords(item)}</span>}
      aside={figures({ tokens, cost_usd: item.cost_usd, duration_ms: item.duration_ms })}
      below={
        failed && (
          <span
            className={item.state === 'done' ? 'text-faint' : 'text-failed'}
          >{`Try ${failed.try}: ${failed.error.message}`}</span>
        )
      }
      {...rest}
    />
  );
}
