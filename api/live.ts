import type { Server as HttpServer } from 'node:http';
import type { Logger } from 'pino';
import { Server, type Socket } from 'socket.io';
import { z } from 'zod';
import { Failure, isFailure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { Delta, RunEvent, ToolOutput } from '../domain/run-events.ts';
import { findRun } from '../store/runs.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { Identity } from './identity.ts';
import type { LiveHub, RunChange } from './live-hub.ts';
import { RunFollower } from './run-follower.ts';

const watchMessage = z.strictObject({ run_id: z.string().max(100), cursor: z.int().min(1) });
const unwatchMessage = z.strictObject({ run_id: z.string().max(100) });
const workspaceMessage = z.strictObject({ workspace_id: z.string().max(100) });

/** How often an open connection is asked again whether it may still see what it watches. */
const RECHECK_MS = 15_000;
const RECHECK_LATEST_MS = 86_400_000;
const MOST_WATCHED = 200;

type Ack = (reply: { ok: true; status?: string } | { ok: false; error: string; message: string }) => void;

interface ToClient {
  events: (page: { run_id: string; events: RunEvent[]; next_cursor: number }) => void;
  delta: (delta: Delta) => void;
  output: (output: ToolOutput) => void;
  run_changed: (change: RunChange) => void;
  signed_out: (reason: { message: string }) => void;
}
interface FromClient {
  watch: (message: unknown, ack?: Ack) => void;
  unwatch: (message: unknown) => void;
  watch_workspace: (message: unknown, ack?: Ack) => void;
  unwatch_workspace: (message: unknown) => void;
}
interface Kept {
  token: string;
  expires_at: Date | null;
}
type Client = Socket<FromClient, ToClient, Record<string, never>, Kept>;

interface LiveDeps {
  identity: Identity;
  hub: LiveHub;
  logger: Logger;
}

const workspaceRoom = (id: string): string => `workspace:${id}`;

/** One signed-in browser or program: what it may watch is asked of the store, as for every request. */
class Watcher {
  private readonly followers = new Map<string, RunFollower>();

  constructor(
    private readonly socket: Client,
    private readonly deps: LiveDeps,
  ) {
    socket.on('watch', (message, ack) => void this.answer(ack, () => this.watch(message)));
    socket.on('unwatch', (message) => this.unwatch(unwatchMessage.safeParse(message).data?.run_id));
    socket.on('watch_workspace', (message, ack) => void this.answer(ack, () => this.watchWorkspace(message)));
    socket.on('unwatch_workspace', (message) => {
      const parsed = workspaceMessage.safeParse(message);
      if (parsed.success) void socket.leave(workspaceRoom(parsed.data.workspace_id));
    });
    const recheck = setInterval(() => void this.recheck(), RECHECK_MS);
    const expiry = this.whenExpired(() => void this.recheck());
    socket.on('disconnect', () => {
      clearInterval(recheck);
      clearTimeout(expiry);
      for (const follower of this.followers.values()) follower.stop();
    });
  }

  private whenExpired(act: () => void): NodeJS.Timeout | undefined {
    const { expires_at } = this.socket.data;
    // Later than a timer can tell is left to the regular check.
    const left = expires_at ? expires_at.getTime() - Date.now() : Number.POSITIVE_INFINITY;
    return left < RECHECK_LATEST_MS ? setTimeout(act, left + 10) : undefined;
  }

  private caller(): Promise<Caller> {
    return this.deps.identity.identify(this.socket.data.token);
  }

  private async answer(ack: Ack | undefined, work: () => Promise<{ status?: string }>): Promise<void> {
    const reply = typeof ack === 'function' ? ack : () => undefined;
    try {
      reply({ ok: true, ...(await work()) });
    } catch (error) {
      if (error instanceof z.ZodError) reply({ ok: false, error: 'invalid_request', message: z.prettifyError(error) });
      else if (isFailure(error)) reply({ ok: false, error: error.code, message: error.message });
      else {
        this.deps.logger.error({ err: error }, 'a socket request failed');
        reply({ ok: false, error: 'unavailable', message: 'It could not be looked up now; try again.' });
      }
    }
  }

  private async watch(message: unknown): Promise<{ status: string }> {
    const { run_id, cursor } = watchMessage.parse(message);
    const run = await findRun(await this.caller(), run_id);
    // Gone while it was looked up: nobody would ever stop what is begun now.
    if (this.socket.disconnected) return { status: run.status };
    this.unwatch(run_id);
    if (this.followers.size >= MOST_WATCHED) {
      throw new Failure('too_many_requests', `One connection may watch ${MOST_WATCHED} runs.`);
    }
    const follower = new RunFollower(this.deps.hub, run_id, cursor, {
      events: (events) => {
        const last = events.at(-1);
        if (last) this.socket.emit('events', { run_id, events, next_cursor: last.cursor + 1 });
      },
      delta: (delta) => this.socket.emit('delta', delta),
      output: (output) => this.socket.emit('output', output),
      // The client notices that nothing comes, reconnects and goes on from its cursor.
      failed: () => this.socket.disconnect(true),
    });
    this.followers.set(run_id, follower);
    return { status: run.status };
  }

  private unwatch(runId: string | undefined): void {
    if (runId === undefined) return;
    this.followers.get(runId)?.stop();
    this.followers.delete(runId);
  }

  private async watchWorkspace(message: unknown): Promise<Record<string, never>> {
    const { workspace_id } = workspaceMessage.parse(message);
    await findWorkspace(await this.caller(), workspace_id);
    await this.socket.join(workspaceRoom(workspace_id));
    return {};
  }

  /** A token that ended, or a membership that was taken away, ends what it allowed. */
  private async recheck(): Promise<void> {
    try {
      const caller = await this.caller();
      const unless = (seen: Promise<unknown>, leave: () => unknown) =>
        seen.catch((error: unknown) => (isFailure(error) ? leave() : Promise.reject(error)));
      for (const room of this.socket.rooms) {
        const [, workspaceId] = /^workspace:(.+)$/.exec(room) ?? [];
        if (workspaceId) await unless(findWorkspace(caller, workspaceId), () => this.socket.leave(room));
      }
      for (const runId of this.followers.keys()) await unless(findRun(caller, runId), () => this.unwatch(runId));
    } catch (error) {
      if (!isFailure(error)) return;
      this.socket.emit('signed_out', { message: error.message });
      this.socket.disconnect(true);
    }
  }
}

export function attachLive(server: HttpServer, deps: LiveDeps): { close: () => Promise<void> } {
  const io = new Server<FromClient, ToClient, Record<string, never>, Kept>(server, {
    serveClient: false,
    maxHttpBufferSize: 100_000,
    // Clients catch up from the log by cursor; a second memory of what was sent could only disagree with it.
    connectionStateRecovery: undefined,
  });
  io.use((socket, next) => {
    const { token } = socket.handshake.auth;
    if (typeof token !== 'string') return next(new Error('unauthenticated'));
    socket.data.token = token;
    deps.identity.session(token).then(
      ({ expires_at }) => {
        socket.data.expires_at = expires_at;
        next();
      },
      () => next(new Error('unauthenticated')),
    );
  });
  io.on('connection', (socket) => new Watcher(socket, deps));
  deps.hub.whenRunsChange((change) => io.to(workspaceRoom(change.workspace_id)).emit('run_changed', change));
  return { close: () => io.close() };
}
