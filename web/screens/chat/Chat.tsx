import { MessagesSquare, Plus } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { IconButton } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { DemoLabel } from '../../components/ModelName.tsx';
import { Page } from '../../components/Page.tsx';
import { toldIn } from '../../dispatching.ts';
import { isDemo } from '../../format.ts';
import { ApiError } from '../../http.ts';
import { useIsNarrow } from '../../media.ts';
import { useAgents } from '../../queries.ts';
import { useSession } from '../../session-queries.ts';
import { DispatchNote } from './DispatchNote.tsx';
import { LiveChat } from './LiveChat.tsx';
import { NewChat } from './NewChat.tsx';
import { SessionMenu } from './SessionMenu.tsx';
import { LiveStatus } from './SessionStatus.tsx';
import { Sessions } from './Sessions.tsx';

const LINK =
  'inline-flex h-8 shrink-0 items-center gap-1.5 rounded-md border border-control/50 bg-surface px-3 font-medium whitespace-nowrap hover:border-control hover:bg-hover pointer-coarse:h-10';

/** Conversations on the left, the one that is open in the middle; without one, a new one to begin. */
export function Chat() {
  const { sessionId } = useParams();
  const told = toldIn(useLocation().state);
  const isNarrow = useIsNarrow();
  const [isListOpen, setListOpen] = useState(false);
  const { data: session, error } = useSession(sessionId ?? '');
  const { data: agents } = useAgents();
  const model = agents?.find(({ id }) => id === session?.agent_id)?.model;
  const isGone = error instanceof ApiError && error.status === 404;
  const title = sessionId === undefined ? 'New chat' : session?.title || (isGone ? 'No such chat' : 'Chat');
  return (
    <Page
      title={title}
      fixed
      aside={
        session && (
          <span className="flex min-w-0 shrink-0 items-center gap-3 max-sm:order-last max-sm:w-full">
            <span className="flex shrink-0">
              <LiveStatus session={session} />
            </span>
            <span className="flex min-w-0 items-center gap-2 overflow-hidden text-small text-soft">
              <span className="truncate" title={session.agent_name}>
                {session.agent_name}
              </span>
              {model && isDemo(model) && <DemoLabel />}
            </span>
          </span>
        )
      }
      action={
        <div className="flex items-center gap-1">
          {isNarrow && (
            <IconButton label="Chats" onClick={() => setListOpen(true)}>
              <MessagesSquare aria-hidden size={18} />
            </IconButton>
          )}
          {session && <SessionMenu session={session} />}
          {sessionId !== undefined && (
            <Link to="/chat" className={`${LINK} max-sm:w-10 max-sm:justify-center max-sm:px-0`}>
              <Plus aria-hidden size={15} /> <span className="max-sm:sr-only">New chat</span>
            </Link>
          )}
        </div>
      }
    >
      <div className="flex min-h-0 flex-1">
        {!isNarrow && (
          <aside aria-label="Chats" className="flex w-72 shrink-0 flex-col border-r border-line bg-canvas max-lg:w-60">
            <Sessions current={sessionId} />
          </aside>
        )}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {sessionId === undefined ? (
            <NewChat />
          ) : error && !session ? (
            <div className="p-6 max-sm:p-4">
              <ErrorNote
                title={isGone ? 'There is no such chat, or you may not see it' : 'The chat could not be read'}
                error={error}
              />
            </div>
          ) : (
            <>
              {told && (
                <div className="border-b border-line bg-canvas">
                  <div className="mx-auto w-full max-w-3xl px-6 py-2 max-sm:px-3">
                    <DispatchNote told={told} />
                  </div>
                </div>
              )}
              <LiveChat key={sessionId} id={sessionId} />
            </>
          )}
        </div>
      </div>
      <Dialog.Root open={isNarrow && isListOpen} onOpenChange={setListOpen}>
        <Dialog.Portal>
          <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
          <Dialog.Content
            aria-describedby={undefined}
            className="fixed inset-y-0 left-0 z-50 flex w-[min(20rem,85vw)] flex-col border-r border-line bg-canvas shadow-float outline-none"
          >
            <Dialog.Title className="px-4 pt-4 font-semibold">Chats</Dialog.Title>
            <Sessions current={sessionId} onChosen={() => setListOpen(false)} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </Page>
  );
}
