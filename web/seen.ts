import { useEffect } from 'react';
import { isRecord } from '../domain/json-value.ts';
import type { SessionSummary } from '../domain/session.ts';
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

type Shown = Pick<SessionSummary, 'id' | 'status' | 'updated_at' | 'completed_at'>;

/** Changes with everything that could be news. */
const stateOf = ({ status, updated_at, completed_at }: Shown): string =>
  [updated_at, completed_at ?? '', status].join(' ');

/** Something has come to its end, or to a question, since the conversation was last looked at. */
function isUnread(session: Shown, known: Seen | null): boolean {
  const { id, status, updated_at, completed_at } = session;
  if (known === null || status === 'pending') return false;
  const { ended, tone } = lookOf(status);
  if (!ended && tone !== 'waits') return false;
  const seenAt = known.sessions[id];
  return seenAt === undefined ? (completed_at ?? updated_at) > known.since : seenAt !== stateOf(session);
}

/** Which conversations have news; the one that is open has none. */
export function useUnread(): (session: Shown) => boolean {
  const known = read(seen.use());
  useEffect(() => {
    if (read(seen.get()) === null) seen.set(JSON.stringify({ since: new Date().toISOString(), sessions: {} }));
  }, []);
  return (session) => isUnread(session, known);
}

function mark(session: Shown): void {
  const known = read(seen.get()) ?? { since: session.updated_at, sessions: {} };
  const state = stateOf(session);
  if (known.sessions[session.id] === state) return;
  const { [session.id]: _, ...others } = known.sessions;
  const sessions = Object.fromEntries([...Object.entries(others).slice(1 - KEPT), [session.id, state]]);
  seen.set(JSON.stringify({ ...known, sessions }));
}

/** Marks a conversation as read as long as somebody looks at it. */
export function useSeen(session: Shown): void {
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') mark(session);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [session]);
}
