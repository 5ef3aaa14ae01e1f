import { ChevronDown, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { TONE_INK, type Tone } from '../../status.ts';

export interface Shape {
  /** Of the row, over all runs on the map. */
  id: string;
  /** 0 for the run itself; one more for each run or fold it is in. */
  depth: number;
  isSelected: boolean;
  /** Nothing of its own run comes after it. */
  isLast: boolean;
  /** Nor of any other. */
  isEnd: boolean;
  /** Told the key of the row. The same function at every render, so that a row is drawn anew only when it changes. */
  onClick: (key: string) => void;
}

interface Props extends Shape {
  icon: LucideIcon;
  tone: Tone;
  title: ReactNode;
  aside?: ReactNode;
  /** A second line that is always open: an error, a question, a decision. */
  below?: ReactNode;
  isActive?: boolean;
  expanded?: boolean;
  /** Opens and closes what is below, where a click on the row does something else. */
  onToggle?: (key: string) => void;
}

const INDENT_PX = 20;
/** Deeper rows keep this much, so that their words stay readable. */
const MOST_INDENTS = 6;

export function MapNode({
  id,
  depth,
  icon: Icon,
  tone,
  title,
  aside,
  below,
  isActive = false,
  isSelected,
  isLast,
  isEnd,
  onClick,
  expanded,
  onToggle,
}: Props) {
  const lineAt = (level: number): number => 32 + Math.min(level, MOST_INDENTS) * INDENT_PX;
  const guides = isEnd ? 0 : Math.min(depth, MOST_INDENTS);
  const Chevron = expanded ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and moves the choice by keyboard
    // biome-ignore lint/a11y/useFocusableInteractive: options of a list with aria-activedescendant take no focus themselves
    <div
      id={`row-${id}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={expanded}
      onClick={() => onClick(id)}
      style={{ paddingLeft: lineAt(depth) - 12 }}
      className="relative flex min-h-11 gap-3 py-2.5 pr-4 hover:bg-hover aria-selected:bg-chosen max-sm:pr-3"
    >
      {Array.from({ length: guides }, (_, level) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line for each level above, which is all it is
        <span key={level} aria-hidden className="absolute inset-y-0 w-px bg-line" style={{ left: lineAt(level) }} />
      ))}
      {!isLast && (
        <span aria-hidden className="absolute top-8 -bottom-2.5 w-px bg-line" style={{ left: lineAt(depth) }} />
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
      {onToggle && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={expanded ? 'Hide its activity' : 'Show its activity'}
          onClick={(event) => {
            event.stopPropagation();
            onToggle(id);
          }}
          className="flex size-6 shrink-0 items-center justify-center rounded text-soft hover:bg-line pointer-coarse:size-10"
        >
          <Chevron aria-hidden size={15} />
        </button>
      )}
    </div>
  );
}
