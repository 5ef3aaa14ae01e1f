import {
  ChevronDown,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleX,
  CornerDownRight,
  FilePen,
  FileText,
  FolderTree,
  Hand,
  type LucideIcon,
  MessageCircleQuestionMark,
  MessageSquareText,
  Search,
  TriangleAlert,
  User,
  Wrench,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { callWords, foldDuration, foldWords, type Row } from '../../activity.ts';
import { asText, duration, firstLine, short } from '../../format.ts';
import { lookOf, TONE_INK, type Tone } from '../../status.ts';
import type { CallItem, Item, ModelItem } from '../../transcript.ts';

interface Shape {
  isSelected: boolean;
  isLast: boolean;
  /** Told the key of the row. The same function at every render, so that a row is drawn anew only when it changes. */
  onClick: (key: string) => void;
}

interface NodeProps extends Shape {
  id: string;
  icon: LucideIcon;
  tone: Tone;
  title: ReactNode;
  aside?: ReactNode;
  /** A second line that is always open: an error, a question, a decision. */
  below?: ReactNode;
  nested?: boolean;
  isActive?: boolean;
  expanded?: boolean;
}

function Node({
  id,
  icon: Icon,
  tone,
  title,
  aside,
  below,
  nested = false,
  isActive = false,
  isSelected,
  isLast,
  onClick,
  expanded,
}: NodeProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and moves the choice by keyboard
    // biome-ignore lint/a11y/useFocusableInteractive: options of a list with aria-activedescendant take no focus themselves
    <div
      id={`row-${id}`}
      role="treeitem"
      aria-level={nested ? 2 : 1}
      aria-selected={isSelected}
      aria-expanded={expanded}
      onClick={() => onClick(id)}
      className={`relative flex min-h-11 gap-3 py-2.5 pr-4 hover:bg-hover aria-selected:bg-chosen ${nested ? 'pl-10' : 'pl-5'} max-sm:pr-3`}
    >
      {!isLast && (
        <span aria-hidden className={`absolute top-8 -bottom-2.5 w-px bg-line ${nested ? 'left-13' : 'left-8'}`} />
      )}
      <span
        className={`relative flex size-6 shrink-0 items-center justify-center rounded-full border bg-surface ${isActive ? 'animate-pulse border-running' : 'border-line'} ${TONE_INK[tone]}`}
      >
        <Icon aria-hidden size={13} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col gap-0.5 pt-0.5">
        <span className="flex min-w-0 items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate">{title}</span>
          {aside && <span className="shrink-0 text-small text-faint">{aside}</span>}
        </span>
        {below && <span className="line-clamp-3 text-small break-words">{below}</span>}
      </span>
    </div>
  );
}

export function TaskRow({ task, ...shape }: Shape & { task: string }) {
  return (
    <Node
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
    <Node
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
        <Node
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
        <Node id={item.key} icon={TriangleAlert} tone="waits" title={`Budget warning: ${item.limit}`} {...shape} />
      );
    case 'end': {
      const { word, tone } = lookOf(item.status);
      return (
        <Node
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
    <Node
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

const ICONS: Record<string, LucideIcon> = {
  read_file: FileText,
  list_files: FolderTree,
  search_content: Search,
  search_project: Search,
  write_file: FilePen,
  create_file: FilePen,
};

function CallRow({ item, isOver, ...rest }: Shape & { item: CallItem; isOver: boolean; nested: boolean }) {
  const { verb, object } = callWords(item);
  const { action, question, result } = item;
  const isOpen = !isOver && result === null;
  const waits =
    isOpen && ((action !== null && action.decision === null) || (question !== null && question.answer === null));
  const failed = result !== null && !result.ok;
  const title = question ? (
    <>
      <span className="font-medium">Question</span> <span className="text-soft">{firstLine(question.question)}</span>
    </>
  ) : (
    <>
      {verb} <span className="font-mono text-small text-soft">{object}</span>
    </>
  );
  return (
    <Node
      id={item.key}
      icon={question ? MessageCircleQuestionMark : action ? Hand : (ICONS[item.name] ?? Wrench)}
      tone={waits ? 'waits' : failed ? 'failed' : isOpen ? 'running' : 'quiet'}
      isActive={isOpen && !waits}
      title={title}
      aside={result && !question ? duration(result.duration_ms) : undefined}
      below={<Below item={item} waits={waits} />}
      {...rest}
    />
  );
}

function Below({ item: { action, question, result }, waits }: { item: CallItem; waits: boolean }) {
  if (waits)
    return <span className="font-medium text-waits">{question ? 'Waits for answer' : 'Waits for approval'}</span>;
  if (action?.decision && !action.decision.confirmed) {
    return (
      <span className="text-failed">
        Denied by {action.decision.by.name}
        {action.decision.reason ? `: ${action.decision.reason}` : ''}
      </span>
    );
  }
  if (result?.error) return <span className="text-failed">{result.error.message}</span>;
  if (action?.decision)
    return (
      <span className="text-done">
        Allowed by {action.decision.by.name}
        {action.decision.edited ? ', edited' : ''}
      </span>
    );
  if (question?.answer) return <span className="text-soft">{question.answer.text}</span>;
  return null;
}
