import { readFileSync } from 'node:fs';

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

const boot = (): string => read('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';

/** Process ids are used again; with the moment the process began they are not. Null where there is no such process. */
function began(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

/** This process, for whoever finds what it left behind. */
export const ownerText = (): string => `${process.pid}:${began(process.pid) ?? 'unknown'}@${boot()}`;

/** The same where there is little room; what it leaves out of the boot tells no two apart in practice. */
export const shortOwnerText = (): string => ownerText().replace(/(@\w{8})-.*$/, '$1');

/** Only of a process on this very machine and since it was started can one say that it is gone. */
export function isGone(owner: string): boolean {
  const [, pid = '', since = '', on = ''] = /^(\d+):(\w+)@(.+)$/.exec(owner) ?? [];
  return on !== 'unknown' && on.length >= 8 && boot().startsWith(on) && began(Number(pid)) !== since;
}
