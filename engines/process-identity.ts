import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process id alone is no proof: the system hands it out again. With the moment the process began it names one
 * process for ever.
 */
export interface ProcessIdentity {
  pid: number;
  began: string;
}

export function identify(pid: number): ProcessIdentity | null {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : ps(pid, 'lstart=');
  return began === null ? null : { pid, began };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.began === identity.began;
}

/** The words a process was started with; empty where there is none to see. */
export function commandLine(pid: number): string[] {
  if (process.platform === 'linux') {
    return read(`/proc/${pid}/cmdline`)?.split('\0').filter(Boolean) ?? [];
  }
  return ps(pid, 'command=')?.split(' ') ?? [];
}

function beganOnLinux(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command name, in parentheses, may itself hold spaces and parentheses: count the fields after the last one.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isDead = state === 'Z' || state === 'X';
  return isDead ? null : `${read('/proc/sys/kernel/random/boot_id')?.trim()}:${fields[18]}`;
}

function ps(pid: number, column: string): string | null {
  try {
    const text = execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
