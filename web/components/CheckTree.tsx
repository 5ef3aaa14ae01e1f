import { ChevronRight, File, Folder, Square, SquareCheck, SquareMinus } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Box } from '../folder-rules.ts';

export interface TreeRow {
  path: string;
  name: string;
  level: number;
  kind: 'folder' | 'file';
  box: Box;
  /** null for what cannot be opened. */
  open: boolean | null;
  /** Its place among its siblings, from 1, and how many they are. */
  place: number;
  siblings: number;
  /** Why it cannot be ticked. */
  blocked: string | null;
  /** What stands below it instead of rows: that they are coming, or why they do not. */
  note: string | null;
}

interface Props {
  label: string;
  rows: readonly TreeRow[];
  disabled: boolean;
  onOpen: (path: string) => void;
  onTick: (path: string) => void;
}

const GLYPHS = { all: SquareCheck, some: SquareMinus, none: Square };
const CHECKED = { all: true, some: 'mixed', none: false } as const;
const INDENT_PX = 20;

/** A tree with a box at every line: all of it, some of it, none of it. Arrow keys move and open, space ticks. */
export function CheckTree({ label, rows, disabled, onOpen, onTick }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState('/');
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === active),
  );

  const go = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    setActive(row.path);
    box.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.path)}"]`)?.focus();
  };
  const tick = ({ path, blocked }: TreeRow): void => {
    if (!disabled && blocked === null) onTick(path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = () => rows.findLastIndex(({ level }, index) => index < at && level < row.level);
    const keys = new Map<string, () => unknown>([
      ['ArrowDown', () => go(at + 1)],
      ['ArrowUp', () => go(at - 1)],
      ['Home', () => go(0)],
      ['End', () => go(rows.length - 1)],
      ['ArrowRight', () => (row.open === false ? onOpen(row.path) : row.open && go(at + 1))],
      ['ArrowLeft', () => (row.open ? onOpen(row.path) : row.level > 1 && go(parent()))],
      [' ', () => tick(row)],
      ['Enter', () => tick(row)],
    ]);
    const act = keys.get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };

  return (
    <div
      ref={box}
      role="tree"
      aria-label={label}
      aria-multiselectable
      className="flex flex-col py-1"
      onKeyDown={onKeyDown}
    >
      {rows.map((row, index) => (
        <div key={row.path} role="none">
          <Line
            row={row}
            disabled={disabled}
            isActive={index === at}
            onFocus={() => setActive(row.path)}
            onOpen={() => onOpen(row.path)}
            onTick={() => tick(row)}
          />
          {row.note && (
            <p
              role="none"
              className="px-3 py-1 text-small text-faint"
              style={{ paddingLeft: row.level * INDENT_PX + 36 }}
            >
              {row.note}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

interface LineProps {
  row: TreeRow;
  disabled: boolean;
  isActive: boolean;
  onFocus: () => void;
  onOpen: () => void;
  onTick: () => void;
}

function Line({ row, disabled, isActive, onFocus, onOpen, onTick }: LineProps) {
  const Glyph = GLYPHS[row.box];
  const Icon = row.kind === 'folder' ? Folder : File;
  const isFixed = disabled || row.blocked !== null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
    <div
      role="treeitem"
      data-path={row.path}
      aria-label={row.name}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-checked={CHECKED[row.box]}
      aria-disabled={isFixed}
      {...(row.open !== null && { 'aria-expanded': row.open })}
      tabIndex={isActive ? 0 : -1}
      title={row.blocked ?? undefined}
      onFocus={onFocus}
      onClick={onTick}
      className="flex h-7 min-w-0 items-center gap-1.5 pr-3 -outline-offset-2 hover:bg-hover pointer-coarse:h-10"
      style={{ paddingLeft: (row.level - 1) * INDENT_PX + 8 }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys open and close */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys open and close */}
      <span
        className={`flex size-5 shrink-0 items-center justify-center text-faint ${row.open === null ? 'invisible' : 'hover:text-ink'}`}
        onClick={(event) => {
          event.stopPropagation();
          if (row.open !== null) onOpen();
        }}
      >
        <ChevronRight aria-hidden size={14} className={row.open ? 'rotate-90' : ''} />
      </span>
      <Glyph
        aria-hidden
        size={16}
        className={`shrink-0 ${row.box === 'none' ? 'text-control' : 'text-accent-ink'} ${isFixed ? 'opacity-55' : ''}`}
      />
      <Icon aria-hidden size={14} className="ml-0.5 shrink-0 text-faint" />
      <span className={`truncate ${row.blocked === null ? '' : 'text-faint'}`}>{row.name}</span>
    </div>
  );
}
