import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { SessionSummary } from '../../../domain/session.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { useUnread } from '../../seen.ts';
import { useSessions } from '../../session-queries.ts';
import { SessionStatus } from './SessionStatus.tsx';

interface Props {
  current: string | undefined;
  onChosen?: () => void;
}

const fits = ({ title, agent_name }: SessionSummary, words: readonly string[]): boolean =>
  words.every((word) => `${title} ${agent_name}`.toLowerCase().includes(word));

/** All conversations of the person in this workspace, newest activity first. */
export function Sessions({ current, onChosen }: Props) {
  const [text, setText] = useState('');
  const [archived, setArchived] = useState(false);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions(archived);
  const isUnread = useUnread();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = all.filter((session) => fits(session, words));

  // Who searches means all of them, also those not read yet.
  const isSearching = words.length > 0;
  useEffect(() => {
    if (isSearching && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-2 p-3">
        <div className="relative">
          <TextField
            type="search"
            label="Search chats"
            hideLabel
            placeholder="Search chats"
            className="pl-8"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Search
            aria-hidden
            size={14}
            className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-faint"
          />
        </div>
        <fieldset className="flex gap-1 text-small">
          <legend className="sr-only">Which chats</legend>
          {[false, true].map((each) => (
            <button
              key={String(each)}
              type="button"
              aria-pressed={archived === each}
              onClick={() => setArchived(each)}
              className="h-6 rounded px-2 text-soft hover:bg-hover aria-pressed:bg-chosen aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:h-9"
            >
              {each ? 'Archived' : 'Active'}
            </button>
          ))}
        </fieldset>
      </div>
      <nav
        aria-label="Chats"
        aria-busy={isPending}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-3"
      >
        {error && !data ? (
          <ErrorNote title="The chats could not be read" error={error} />
        ) : isPending ? (
          <Waiting />
        ) : (
          <>
            <ul className="flex flex-col gap-0.5">
              {shown.map((session) => (
                <Line
                  key={session.id}
                  session={session}
                  isCurrent={session.id === current}
                  isNews={session.id !== current && isUnread(session)}
                  onChosen={onChosen}
                />
              ))}
            </ul>
            {shown.length === 0 && !isFetchingNextPage && (
              <p className="px-2 py-4 text-soft">
                {isSearching
                  ? `No chat is called “${text.trim()}”.`
                  : archived
                    ? 'What you archive is kept here.'
                    : 'No chats yet. Say something to begin one.'}
              </p>
            )}
            {hasNextPage && (
              <Button kind="quiet" className="mt-2 w-full" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
                Older chats
              </Button>
            )}
          </>
        )}
      </nav>
    </div>
  );
}

interface LineProps {
  session: SessionSummary;
  isCurrent: boolean;
  isNews: boolean;
  onChosen: (() => void) | undefined;
}

function Line({ session, isCurrent, isNews, onChosen }: LineProps) {
  const { id, title, agent_name, status, updated_at } = session;
  return (
    <li
      className={`relative flex flex-col gap-0.5 rounded-md px-2.5 py-2 ${isCurrent ? 'bg-chosen' : 'hover:bg-hover'}`}
    >
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to={`/chat/${encodeURIComponent(id)}`}
          aria-current={isCurrent ? 'page' : undefined}
          onClick={onChosen}
          title={title}
          className={`min-w-0 flex-1 truncate -outline-offset-2 after:absolute after:inset-0 after:rounded-md ${isNews || isCurrent ? 'font-medium' : ''}`}
        >
          {title || 'New chat'}
        </Link>
        {isNews && (
          <span className="size-2 shrink-0 rounded-full bg-accent">
            <span className="sr-only">unread</span>
          </span>
        )}
      </span>
      <span className="flex min-w-0 items-center gap-2 text-small text-faint">
        <span className="flex shrink-0">
          <SessionStatus status={status} />
        </span>
        <span className="truncate">{agent_name}</span>
        <Ago at={updated_at} className="relative ml-auto shrink-0" />
      </span>
    </li>
  );
}

function Waiting() {
  return (
    <div className="flex flex-col gap-0.5">
      {['w-3/4', 'w-1/2', 'w-2/3', 'w-3/5'].map((width) => (
        <div key={width} className="flex h-13 flex-col justify-center gap-2 px-2.5">
          <Skeleton className={width} />
          <Skeleton className="w-1/3" />
        </div>
      ))}
    </div>
  );
}
