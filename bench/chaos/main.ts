import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { progressOn, seconds } from '../../engines/progress.ts';
import { startStubModel } from '../stub-model.ts';
import { strike } from './blows.ts';
import { diceOf } from './dice.ts';
import { KINDS, type Kind, makeCast, script, shortcomingsOf, startJob } from './jobs.ts';
import { play } from './player.ts';
import { startProduct } from './product.ts';
import { treeOf } from './trees.ts';

const HELP = `npm run chaos -- [--seed N] [--minutes M] [--lanes L] [--json]

Starts the product in a directory of its own, keeps it busy with runs of every kind, and kills and stops its
processes at random for M minutes (2). Then everything must come to its end, once: whatever did not is told, and
makes the exit code 1. The same seed strikes the same blows again.`;

/** What is under way when the last blow has fallen comes to its end within this. */
const REST_MS = 240_000;
const [SHORTEST_PAUSE_MS, PAUSES_MS] = [500, 5_000];
const ANSWERS_MS = 3_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    lanes: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const numberOf = (name: 'seed' | 'minutes' | 'lanes', fallback: number): number => {
  const value = Number(values[name] ?? fallback);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} takes a number above 0.\n\n${HELP}`);
  process.exit(2);
};
const seed = numberOf('seed', randomInt(1, 1_000_000));
const minutes = numberOf('minutes', 2);
const lanes = Math.floor(numberOf('lanes', 8));
const progress = progressOn(values.json ? process.stderr : process.stdout);

const since = Date.now();
const stub = await startStubModel(script);
const product = await startProduct(stub.url);
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
const cast = await makeCast(product);
progress.line(`Seed ${seed}, ${minutes} min, ${lanes} at once; ready after ${seconds(since)}.`);

const until = Date.now() + minutes * 60_000;
const violations: string[] = [];
const ended: Record<string, number> = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
const open = new Map<string, string>();
const sums = { jobs: 0, blows: 0, resumed: 0, unconfirmed: 0 };

async function doJob(kind: Kind, job: string): Promise<void> {
  const dice = diceOf(seed + sums.jobs);
  const id = await startJob(product, cast, kind, job);
  open.set(job, id);
  const cancelled =
    kind === 'cancel' && setTimeout(dice(ANSWERS_MS)).then(() => product.client.runs.cancel(id).catch(() => undefined));
  const played = await play(product, id, dice(ANSWERS_MS));
  await cancelled;
  const below = await treeOf(product, stub, job, played);
  const flaws = [...played.flaws, ...below.flaws, ...shortcomingsOf(product, kind, job, played.run, played.events)];
  violations.push(...flaws.map((flaw) => `${job} (${id}): ${flaw}`));
  ended[kind] = (ended[kind] ?? 0) + 1;
  sums.resumed += played.runs - 1;
  sums.unconfirmed += below.unconfirmed;
  open.delete(job);
}

async function keepBusy(): Promise<void> {
  while (Date.now() < until) {
    const n = ++sums.jobs;
    const kind = KINDS[n % KINDS.length] ?? 'read';
    await doJob(kind, `${kind} ${n}`).catch((error: unknown) => {
      violations.push(`${kind} ${n}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}

async function strikeOn(): Promise<void> {
  const dice = diceOf(seed);
  while (Date.now() < until) {
    await setTimeout(SHORTEST_PAUSE_MS + dice(PAUSES_MS));
    sums.blows++;
    progress.line(`${seconds(since).padStart(12)}  ${await strike(product, dice)}`);
    const total = Object.values(ended).reduce((sum, count) => sum + count, 0);
    progress.update(`${total} jobs ended, ${open.size} under way, ${violations.length} violations`);
  }
}

const work = Promise.all([strikeOn(), ...Array.from({ length: lanes }, keepBusy)]);
const isQuiet = await Promise.race([
  work.then(() => true),
  setTimeout(minutes * 60_000 + REST_MS, false, { ref: false }),
]);
if (!isQuiet) violations.push(...[...open].map(([job, id]) => `${job} (${id}): did not come to its end`));
const left = readdirSync(product.root, { recursive: true }).filter((path) => /(^|\/)\./.test(String(path)));
violations.push(...left.map((path) => `${path} was left behind in the notebook`));

const outcome = { seed, minutes, ...sums, ended, violations, ...(violations.length ? { home: product.home } : {}) };
product.stop(violations.length > 0);
stub.close();
if (values.json) console.log(JSON.stringify(outcome));
for (const [kind, count] of Object.entries(ended)) progress.line(`${kind.padEnd(10)} ${count} came to their end`);
for (const violation of violations) progress.line(`VIOLATION  ${violation}`);
if (violations.length > 0) progress.line(`Logs and data are kept in ${product.home}.`);
progress.line(
  `${sums.jobs} jobs, ${sums.blows} blows, ${sums.resumed} resumed, ${sums.unconfirmed} calls unconfirmed, ` +
    `${violations.length} violations (--seed ${seed})`,
);
process.exit(violations.length === 0 ? 0 : 1);
