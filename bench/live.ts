import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Run } from '../domain/run.ts';
import type { Watch, Watched } from './live-watchers.ts';
import { median, quantile, within } from './measure.ts';
import { type Child, makeAgent, startStack } from './stack.ts';
import { READ, type Script, startStubModel } from './stub-model.ts';

const CLIENTS = 200;
/** Streaming at once; each is watched by ten clients, five on either API. */
const RUNS = 20;
const TURNS = 4;
const ROUNDS = 3;
const WORDS = 40;
const PACE_MS = 50;
/** Runs do not begin to speak in the same instant. */
const APART_MS = 37;
const WATCHING_MS = 60_000;
const ROUND_MS = 180_000;

const text = Array.from({ length: WORDS }, (_, n) => `word${n}`).join(' ');

const told = async <T>(child: Child): Promise<T> => (await once(child.process, 'message'))[0] as T;

/** Two API processes, a hundred clients on each, and runs whose model speaks as slowly as models do. */
export async function live(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const mayspeak = new Map<string, { now: () => void; when: Promise<void> }>();
  const script: Script = (run, turn) => ({
    content: text,
    pace_ms: PACE_MS,
    ...(turn < TURNS - 1 ? { tool: READ } : {}),
    ...(turn === 0 ? { after: mayspeak.get(run)?.when ?? Promise.resolve() } : {}),
  });
  const stub = await startStubModel(script);
  const stack = await startStack(stub.url);
  try {
    const another = await stack.startApi();
    const clients = Math.ceil((CLIENTS / 2) * scale);
    const watchers = await Promise.all(
      [stack.api, another].map(({ ready }, i) =>
        stack.start('bench/live-watchers.js', [String(ready.url), stack.key, String(clients)], `watchers-${i}`),
      ),
    );
    const about = await makeAgent(stack);

    const round = async (n: number): Promise<{ first_ms: number[]; event_ms: number[] }> => {
      const names = new Map<string, string>();
      for (let i = 0; i < Math.ceil(RUNS * scale); i++) {
        const name = `live ${n}.${i}`;
        let now = () => {};
        const when = new Promise<void>((done) => {
          now = done;
        });
        mayspeak.set(name, { now, when });
        const { id } = await stack.call<Run>('POST', '/runs', { ...about, input: name });
        names.set(id, name);
      }
      const watch: Watch = { runs: [...names.keys()] };
      const watching = Promise.all(watchers.map((child) => told(child)));
      for (const child of watchers) child.process.send(watch);
      await within(WATCHING_MS, 'all clients watching', watching);
      const seen = Promise.all(watchers.map((child) => told<Watched>(child)));
      for (const name of names.values()) {
        mayspeak.get(name)?.now();
        await setTimeout(APART_MS);
      }
      const all = await within(ROUND_MS, 'all clients having seen the end', seen);
      const first_ms = all.flatMap(({ first_tokens }) =>
        first_tokens.map(({ run_id, turn, at }) => {
          const written = stub.firstTokens.get(names.get(run_id) ?? '')?.[turn - 1];
          if (written === undefined) throw new Error(`${run_id} has a token at turn ${turn} that nobody wrote`);
          return at - written;
        }),
      );
      return { first_ms, event_ms: all.flatMap(({ event_ms }) => event_ms) };
    };

    const first_ms: number[] = [];
    const event_ms: number[] = [];
    // The first warms everything up and is not counted.
    for (let n = 0; n <= ROUNDS; n++) {
      const seen = await round(n);
      const expected = 2 * clients * TURNS;
      if (seen.first_ms.length !== expected) throw new Error(`${seen.first_ms.length} first tokens, not ${expected}`);
      if (n === 0) continue;
      first_ms.push(...seen.first_ms);
      event_ms.push(...seen.event_ms);
      const [first, event] = [seen.first_ms, seen.event_ms].map((all) => Math.round(quantile(all, 0.95)));
      say(`${2 * clients} clients, round ${n}: first token ${first} ms, events ${event} ms (p95)`);
    }
    return {
      first_token_p95_ms: quantile(first_ms, 0.95),
      event_p95_ms: quantile(event_ms, 0.95),
      first_token_p50_ms: median(first_ms),
      event_p50_ms: median(event_ms),
      first_tokens: first_ms.length,
      events: event_ms.length,
    };
  } finally {
    await stack.stop();
    stub.close();
  }
}
