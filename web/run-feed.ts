import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { emptyTranscript, type Transcript } from './transcript.ts';
import { hear, receive, write } from './transcript-merge.ts';

export interface FeedState {
  transcript: Transcript;
  /** False until the server has answered, and again while something is missing. */
  caught_up: boolean;
  /** Why the server refused, where it did. */
  refused: { code: string; message: string } | null;
}

export type WatchReply = { ok: true; status: string } | { ok: false; error: string; message: string };

export interface RunFeed {
  state: () => FeedState;
  subscribe: (listener: () => void) => () => void;
  /** Asks for everything from the first event not yet here; also after every reconnect. */
  ask: () => void;
  replied: (reply: WatchReply) => void;
  events: (events: readonly RunEvent[]) => void;
  delta: (delta: Delta) => void;
  output: (output: ToolOutput) => void;
  disconnected: () => void;
}

/** Follows one run. Knows nothing of sockets: it is handed a way to ask, and told what arrived. */
export function runFeed(watch: (cursor: number) => void): RunFeed {
  const listeners = new Set<() => void>();
  let state: FeedState = { transcript: emptyTranscript(), caught_up: false, refused: null };
  let asked = false;
  /** Events past a hole. Kept: a live one may overtake the answer that fills the hole, and never come again. */
  let ahead: RunEvent[] = [];

  function set(next: Partial<FeedState>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  }

  function ask(): void {
    asked = true;
    watch(state.transcript.next_cursor);
  }

  function take({ transcript, jumped }: { transcript: Transcript; jumped: boolean }): void {
    if (transcript !== state.transcript || (jumped && state.caught_up)) {
      set({ transcript, caught_up: state.caught_up && !jumped });
    }
    // One question at a time: what is missing comes with its answer, and pieces of it may still be on the way.
    if (jumped && !asked) ask();
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask,
    replied(reply) {
      asked = false;
      if (!reply.ok) {
        set({ caught_up: false, refused: { code: reply.error, message: reply.message } });
        return;
      }
      set({ caught_up: ahead.length === 0, refused: null });
      if (ahead.length > 0) ask();
    },
    events(events) {
      const came = [...ahead, ...events];
      const received = receive(state.transcript, came);
      ahead = received.jumped ? came.filter((event) => event.cursor >= received.transcript.next_cursor) : [];
      take(received);
    },
    delta: (delta) => take(write(state.transcript, delta)),
    output: (output) => take(hear(state.transcript, output)),
    disconnected() {
      asked = false;
      ahead = [];
      set({ caught_up: false });
    },
  };
}
