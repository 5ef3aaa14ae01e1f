import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who a worker is: enough for its successor on the same host to tell that it is dead. */
export interface WorkerIdentity {
  host: string;
  boot: string;
  pid: number;
  /** Process ids are used again; with the start time they are not. */
  started: string;
}

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return 'unknown';
  }
};

/** Null where there is no such process, or the platform does not tell. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Dead, and only waiting for its parent to take note.
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return fields[19] ?? null;
  } catch {
    return null;
  }
}

export const ownIdentity = (): WorkerIdentity => ({
  host: hostname(),
  boot: bootId(),
  pid: process.pid,
  started: startTime(process.pid) ?? 'unknown',
});

export const identityText = ({ host, boot, pid, started }: WorkerIdentity): string =>
  `${pid}:${started}@${boot}@${host}`;

export function readIdentity(text: string): WorkerIdentity | null {
  const match = /^(\d+):(\w+)@(\w+)@(.+)$/.exec(text);
  if (!match) return null;
  const [, pid = '', started = '', boot = '', host = ''] = match;
  return { pid: Number(pid), started, boot, host };
}

/** Only of a worker on this very host and boot can one say that it is dead; of others their heartbeat tells. */
export function isDeadNeighbour(other: WorkerIdentity, self: WorkerIdentity): boolean {
  if (other.host !== self.host || other.boot !== self.boot || self.boot === 'unknown') return false;
  return startTime(other.pid) !== other.started;
}
