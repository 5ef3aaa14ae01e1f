import {
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleX,
  CornerDownRight,
  MessageSquareText,
  TriangleAlert,
  User,
} from 'lucide-react';
import { memo } from 'react';
import { foldDuration, foldWords, type Row } from '../../activity.ts';
import { asText, duration, firstLine, short } from '../../format.ts';
import { lookOf, TONE_INK } from '../../status.ts';
import type { Item, ModelItem } from '../../transcript.ts';
import { CallRow } from './CallRow.tsx';
import { MapNode, type Shape } from './MapNode.tsx';

export function TaskRow({ task, ...shape }: Shape & { task: string }) {
  return (
    <MapNode
      id="input"
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
      id={row.key}
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
  nested: boolean;
  /** What is written of this turn so far. */
  written: string;
  isOver: boolean;
}

export const ItemRow = memo(function ItemRow({ item, nested, written, isOver, ...shape }: ItemProps) {
  switch (item.kind) {
    case 'model':
      return <ModelRow item={item} nested={nested} written={written} {...shape} />;
    case 'call':
      return <CallRow item={item} nested={nested} isOver={isOver} {...shape} />;
    case 'message':
      return (
        <MapNode
          id={item.key}
          icon={CornerDownRight}
          tone="quiet"
          title={
            <>
              <span className="font-medium">{item.by.name || 'Message'}</span> {firstLine(item.content)}
            </>
          }
          {...shape}
        />
      );
    case 'warning':
      return (
        <MapNode id={item.key} icon={TriangleAlert} tone="waits" title={`Budget warning: ${item.limit}`} {...shape} />
      );
    case 'end': {
      const { word, tone } = lookOf(item.status);
      return (
        <MapNode
          id="end"
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
  }
});

function ModelRow({ item, written, ...rest }: Shape & { item: ModelItem; written: string; nested: boolean }) {
  const failed = item.failures.at(-1);
  const said = firstLine(item.text || written);
  const quiet =
    item.state === 'writing'
      ? 'Thinking…'
      : item.state === 'done'
        ? `Calls ${[...new Set(item.calls.map(({ name }) => name))].join(', ') || 'nothing'}`
        : item.state === 'retrying'
          ? 'Waits to try again'
          : 'Stopped';
  return (
    <MapNode
      id={item.key}
      icon={MessageSquareText}
      tone={item.state === 'writing' ? 'running' : item.state === 'retrying' ? 'waits' : 'quiet'}
      isActive={item.state === 'writing'}
      title={said || <span className="text-soft">{quiet}</span>}
      aside={item.tokens ? `${short(item.tokens.input + item.tokens.output)} tok` : undefined}
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
