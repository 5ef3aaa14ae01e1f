import { FileText, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { ContextRow } from '../../../domain/session.ts';
import { rowWords, withoutRow } from '../../context-rows.ts';

interface Props {
  rows: ContextRow[];
  onRows: (rows: ContextRow[]) => void;
  /** The last one is gone: the focus must go somewhere. */
  onLeft: () => void;
  /** A way to add one. */
  children: ReactNode;
}

/** What the agent is given with every message. Delete, Backspace or a click takes one away. */
export function ContextChips({ rows, onRows, onLeft, children }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const remove = (row: ContextRow, at: number): void => {
    onRows(withoutRow(rows, row));
    const others = [...(list.current?.querySelectorAll('button') ?? [])].filter((_, index) => index !== at);
    const next = others[Math.min(at, others.length - 1)];
    if (next) next.focus();
    else onLeft();
  };
  const onKeyDown = (event: KeyboardEvent, row: ContextRow, at: number): void => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    event.preventDefault();
    remove(row, at);
  };
  if (rows.length === 0) return <div className="flex min-h-7 pointer-coarse:min-h-9">{children}</div>;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1.5">
      <ul ref={list} aria-label="Pinned to this chat" className="contents">
        {rows.map((row, at) => (
          <li key={rowWords(row)} className="min-w-0 max-w-full">
            <button
              type="button"
              aria-label={`${rowWords(row)}: take away`}
              title={`${row.note ? `${row.note}. ` : ''}Given to the agent with every message. Click or press Delete to take it away.`}
              onClick={() => remove(row, at)}
              onKeyDown={(event) => onKeyDown(event, row, at)}
              className="group flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 text-small hover:border-control pointer-coarse:h-9"
            >
              <FileText aria-hidden size={12} className="shrink-0 text-faint" />
              <span className="truncate font-mono">{rowWords(row)}</span>
              <X aria-hidden size={12} className="shrink-0 text-faint group-hover:text-ink" />
            </button>
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}
