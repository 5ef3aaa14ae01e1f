import { useCallback, useEffect } from 'react';
import { isRecord } from './event-data.ts';
import type { SessionSummary } from './sessions-api.ts';
import { lookOf } from './status.ts';
import { stored } from './stored.ts';

const seen = stored('longhaul.seen');
/** Beyond these the oldest are forgotten; they are far down the list by then. */
const KEPT = 500;

interface Seen {
  /** What was there before anybody looked on this browser counts as read. */
  since: string;
  sessions: Record<string, string>;
}

function read(value: string | null): Seen | null {
  try {
    const kept: unknown = JSON.parse(value ?? 'null');
    if (!isRecord(kept) || typeof kept.since !== 'string' || !isRecord(kept.sessions)) return null;
    const entries = Object.entries(kept.sessions).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return { since: kept.since, sessions: Object.fromEntries(entries) };
  } catch {
    return null;
  }
}

type Shown = Pick<SessionSummary, 'id' | 'status' | 'updated_at'>;

/** Something has come to its end, or to a question, since the conversation was last looked at. */
export function isUnread({ id, status, updated_at }: Shown, known: Seen | null): boolean {
  if (known === null || status === 'pending') return false;
  const { ended, tone } = lookOf(status);
  return (ended || tone === 'waits') && updated_at > (known.sessions[id] ?? known.since);
}

/** Which conversations have news; the one that is open has none. */
export function useUnread(): (session: Shown) => boolean {
  const known = read(seen.use());
  useEffect(() => {
    if (read(seen.get()) === null) seen.set(JSON.stringify({ since: new Date().toISOString(), sessions: {} }));
  }, []);
  return (session) => isUnread(session, known);
}

export function useSeen(session: Shown | undefined): void {
  const look = useCallback((id: string, at: string): void => {
    const known = read(seen.get()) ?? { since: at, sessions: {} };
    if ((known.sessions[id] ?? '') >= at) return;
    const { [id]: _, ...others } = known.sessions;
    const sessions = Object.fromEntries([...Object.entries(others).slice(1 - KEPT), [id, at]]);
    seen.set(JSON.stringify({ ...known, sessions }));
  }, []);
  useEffect(() => {
    if (!session) return;
    const mark = (): void => {
      // What arrives in a tab nobody looks at has not been seen.
      if (document.visibilityState === 'visible') look(session.id, session.updated_at);
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [session, look]);
}
