import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { TONE_INK, type Tone } from '../../status.ts';

export interface Shape {
  isSelected: boolean;
  isLast: boolean;
  /** Told the key of the row. The same function at every render, so that a row is drawn anew only when it changes. */
  onClick: (key: string) => void;
}

interface Props extends Shape {
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

export function MapNode({
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
}: Props) {
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
