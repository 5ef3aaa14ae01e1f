import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, File, FileText, Folder, FolderOpen } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Skeleton } from '../../components/Skeleton.tsx';
import { fileHref, folderOf, foldersAbove, isMarkdown, nameOf, type Place } from '../../file-paths.ts';
import { seenFolders, type TreeRow, treeRows } from '../../file-tree.ts';
import { useIsNarrow } from '../../media.ts';
import { folderQuery } from './file-queries.ts';
import { useOpenFolders } from './open-folders.ts';

const NOTES = { failed: 'could not be read', empty: 'empty' };

/** The files of a notebook, a folder at a time. Only the lines in sight exist. */
export function FileTree({ notebookId, place }: { notebookId: string; place: Place }) {
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const { open, set } = useOpenFolders(notebookId);
  const [active, setActive] = useState(place.path);
  const box = useRef<HTMLDivElement>(null);
  const folders = seenFolders(open);
  const listings = useQueries({
    queries: folders.map((folder) => folderQuery(notebookId, folder)),
    combine: (results) => results.map(({ data, error }) => ({ items: data, failed: error !== null })),
  });
  const rows = treeRows((folder) => listings[folders.indexOf(folder)], open);
  const at = rows.findIndex(({ path }) => path === active);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (isNarrow ? 40 : 28),
    getItemKey: (index) => rows[index]?.path ?? index,
    overscan: 20,
  });

  // What the address names is brought into sight once its folders are open and read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `set` is new at every render and does the same
  useEffect(() => {
    setActive(place.path);
    const above = foldersAbove(place.path).slice(1);
    set(place.type === 'folder' && place.path !== '/' ? [...above, place.path] : above, true);
  }, [place.path, place.type]);
  const chosen = rows.findIndex(({ path }) => path === place.path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the choice gets a line, not when the list renders
  useEffect(() => {
    if (chosen >= 0) list.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen]);

  const act = (row: TreeRow | undefined): void => {
    if (row?.type !== 'entry') return;
    setActive(row.path);
    if (row.open === null) navigate(fileHref(notebookId, row.path));
    else set([row.path], !row.open);
  };
  const go = (index: number, step: 1 | -1): void => {
    let next = Math.max(0, Math.min(rows.length - 1, index));
    while (rows[next]?.type === 'note' && rows[next + step]) next += step;
    const row = rows[next];
    if (row?.type !== 'entry') return;
    setActive(row.path);
    list.scrollToIndex(next, { align: 'auto' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    const isOpen = row?.type === 'entry' ? row.open : null;
    if (event.key === 'ArrowDown') go(at + 1, 1);
    else if (event.key === 'ArrowUp') go(at - 1, -1);
    else if (event.key === 'Home') go(0, 1);
    else if (event.key === 'End') go(rows.length - 1, -1);
    else if (event.key === 'Enter' || event.key === ' ') act(row);
    else if (event.key === 'ArrowRight' && isOpen !== null) isOpen ? go(at + 1, 1) : act(row);
    else if (event.key === 'ArrowLeft' && row) {
      if (isOpen) act(row);
      else if (row.depth > 0)
        go(
          rows.findIndex(({ path }) => path === folderOf(row.path)),
          -1,
        );
    } else return;
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={at >= 0 ? `file-${active}` : undefined}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-1 pb-2 -outline-offset-2"
    >
      <div role="presentation" className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start, size, key }) => {
          const row = rows[index];
          return (
            row && (
              <div
                key={key}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
              >
                <Line row={row} isChosen={row.path === place.path} isActive={index === at} onClick={() => act(row)} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

interface LineProps {
  row: TreeRow;
  isChosen: boolean;
  isActive: boolean;
  onClick: () => void;
}

function Line({ row, isChosen, isActive, onClick }: LineProps) {
  const indent = { paddingLeft: `${row.depth * 14 + 6}px` };
  if (row.type === 'note') {
    return (
      <p className="flex h-full items-center text-small text-faint" style={indent}>
        {row.note === 'loading' ? <Skeleton className="ml-5 w-24" /> : <span className="ml-5">{NOTES[row.note]}</span>}
      </p>
    );
  }
  const { entry, open } = row;
  const Icon = open === null ? (isMarkdown(entry.name) ? FileText : File) : open ? FolderOpen : Folder;
  const Chevron = open ? ChevronDown : ChevronRight;
  const look = isChosen ? 'bg-chosen font-medium text-ink' : isActive ? 'bg-hover text-ink' : 'text-soft';
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active line
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys for all of its lines
    <div
      id={`file-${entry.path}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isChosen}
      aria-expanded={open ?? undefined}
      title={entry.path}
      onClick={onClick}
      style={indent}
      className={`flex h-full items-center gap-1.5 rounded-md pr-2 hover:bg-hover hover:text-ink ${look}`}
    >
      {open === null ? (
        <span className="w-3.5 shrink-0" />
      ) : (
        <Chevron aria-hidden size={14} className="shrink-0 text-faint" />
      )}
      <Icon aria-hidden size={15} className="shrink-0 text-faint" />
      <span className="truncate">{nameOf(entry.path)}</span>
    </div>
  );
}
