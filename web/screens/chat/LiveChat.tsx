import { useMutation } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Session } from '../../../domain/session.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { conversationOf } from '../../conversation.ts';
import { newKey } from '../../http.ts';
import { useRunFeeds } from '../../live-hooks.ts';
import { useAgents } from '../../queries.ts';
import { useSeen } from '../../seen.ts';
import { useChangeSession, useSession, useSessionRuns, useSessionTaken } from '../../session-queries.ts';
import { sessionsApi } from '../../sessions-api.ts';
import { lookOf } from '../../status.ts';
import { statusOf, type Transcript } from '../../transcript.ts';
import { ChatComposer } from './ChatComposer.tsx';
import { Conversation } from './Conversation.tsx';
import { messagesOf } from './earlier.ts';
import { useTwiceEscape } from './escape.ts';

/** One conversation, live: what was said in all its runs, and a line to say more. */
export function LiveChat({ id }: { id: string }) {
  const { data: session } = useSession(id);
  if (!session) return <Waiting />;
  return <Loaded session={session} />;
}

/** What is sent again after a failure is the same message to the server, which may have taken it. */
function useSend(id: string) {
  const taken = useSessionTaken();
  const last = useRef({ content: '', key: '' });
  return useMutation({
    mutationFn: (content: string) => {
      if (last.current.content !== content) last.current = { content, key: newKey() };
      return sessionsApi.message(id, content, last.current.key);
    },
    onSuccess: (session) => {
      last.current = { content: '', key: '' };
      return taken(session);
    },
  });
}

/** The latest run and those whose steps somebody wants to see; who was the latest stays in sight. */
function useTranscripts(latest: string | null) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const show = useCallback((runId: string): void => setWanted((set) => new Set([...set, runId])), []);
  useEffect(() => {
    if (latest !== null) show(latest);
  }, [latest, show]);
  const feeds = useRunFeeds(() => [...wanted, ...(latest === null ? [] : [latest])]);
  const transcriptOf = useCallback(
    (runId: string): Transcript | undefined => {
      const transcript = feeds.get(runId)?.transcript;
      return transcript && transcript.next_cursor > 1 ? transcript : undefined;
    },
    [feeds],
  );
  return { transcriptOf, show, wanted };
}

function Loaded({ session }: { session: Session }) {
  const { id, run_id, agent_id, notebook_id } = session;
  const runs = useSessionRuns(id);
  const { data: agents } = useAgents();
  const { transcriptOf, show, wanted } = useTranscripts(run_id);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const send = useSend(id);
  const change = useChangeSession(id);
  const cancel = useMutation({
    mutationFn: (_: string | null) => sessionsApi.cancel(id),
    onError: (error) => toast(error.message, 'failed'),
  });
  useSeen(session);

  const latest = run_id === null ? undefined : transcriptOf(run_id);
  const status = latest ? statusOf(latest) : session.status;
  const isAtWork = status !== 'pending' && !lookOf(status).ended;
  const messages = useMemo(() => messagesOf(session, runs.records), [session, runs.records]);
  const rows = useMemo(
    () => conversationOf(messages, run_id, transcriptOf, opened),
    [messages, run_id, transcriptOf, opened],
  );
  const toggle = useCallback(
    (key: string): void =>
      setOpened((set) => {
        const next = new Set(set);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );

  const { refetch } = useSession(id);
  // The session is read from records, which follow the log by a moment.
  useEffect(() => {
    if (status) void refetch();
  }, [status, refetch]);

  // Taken, and not in the log yet: it takes no second click.
  const isStopping = isAtWork && !cancel.isError && cancel.variables === run_id;
  const stop = (): void => {
    if (isAtWork && !isStopping) cancel.mutate(run_id);
  };
  const hasEscapedOnce = useTwiceEscape(isAtWork, stop);
  const { mutate, variables: sent, isPending: isSending } = send;
  const timesSaid = (content: string): number =>
    rows.filter((row) => row.type === 'user' && row.content === content).length;
  const saidBefore = useRef(0);
  const count = useRef(timesSaid);
  count.current = timesSaid;
  const say = useCallback(
    (content: string, refused: { onError?: () => void } = {}): void => {
      saidBefore.current = count.current(content);
      mutate(content, refused);
    },
    [mutate],
  );
  // The log may tell of a message before the server has answered whoever sent it.
  const sending = isSending && timesSaid(sent) <= saidBefore.current ? sent : null;
  const retry = useCallback(
    (runId: string): void => {
      const task = messages.find((message) => message.run_id === runId && message.role === 'user');
      if (task) say(task.content);
    },
    [messages, say],
  );

  return (
    <>
      <Conversation
        rows={rows}
        sending={sending}
        latest={run_id}
        status={status}
        records={runs.records}
        shownRuns={wanted}
        earlier={runs}
        onToggle={toggle}
        onShowSteps={show}
        onRetry={retry}
      />
      {session.archived ? (
        <Archived busy={change.isPending} onTakeBack={() => change.mutate({ archived: false })} />
      ) : (
        <ChatComposer
          name={id}
          agent={agents?.find((agent) => agent.id === agent_id)}
          notebookId={notebook_id}
          rows={session.context_rows}
          onRows={(context_rows) => change.mutate({ context_rows })}
          status={status}
          isSending={isSending}
          onSend={(content, onRefused) => say(content, { onError: onRefused })}
          onStop={stop}
          isStopping={isStopping}
          hint={hasEscapedOnce ? 'Esc once more stops it.' : null}
        >
          {send.error && <ErrorNote title="The message was not sent" error={send.error} />}
          {change.error && <ErrorNote title="What is pinned was not changed" error={change.error} />}
        </ChatComposer>
      )}
      <p role="status" className="sr-only">
        Chat status: {status === 'pending' ? 'New' : lookOf(status).word}
      </p>
    </>
  );
}

function Archived({ busy, onTakeBack }: { busy: boolean; onTakeBack: () => void }) {
  return (
    <footer className="flex items-center justify-between gap-3 border-t border-line bg-canvas px-6 py-2 max-sm:px-4">
      <span className="text-soft">This chat is in the archive.</span>
      <Button busy={busy} onClick={onTakeBack}>
        <ArchiveRestore aria-hidden size={14} /> Take it back
      </Button>
    </footer>
  );
}

function Waiting() {
  return (
    <div aria-busy className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-8 p-6 max-sm:p-4">
      <Skeleton className="h-10 w-2/5 self-end rounded-lg" />
      {['w-3/4', 'w-full', 'w-2/3'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
}
