import { Inbox as InboxIcon } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { InboxItem } from '../../../domain/pending.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { plural } from '../../format.ts';
import { useInbox } from '../../queries.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { jobHref } from '../edits/hrefs.ts';
import { WaitingCard } from './WaitingCard.tsx';
import { inOrder, keyOf, placeOf } from './waiting-list.ts';

/** A review is done on a page of its own. */
const hrefOf = ({ run_id, kind }: InboxItem): string =>
  kind === 'review' ? jobHref(run_id) : `/runs/${encodeURIComponent(run_id)}`;

/** Everything that waits for a person, oldest first. */
export function Inbox() {
  const inbox = useInbox();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<InboxItem | null>(null);
  /** Taken by the server and on its way to the log: gone from sight at once. */
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set());
  const items = inOrder((inbox.data ?? []).filter((item) => !sent.has(keyOf(item))));
  const at = placeOf(items, chosen);
  const current = items[at];

  const go = (by: number): void => {
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))];
    if (!next) return;
    setChosen(next);
    document.getElementById(`waiting-${keyOf(next)}`)?.focus();
  };
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    enter: () => current && navigate(hrefOf(current)),
  });
  const leave = (item: InboxItem): void => setSent((before) => new Set([...before, keyOf(item)]));

  return (
    <Page
      title="Inbox"
      tab={items.length > 0 ? `Inbox (${items.length})` : 'Inbox'}
      aside={
        items.length > 0 && (
          <p className="flex items-baseline gap-4 text-soft">
            {plural(items.length, 'thing waits', 'things wait')} for you
            <span className="text-small text-faint max-lg:hidden">
              <kbd className="font-sans">j</kbd> <kbd className="font-sans">k</kbd> move ·{' '}
              <kbd className="font-sans">a</kbd> allow · <kbd className="font-sans">d</kbd> deny ·{' '}
              <kbd className="font-sans">e</kbd> edit · <kbd className="font-sans">↵</kbd> open
            </span>
          </p>
        )
      }
    >
      {inbox.error && !inbox.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The inbox could not be read" error={inbox.error} />
        </div>
      ) : inbox.isPending ? (
        <Waiting />
      ) : items.length === 0 ? (
        <EmptyState
          icon={InboxIcon}
          title="Nothing waits for you"
          action={
            <Link to="/runs" className="rounded text-accent-ink underline">
              See what is running
            </Link>
          }
        >
          When an agent asks a question, wants to change something or has edits to review, it waits here until you
          answer, however long that takes.
        </EmptyState>
      ) : (
        <ul className="mx-auto flex max-w-3xl flex-col gap-4 p-6 max-sm:p-3">
          {items.map((item) => (
            <WaitingCard
              // Asked again it is another card: what was sent from the one before is over.
              key={`${keyOf(item)}-${item.action?.shown_at ?? ''}`}
              id={`waiting-${keyOf(item)}`}
              item={item}
              isCurrent={item === current}
              onFocus={() => setChosen(item)}
              onSent={() => leave(item)}
            />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Waiting() {
  return (
    <div aria-busy className="mx-auto flex max-w-3xl flex-col gap-4 p-6 max-sm:p-3">
      {[0, 1].map((each) => (
        <div key={each} className="flex h-48 flex-col gap-4 rounded-lg border border-line p-4">
          <Skeleton className="w-1/2" />
          <Skeleton className="w-1/3" />
          <Skeleton className="h-20 w-full" />
        </div>
      ))}
    </div>
  );
}
