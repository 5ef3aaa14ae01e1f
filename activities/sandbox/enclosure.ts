import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../domain/failures.ts';
import type { Cgroups, Groups } from './cgroups.ts';
import { bubblewrapArguments, type Content, dated, type Place } from './invocation.ts';
import type { CommandLimits } from './limits.ts';
import type { NetworkGate } from './network.ts';
import type { CommandSpec } from './spec.ts';
import { syscallFilter } from './syscalls.ts';

/** A process and all it starts, from outside. */
export interface Enclosed {
  child: ChildProcess;
  groups: Groups | null;
  /** Resolves when nothing of it runs any more, which is a moment after its end is told. */
  emptied: () => Promise<void>;
  kill: () => void;
}

/**
 * Bounds itself and goes into its groups before it is anything else: what it starts is held by both. The shell does it,
 * since a program for each would cost as much time again as bubblewrap itself. A dash stands for no bound.
 */
const ENTER = [
  'ulimit -c 0; ulimit -f "$1"; ulimit -t "$2"',
  '[ "$3" = - ] || ulimit -d "$3"',
  '[ "$4" = - ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4"',
  '[ "$5" = - ] || exec 2>&1',
  'shift 5; while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"',
].join('; ');
const BLOCK_BYTES = 512;
const NICE = '/usr/bin/nice';
/** Gives way to everything else. In there, so that only the command is held back and not what confines it. */
const POLITELY = existsSync(NICE) ? [NICE, '-n', '10', '--'] : [];

/** What bubblewrap is told through which descriptor; what it is to make files of comes after these. */
const TOLD = { arguments: 3, filter: 4, information: 5 };
const FIRST_GIVEN = 6;

export interface EnclosureParts {
  bwrap: string;
  cgroups: Cgroups | null;
  gate: NetworkGate;
  /** Seen by every command. */
  readable: readonly string[];
}

/** Puts processes where they can do no harm: a root of their own, bounds, groups and a filter of system calls. */
export class Enclosure {
  private readonly filter = syscallFilter();

  constructor(private readonly parts: EnclosureParts) {}

  get isFiltered(): boolean {
    return this.filter !== null;
  }

  holds(name: 'memory' | 'pids' | 'cpu'): boolean {
    return this.parts.cgroups?.holds.includes(name) ?? false;
  }

  async start(spec: CommandSpec, limits: CommandLimits, stdin: 'ignore' | 'pipe'): Promise<Enclosed> {
    const { gate, readable, cgroups } = this.parts;
    const out = spec.network ? await gate.wayOut() : null;
    const place: Place = {
      root: spec.root,
      cwd: spec.cwd ?? '',
      readable: [...readable, ...(spec.readable ?? [])],
      writable: spec.writable ?? [],
      shown: [...(spec.shown ?? []), ...(out?.shown ?? [])],
      over: spec.over ?? null,
    };
    const polite = [...POLITELY, ...dated(place, spec.argv)];
    const argv = out ? out.argv(polite) : polite;
    const given: Content[] = [];
    const give = (content: Content): number => FIRST_GIVEN - 1 + given.push(content);
    const told = [
      ...['--info-fd', String(TOLD.information), ...(this.filter ? ['--seccomp', String(TOLD.filter)] : [])],
      ...bubblewrapArguments({ place, env: { ...out?.env, ...spec.env }, limits, give }),
    ];
    const apart = asToldApart(told);
    const groups = cgroups?.make(limits) ?? null;
    // Through one pipe, what it says stays in the order it was said in; a program that is spoken to needs both apart.
    const isOneVoice = stdin === 'ignore' && !spec.into;
    const bounds = [...this.bounds(limits, spec.timeout_ms), isOneVoice ? '1' : '-'];
    const options = ['--args', String(TOLD.arguments), '--', ...argv];
    const args = ['-c', ENTER, 'enter', ...bounds, ...(groups?.doors ?? []), '--', this.parts.bwrap, ...options];
    const child = spawnGiving(args, [stdin, 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'], given);
    // Read from a pipe: what it is told would otherwise stand in /proc for the command to see.
    feed(child, TOLD.arguments, Buffer.from(apart));
    feed(child, TOLD.filter, this.filter ?? Buffer.alloc(0));
    const first = firstProcess(child, TOLD.information);
    return { child, groups, emptied: async () => untilGone(await first), kill: () => child.kill('SIGKILL') };
  }

  private bounds(limits: CommandLimits, timeoutMs: number): string[] {
    // Of an ordinary user the kernel counts all processes of that user; of root none.
    const processes = process.getuid?.() === 0 || this.holds('pids') ? '-' : 8 * limits.processes;
    return [
      Math.ceil(limits.file_bytes / BLOCK_BYTES),
      Math.ceil(timeoutMs / 1000) + 1,
      this.holds('memory') ? '-' : Math.ceil(limits.memory_bytes / 1024),
      processes,
    ].map(String);
  }
}

/**
 * bubblewrap tells its arguments apart by NUL: one within a value would begin the next argument, and whoever chose the
 * value could have any place of the host bound into the workspace.
 */
function asToldApart(told: readonly string[]): string {
  const bad = told.find((option) => option.includes('\0'));
  if (bad !== undefined) throw new Failure('invalid_arguments', 'There is a NUL in what was to be run.');
  return told.map((option) => `${option}\0`).join('');
}

/** What is copied from a file of the host is read by bubblewrap itself, through a descriptor that nothing can swap. */
function spawnGiving(args: string[], stdio: ('ignore' | 'pipe')[], given: readonly Content[]): ChildProcess {
  const opened: number[] = [];
  try {
    const more = given.map((content) => {
      if (typeof content === 'string') return 'pipe';
      const fd = openSync(content.copy_of, constants.O_RDONLY | constants.O_NOFOLLOW);
      opened.push(fd);
      return fd;
    });
    const options: StdioOptions = [...stdio, ...more];
    const child = spawn('/bin/sh', args, { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: options });
    given.forEach((content, index) => {
      if (typeof content === 'string') feed(child, FIRST_GIVEN + index, Buffer.from(content));
    });
    return child;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function feed(child: ChildProcess, fd: number, bytes: Buffer): void {
  const stream = child.stdio[fd];
  if (!stream || !('end' in stream)) return;
  // Killed before it has read everything is no concern of ours.
  stream.on('error', () => undefined);
  stream.end(bytes);
}

/** The first process in there, as it is known out here. */
async function firstProcess(child: ChildProcess, fd: number): Promise<number | null> {
  const stream = child.stdio[fd];
  if (!stream || !('read' in stream)) return null;
  const told = await text(stream).catch(() => '');
  const pid = Number(/"child-pid":\s*(\d+)/.exec(told)?.[1]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

const GONE_TRIES = 2_000;

/**
 * bubblewrap ends when its command does, a moment before the first process in there takes everything that is left with
 * it: what runs in the background must not write any more when the outcome is told.
 */
async function untilGone(pid: number | null): Promise<void> {
  for (let tries = 0; pid !== null && tries < GONE_TRIES; tries++) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null || /\) [ZX] /.test(stat)) return;
    await pause(1);
  }
}
