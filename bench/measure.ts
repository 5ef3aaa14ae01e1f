import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

export const median = (values: number[]): number => quantile(values, 0.5);

function quantile(values: number[], part: number): number {
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
