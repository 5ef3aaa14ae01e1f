import { type EndStatus, hasEnded, type Run } from '../domain/run.ts';
import type { Client } from '../sdk/client.ts';
import { pause } from '../sdk/pause.ts';
import { endOf } from '../sdk/transcript-filter.ts';
import { Attention } from './attention.ts';
import type { Prompting } from './prompts.ts';
import { RunRenderer } from './rendering.ts';
import { line, Screen } from './screen.ts';
import type { Style } from './style.ts';
import { took } from './words.ts';

/** How following a run ended: as the run did, or before it. */
export type Outcome = EndStatus | 'left';

export const EXIT_CODES: Record<Outcome, number> = {
  completed: 0,
  failed: 1,
  cancelled: 2,
  budget_exceeded: 2,
  left: 130,
};

export interface FollowOptions {
  client: Client;
  run: string;
  json: boolean;
  style: Style;
  /** null where nobody can be asked. */
  prompting: Prompting | null;
  /** What the run is, above what it does. */
  title?: string[];
}

/** Shorter gaps in a connection are nobody's concern. */
const NOTICE_LOST_MS = 700;
const PREVIEW_LINES = 60;
const TICK_MS = 1_000;
const LONG_QUEUED_MS = 10_000;
const SETTLE_MS = 10_000;
const SETTLE_STEP_MS = 50;

/** Shows a run until it ends or is left, and asks where it asks. */
export async function follow({ client, run, json, style, prompting, title = [] }: FollowOptions): Promise<Outcome> {
  const screen = new Screen(process.stdout);
  // With --json the lines on stdout are for a program; what a person should know goes beside them.
  const aside = json ? new Screen(process.stderr) : screen;
  const renderer = new RunRenderer({
    style,
    streaming: process.stdout.isTTY === true,
    previewLines: prompting ? PREVIEW_LINES : Number.POSITIVE_INFINITY,
  });
  const left = new AbortController();
  const attention = new Attention({ client, run, screen: aside, prompting, leave: () => left.abort() });
  const interrupt = () => void attention.interrupted();
  const leave = () => left.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', leave).on('SIGHUP', leave);
  // Not before: who has seen the title may press Ctrl-C, and must be told that the run goes on.
  if (!json) screen.show(title.map(line));

  const connection = connectionNotices(aside, style);
  let since = Date.now();
  let doing = renderer.doing;
  const ticker = setInterval(() => {
    if (renderer.doing !== doing) since = Date.now();
    doing = renderer.doing;
    const ms = Date.now() - since;
    const hint = doing === 'queued' && ms > LONG_QUEUED_MS ? ' (no worker takes it: `longhaul doctor` tells more)' : '';
    if (!json)
      screen.pass(connection.isLost() ? `waiting for the server · ${took(ms)}` : `${doing} · ${took(ms)}${hint}`);
  }, TICK_MS);

  let outcome: Outcome = 'left';
  try {
    for await (const item of client.runs.events(run, { signal: left.signal, onConnection: connection.tell })) {
      if (json) {
        if (item.kind === 'event') screen.show([line(JSON.stringify(item.event))]);
      } else {
        screen.show(renderer.take(item));
      }
      if (item.kind !== 'event') continue;
      attention.notice(item.event);
      outcome = endOf(item.event) ?? outcome;
    }
  } finally {
    clearInterval(ticker);
    connection.stop();
    await attention.closed();
    process.off('SIGINT', interrupt).off('SIGTERM', leave).off('SIGHUP', leave);
  }
  if (outcome === 'left') {
    aside.show([
      line(`The run goes on. Watch it with: longhaul watch ${run}`),
      line(`Stop it with:                 longhaul cancel ${run}`),
    ]);
  }
  return outcome;
}

function connectionNotices(screen: Screen, style: Style) {
  let timer: NodeJS.Timeout | undefined;
  let noticed = false;
  const stop = () => clearTimeout(timer);
  return {
    stop,
    isLost: () => noticed,
    tell(state: 'lost' | 'live') {
      stop();
      if (state === 'lost') {
        timer = setTimeout(() => {
          noticed = true;
          screen.show([line(style('dim', '… connection lost, catching up as soon as it is back'))]);
        }, NOTICE_LOST_MS);
      } else if (noticed) {
        noticed = false;
        screen.show([line(style('dim', '… connected again'))]);
      }
    },
  };
}

/** The record of a run is written a moment after the event that ends it. */
export async function settledRun(client: Client, id: string): Promise<Run> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const run = await client.runs.get(id);
    if (hasEnded(run.status) || Date.now() > deadline) return run;
    await pause(SETTLE_STEP_MS);
  }
}
