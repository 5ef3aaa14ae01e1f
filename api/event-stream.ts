import type { Response } from 'express';
import type { RunEvent } from '../domain/run-events.ts';
import type { LiveHub } from './live-hub.ts';
import { RunFollower } from './run-follower.ts';

const BEAT_MS = 15_000;

export interface EventSource {
  hub: LiveHub;
  run: string;
  /** The first cursor that is wanted. */
  from: number;
  res: Response;
  /** Aborted when the process goes down: whoever waits is let go and comes back to another. */
  draining: AbortSignal;
}

export const isEnd = (event: RunEvent): boolean =>
  ['run.completed', 'run.failed', 'run.cancelled', 'run.budget_exceeded'].includes(event.type);

/** Calls `leave` when the client goes away or the process must. */
export function whenOver({ res, draining }: Pick<EventSource, 'res' | 'draining'>, leave: () => void): void {
  if (res.closed || draining.aborted) {
    leave();
    return;
  }
  draining.addEventListener('abort', leave);
  // Of the response: a request counts as closed as soon as its body has been read.
  res.once('close', () => {
    draining.removeEventListener('abort', leave);
    leave();
  });
}

/** Until `done` with what came, the client is gone, or the time is up. */
export function waitForEvents(
  source: EventSource,
  seconds: number,
  done: (events: RunEvent[]) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      follower.stop();
      settle();
    };
    const leave = () => finish(resolve);
    const timer = setTimeout(leave, seconds * 1000);
    const follower = new RunFollower(source.hub, source.run, source.from, {
      events: (events) => {
        if (done(events)) leave();
      },
      failed: (error) => finish(() => reject(error)),
    });
    whenOver(source, leave);
  });
}

/** Server-sent events with the cursor as id, so that a browser that lost the connection goes on after what it has. */
export function streamEvents(source: EventSource): void {
  const { res } = source;
  res.status(200).set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  res.flushHeaders();
  const beat = setInterval(() => res.write(': still here\n\n'), BEAT_MS);
  const leave = () => {
    clearInterval(beat);
    follower.stop();
    res.end();
  };
  const follower = new RunFollower(source.hub, source.run, source.from, {
    events: (events) => {
      for (const event of events) {
        res.write(`id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      if (events.some(isEnd)) leave();
    },
    delta: (delta) => res.write(`event: model.delta\ndata: ${JSON.stringify(delta)}\n\n`),
    output: (output) => res.write(`event: tool.output\ndata: ${JSON.stringify(output)}\n\n`),
    failed: leave,
  });
  whenOver(source, leave);
}
