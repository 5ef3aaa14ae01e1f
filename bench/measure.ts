import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { setTimeout } from 'node:timers/promises';

export const median = (values: number[]): number => quantile(values, 0.5);

export function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Proportional set size in MB: pages shared with other processes count in part. */
function memoryOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? Number.NaN) / 1024;
}

/** Resident set size in MB. */
const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;

/** Processor time a process has used so far, in ms; the kernel counts it in hundredths of a second. */
export function cpuTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

const SAMPLES = 5;
const SAMPLE_EVERY_MS = 400;

/** What a process holds while nothing is asked of it. */
export async function residentWhenIdle(pid: number): Promise<number> {
  const samples: number[] = [];
  while (samples.length < SAMPLES) {
    await setTimeout(SAMPLE_EVERY_MS);
    samples.push(residentOf(pid));
  }
  return median(samples);
}

/** `count` of them, never more than `limit` under way. */
export async function severalAtOnce(
  count: number,
  limit: number,
  work: (i: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const serve = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: limit }, serve));
}

/** So that a bench that cannot go on ends, and says where. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const enough = new AbortController();
  const late = setTimeout(ms, null, { signal: enough.signal }).then(() => {
    throw new Error(`${what}: not within ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    enough.abort();
  }
}

/** The most that some processes took together while `work` was under way. */
export async function peakMemory(pids: () => number[], work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const sample = () => {
    peak = Math.max(
      peak,
      pids().reduce((sum, pid) => sum + memoryOf(pid), 0),
    );
  };
  const timer = setInterval(sample, 200);
  try {
    await work();
    sample();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
