import { io, type Socket } from 'socket.io-client';
import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { type RunFeed, runFeed, type WatchReply } from './run-feed.ts';

export type Connection = { state: 'live' | 'catching_up' } | { state: 'offline'; since: number };

export interface RunChanged {
  run_id: string;
  workspace_id: string;
  type: string;
}

/** A server that cannot fill a hole must not be asked for it all the time. */
const ASK_AGAIN_MS = 400;
const REPLY_MS = 10_000;
const REFUSED_MS = 1_000;
const PASSING = new Set(['unavailable', 'internal']);
/** A run is named in the log of the one that hands it work a moment before it is there. */
const NOT_YET_MS = 300;
const LONGEST_MS = 30_000;

export interface Live {
  close: () => void;
  connection: () => Connection;
  onConnection: (listener: () => void) => () => void;
  feed: (runId: string) => { feed: RunFeed; release: () => void };
  watchWorkspace: (id: string) => () => void;
  /** Changes of runs in the watched workspaces; null after a gap in which any may have been missed. */
  onRunChanged: (listener: (change: RunChanged | null) => void) => () => void;
}

interface Held {
  feed: RunFeed;
  users: number;
  asked_at: number;
  timer: number;
  /** How often it was asked for in vain. */
  misses: number;
}

const ECHO_MS = 2_000;

export function openLive(token: () => string | null, refused: () => void): Live {
  const socket: Socket = io({
    path: '/socket.io',
    auth: (give) => give({ token: token() }),
    reconnectionDelayMax: 2000,
  });
  const feeds = new Map<string, Held>();
  const workspaces = new Map<string, number>();
  const changes = new Set<(change: RunChanged | null) => void>();
  const echoes = new Map<string, number>();
  const watchers = new Set<() => void>();
  let connection: Connection = { state: 'catching_up' };
  let again = 0;

  function say(next: Connection): void {
    if (next.state === connection.state) return;
    connection = next;
    for (const listener of watchers) listener();
  }

  function assess(): void {
    if (!socket.connected) return;
    const behind = [...feeds.values()].some(({ feed }) => !feed.state().caught_up && !feed.state().refused);
    say({ state: behind ? 'catching_up' : 'live' });
  }

  function askNow(runId: string): void {
    const held = feeds.get(runId);
    if (!held || !socket.connected) return;
    held.asked_at = Date.now();
    const message = { run_id: runId, cursor: held.feed.state().transcript.next_cursor };
    socket.timeout(REPLY_MS).emit('watch', message, (late: Error | null, reply: WatchReply) => {
      if (feeds.get(runId) !== held) return;
      if (late) askNow(runId);
      // Passing trouble behind the server: the connection is there, so nothing else would ask again.
      else if (!reply.ok && PASSING.has(reply.error)) held.timer = window.setTimeout(() => askNow(runId), REFUSED_MS);
      else {
        held.feed.replied(reply);
        held.misses = reply.ok ? 0 : held.misses + 1;
        if (reply.ok || reply.error !== 'not_found') return;
        held.timer = window.setTimeout(() => askNow(runId), Math.min(LONGEST_MS, NOT_YET_MS * 2 ** held.misses));
      }
    });
  }

  function ask(runId: string): void {
    const held = feeds.get(runId);
    if (!held) return;
    window.clearTimeout(held.timer);
    const wait = Math.max(0, held.asked_at + ASK_AGAIN_MS - Date.now());
    if (wait === 0) askNow(runId);
    else held.timer = window.setTimeout(() => askNow(runId), wait);
  }

  // Said while disconnected it would be kept and said late; upon connecting everything is said anyway.
  function askForWorkspace(id: string): void {
    if (!socket.connected) return;
    // What changed before the server began to tell may have been read too early: only now is nothing missed.
    socket.emit('watch_workspace', { workspace_id: id }, () => tell(null));
  }

  function tell(change: RunChanged | null): void {
    for (const listener of changes) listener(change);
  }

  socket.on('connect', () => {
    say({ state: 'catching_up' });
    for (const { feed } of feeds.values()) feed.ask();
    for (const id of workspaces.keys()) askForWorkspace(id);
    tell(null);
    assess();
  });
  const lost = (): void => {
    if (connection.state !== 'offline') say({ state: 'offline', since: Date.now() });
    for (const { feed } of feeds.values()) feed.disconnected();
  };
  socket.on('disconnect', (reason) => {
    lost();
    // The client does not come back by itself when it was the server that hung up.
    if (reason === 'io server disconnect') again = window.setTimeout(() => socket.connect(), ASK_AGAIN_MS);
  });
  socket.on('connect_error', () => {
    lost();
    if (socket.active) return;
    refused();
    again = window.setTimeout(() => socket.connect(), REFUSED_MS);
  });
  socket.on('signed_out', refused);
  socket.on('events', (message: { run_id: string; events: RunEvent[] }) =>
    feeds.get(message.run_id)?.feed.events(message.events),
  );
  socket.on('delta', (delta: Delta) => feeds.get(delta.run_id)?.feed.delta(delta));
  socket.on('output', (output: ToolOutput) => feeds.get(output.run_id)?.feed.output(output));
  socket.on('run_changed', (change: RunChanged) => {
    tell(change);
    // The record that lists are read from follows the log by a moment: who read it too soon would never hear again.
    window.clearTimeout(echoes.get(change.run_id));
    echoes.set(
      change.run_id,
      window.setTimeout(() => {
        echoes.delete(change.run_id);
        tell(change);
      }, ECHO_MS),
    );
  });

  return {
    close() {
      window.clearTimeout(again);
      for (const held of feeds.values()) window.clearTimeout(held.timer);
      for (const echo of echoes.values()) window.clearTimeout(echo);
      socket.close();
    },
    connection: () => connection,
    onConnection(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    feed(runId) {
      const held = feeds.get(runId) ?? { feed: runFeed(() => ask(runId)), users: 0, asked_at: 0, timer: 0, misses: 0 };
      if (held.users === 0) {
        feeds.set(runId, held);
        held.feed.subscribe(assess);
        if (socket.connected) held.feed.ask();
        assess();
      }
      held.users += 1;
      const release = (): void => {
        held.users -= 1;
        if (held.users > 0) return;
        window.clearTimeout(held.timer);
        feeds.delete(runId);
        if (socket.connected) socket.emit('unwatch', { run_id: runId });
        assess();
      };
      return { feed: held.feed, release };
    },
    watchWorkspace(id) {
      const users = workspaces.get(id) ?? 0;
      workspaces.set(id, users + 1);
      if (users === 0) askForWorkspace(id);
      return () => {
        const left = (workspaces.get(id) ?? 1) - 1;
        if (left > 0) workspaces.set(id, left);
        else {
          workspaces.delete(id);
          if (socket.connected) socket.emit('unwatch_workspace', { workspace_id: id });
        }
      };
    },
    onRunChanged(listener) {
      changes.add(listener);
      return () => changes.delete(listener);
    },
  };
}
