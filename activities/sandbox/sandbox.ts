import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Failure } from '../../domain/failures.ts';
import { ownedFolder } from '../../files/owned-folder.ts';
import { attend } from './attendance.ts';
import { type Cgroups, findCgroups } from './cgroups.ts';
import { type Enclosed, Enclosure } from './enclosure.ts';
import { environmentOf } from './invocation.ts';
import { type CommandLimits, type Cut, DEFAULT_LIMITS } from './limits.ts';
import { NetworkGate } from './network.ts';
import type { CommandOutcome, CommandSpec, Confinement, ProgramSpec, SandboxSettings, StartedProgram } from './spec.ts';
import { watchUse } from './watch.ts';

const LONGEST_PROGRAM_MS = 24 * 3_600_000;

const findProgram = (name: string, path: string): string | null => {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // not here
    }
  }
  return null;
};

/** Runs commands where they can do no harm, or refuses to. */
export class Sandbox {
  private readonly limits: CommandLimits;
  private readonly gate: NetworkGate;
  private readonly enclosure: Enclosure;
  private readonly removals = new Set<Promise<void>>();

  private constructor(
    private readonly settings: SandboxSettings,
    private readonly bwrap: string,
    private readonly cgroups: Cgroups | null,
    private refusal: string | null,
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...settings.limits };
    this.gate = new NetworkGate(settings.hosts ?? []);
    this.enclosure = new Enclosure({ bwrap, cgroups, gate: this.gate, readable: settings.readable ?? [] });
  }

  /** Chooses what holds here, and proves it with a command. */
  static async open(settings: SandboxSettings, find = findCgroups): Promise<Sandbox> {
    const { path, limits } = settings;
    const bwrap = process.platform === 'linux' ? (settings.bwrap ?? findProgram('bwrap', path)) : null;
    const refusal =
      process.platform !== 'linux'
        ? `commands can only be confined on Linux, and this is ${process.platform}`
        : bwrap === null || !existsSync(bwrap)
          ? 'bubblewrap is not there: install it (apt-get install bubblewrap), or set LONGHAUL_BWRAP to its path'
          : null;
    const cgroups = refusal === null ? find({ ...DEFAULT_LIMITS, ...limits }) : null;
    const sandbox = new Sandbox(settings, bwrap ?? '', cgroups, refusal);
    if (refusal === null) await sandbox.prove();
    return sandbox;
  }

  private async prove(): Promise<void> {
    const root = await ownedFolder('proof');
    try {
      const argv = ['/bin/sh', '-c', 'echo held'];
      const { exit_code, output } = await this.confined({ argv, root, timeout_ms: 10_000 }).catch((error: unknown) => ({
        exit_code: null,
        output: String(error),
      }));
      if (exit_code === 0 && output === 'held\n') return;
      this.refusal = `bubblewrap does not work here (${output.trim().split('\n')[0] ?? ''}); it needs user namespaces: see docs/commands.md`;
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  get isConfined(): boolean {
    return this.refusal === null;
  }

  /** What `doctor` shows. */
  confinement(): Confinement {
    const { cgroups, limits, enclosure } = this;
    const MB = 1024 * 1024;
    const group = `cgroup v${cgroups?.version ?? '?'}`;
    const isBounded = limits.cpus !== null && enclosure.holds('cpu');
    const told = [
      `memory ${limits.memory_bytes / MB} MB (${enclosure.holds('memory') ? group : 'ulimit and watching'})`,
      `processes ${limits.processes} (${enclosure.holds('pids') ? group : 'watching'})`,
      isBounded ? `CPU ${limits.cpus} cores (${group})` : 'CPU: gives way to everything else',
      `files ${limits.file_bytes / MB} MB each (ulimit)`,
      `workspace ${limits.disk_bytes / MB} MB (watching), /tmp ${limits.tmp_bytes / MB} MB`,
      enclosure.isFiltered ? 'system calls filtered' : `system calls not filtered on ${process.arch}`,
    ];
    if (this.refusal === null) return { how: 'bubblewrap', why: this.bwrap, limits: told };
    if (this.settings.unconfined) return { how: 'unconfined', why: this.refusal, limits: [] };
    return { how: 'refused', why: this.refusal, limits: [] };
  }

  /** Runs to its end or its limits; the whole tree of processes is gone when this resolves. */
  async run(spec: CommandSpec): Promise<CommandOutcome> {
    if (this.refusal === null) return this.confined(spec);
    if (this.settings.unconfined) return this.unconfined(spec);
    throw new Failure('commands_refused', `Commands cannot be confined here: ${this.refusal}.`);
  }

  /** Starts a program that is spoken to until it is stopped; all it started is gone when it is. */
  async start(spec: ProgramSpec): Promise<StartedProgram> {
    if (this.refusal !== null && !this.settings.unconfined) {
      throw new Failure('commands_refused', `Programs cannot be confined here: ${this.refusal}.`);
    }
    const limits = { ...this.limits, ...spec.limits };
    const whole = { ...spec, timeout_ms: LONGEST_PROGRAM_MS };
    const { child, groups, kill } =
      this.refusal === null ? await this.enclosure.start(whole, limits, 'pipe') : this.openly(whole, 'pipe');
    const { stdin, stdout, stderr, pid } = child;
    if (!stdin || !stdout || !stderr) throw new Failure('commands_refused', 'The program could not be started.');
    const unwatch = pid === undefined ? () => {} : this.watch(spec.root, limits)(pid, kill);
    const gone = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    }).finally(() => {
      unwatch();
      if (groups) this.leaving(groups.remove());
    });
    return { stdin, stdout, stderr, gone, kill };
  }

  private watch(root: string, limits: CommandLimits): (pid: number, exceeded: (why: Cut) => void) => () => void {
    const unlimited = { memory: !this.enclosure.holds('memory'), processes: !this.enclosure.holds('pids') };
    return (pid, exceeded) => watchUse({ pid, root, limits, unlimited, exceeded });
  }

  private async confined(spec: CommandSpec): Promise<CommandOutcome> {
    const limits = { ...this.limits, ...spec.limits };
    const { child, groups, emptied, kill } = await this.enclosure.start(spec, limits, 'ignore');
    try {
      const outcome = await attend({ child, spec, limits, kill, watch: this.watch(spec.root, limits) });
      await emptied();
      if (outcome.cut === null && outcome.exit_code !== 0 && groups?.ranOutOfMemory()) {
        return { ...outcome, cut: 'memory' };
      }
      return outcome;
    } finally {
      // Busy for a moment yet, which nobody need wait for.
      if (groups) this.leaving(groups.remove());
    }
  }

  /** Only where the operator wants it. It can see and do what this process can; its environment is still its own. */
  private unconfined(spec: CommandSpec): Promise<CommandOutcome> {
    const limits = { ...this.limits, ...spec.limits };
    const { child, kill } = this.openly(spec, 'ignore');
    return attend({ child, spec, limits, kill, watch: this.watch(spec.root, limits) });
  }

  private openly(spec: CommandSpec, stdin: 'ignore' | 'pipe'): Enclosed {
    const isOneVoice = stdin === 'ignore' && !spec.into;
    const [program = '', ...args] = isOneVoice ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...spec.argv] : spec.argv;
    const cwd = join(spec.root, spec.cwd ?? '');
    const env = { ...environmentOf(spec.env ?? {}), PATH: this.settings.path, HOME: tmpdir(), TMPDIR: tmpdir() };
    const child = spawn(program, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    child.once('exit', kill);
    return { child, groups: null, emptied: () => Promise.resolve(), kill };
  }

  private leaving(removal: Promise<void>): void {
    this.removals.add(removal);
    void removal.finally(() => this.removals.delete(removal));
  }

  async close(): Promise<void> {
    await Promise.all(this.removals);
    await this.gate.close();
  }
}
