import { createHash, randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../domain/failures.ts';
import { inTurn } from '../../files/turns.ts';
import { endSetupTurn, recordSetup, setupDone, takeSetupTurn } from '../../store/setup-turns.ts';
import type { Checkout } from '../checkout.ts';
import { gitCopyOf } from './git-copy.ts';
import { WORKSPACE } from './invocation.ts';
import type { Sandbox } from './sandbox.ts';
import type { CommandOutcome } from './spec.ts';

/** What a notebook wants done before anything is run in it. */
export interface NotebookSetup {
  commands: readonly string[];
  network: boolean;
}

export interface SetupPlace {
  notebook_id: string;
  root: string;
  /** Null on a folder notebook, whose files stay where they are from run to run. */
  checkout: Checkout | null;
}

export interface SetupRun {
  sandbox: Sandbox;
  signal: AbortSignal;
  heard: (text: string) => void;
  /** Told of each command that was run. */
  ran: (argv: readonly string[], outcome: CommandOutcome) => Promise<void>;
  argvOf: (command: string) => string[];
}

/** With these the same commands bring something else. */
const LOCKS = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ...['requirements.txt', 'poetry.lock', 'uv.lock', 'Pipfile.lock', 'pdm.lock', 'go.sum', 'Cargo.lock'],
  ...['Gemfile.lock', 'composer.lock', 'mix.lock', 'pubspec.lock', 'flake.lock'],
];
const MOST_LOCK_BYTES = 50_000_000;
/** For all of them together: the command itself comes after, in the same step. */
const MOST_MS = 300_000;
/** Kept for as long as its holder lives, and soon somebody else's when it does not. */
const TURN_MS = 15_000;
const LOOK_EVERY_MS = 200;
const KEPT_ARCHIVES = 3;
const ARCHIVE = '/run/longhaul/setup.tar';
const LIST = '/run/longhaul/setup.list';

export const setupsBeside = (snapshotsDir: string): string => join(dirname(snapshotsDir), 'setups');

/** Beside the files, where no command can write; gone with them, and the same for all runs that work on them. */
const markOf = ({ dir }: Checkout): string => join(dirname(dir), 'set-up.done');

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** As it is, and not what a link in its place leads to. */
async function hashOf(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (!file) return null;
  try {
    const info = await file.stat();
    return info.isFile() && info.size <= MOST_LOCK_BYTES ? sha256(await file.readFile()) : null;
  } finally {
    await file.close();
  }
}

async function keyOf({ commands, network }: NotebookSetup, root: string): Promise<string> {
  const locks = await Promise.all(LOCKS.map(async (name) => [name, await hashOf(join(root, name))]));
  return sha256(JSON.stringify([commands, network, locks])).slice(0, 32);
}

/**
 * Dependencies are installed once: on a folder notebook when commands or lock files have changed, on a git notebook
 * once for all its runs, whose checkouts then get what came of it (what git ignores) out of an archive. Of several
 * that need it at once, whatever worker they are on, one does it and the others wait. (An archive is made aside and
 * renamed: checkouts need not wait for each other.)
 */
export class Setups {
  private constructor(private readonly folder: string) {}

  static beside = (snapshotsDir: string): Setups => new Setups(setupsBeside(snapshotsDir));

  private doneAt({ notebook_id, checkout }: SetupPlace): Promise<string | null> {
    return checkout ? readFile(markOf(checkout), 'utf8').catch(() => null) : setupDone(notebook_id);
  }

  private async record({ notebook_id, checkout }: SetupPlace, key: string): Promise<void> {
    if (checkout) await writeFile(markOf(checkout), key);
    else await recordSetup(notebook_id, key);
  }

  async isDue(setup: NotebookSetup, place: SetupPlace): Promise<boolean> {
    if (setup.commands.length === 0) return false;
    return (await this.doneAt(place)) !== (await keyOf(setup, place.root));
  }

  async ensure(setup: NotebookSetup, place: SetupPlace, run: SetupRun): Promise<void> {
    if (!(await this.isDue(setup, place))) return;
    // Whoever had the turn before may have done it, or have been stopped in the middle of it.
    const work = async () => {
      if (await this.isDue(setup, place)) await this.setUp(setup, place, run);
    };
    // A checkout is this worker's alone; a folder may be everybody's.
    if (place.checkout) await inTurn(`set-up ${place.root}`, work);
    else await inTurnOfAll(place.notebook_id, run, work);
  }

  private async setUp(setup: NotebookSetup, place: SetupPlace, run: SetupRun): Promise<void> {
    const key = await keyOf(setup, place.root);
    const folder = join(this.folder, place.notebook_id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const archive = join(folder, `${key}.tar`);
    const isThere = place.checkout !== null && (await stat(archive).catch(() => null)) !== null;
    if (isThere) await this.unpack(archive, place, run);
    else {
      await runAll(setup, place, run);
      if (place.checkout) await this.pack(archive, place, place.checkout, run);
    }
    // Also where the set-up itself has changed a lock file: what is there now is what it made.
    await this.record(place, await keyOf(setup, place.root));
  }

  private async unpack(archive: string, { root }: SetupPlace, { sandbox, signal, heard }: SetupRun): Promise<void> {
    heard('[set-up: what an earlier run has installed is taken over]\n');
    const outcome = await sandbox.run({
      argv: ['/bin/tar', '-xf', ARCHIVE, '-C', WORKSPACE],
      ...{ root, signal, timeout_ms: MOST_MS, shown: [[archive, ARCHIVE]] },
    });
    if (outcome.exit_code === 0) return;
    // Half of an archive that cannot be read is no help to the next one either.
    await rm(archive, { force: true });
    throw new Failure('setup_failed', 'What an earlier run has installed could not be taken over.', {
      output: outcome.output.slice(-2_000),
    });
  }

  /** In there as well: what it reads was made by commands. */
  private async pack(archive: string, place: SetupPlace, checkout: Checkout, run: SetupRun): Promise<void> {
    const listed = await checkout.git(['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']);
    if (listed.length === 0) return;
    const list = `${archive}.${process.pid}.list`;
    const part = `${archive}.${process.pid}.part`;
    try {
      await writeFile(list, listed);
      const { exit_code } = await run.sandbox.run({
        argv: ['/bin/tar', '-cf', '-', '-C', WORKSPACE, '--null', '-T', LIST],
        ...{ root: place.root, signal: run.signal, timeout_ms: MOST_MS, shown: [[list, LIST]] },
        into: createWriteStream(part, { mode: 0o600 }),
      });
      // Without it the next run installs again: no harm but the time.
      if (exit_code === 0) await rename(part, archive);
    } finally {
      await Promise.all([list, part].map((path) => rm(path, { force: true })));
    }
    await this.prune(dirname(archive));
  }

  private async prune(folder: string): Promise<void> {
    const names = await readdir(folder);
    const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
    const archives = aged.filter(({ name }) => name.endsWith('.tar')).toSorted((a, b) => b.at - a.at);
    await Promise.all(archives.slice(KEPT_ARCHIVES).map(({ name }) => rm(join(folder, name), { force: true })));
  }
}

async function inTurnOfAll(turn: string, { signal, heard }: SetupRun, work: () => Promise<void>): Promise<void> {
  const holder = randomUUID();
  const until = Date.now() + 2 * MOST_MS;
  for (let tries = 0; !(await takeSetupTurn(turn, holder, TURN_MS)); tries++) {
    if (tries === 0) heard('[set-up: another run is at it; this one waits]\n');
    if (Date.now() > until) throw new Failure('setup_failed', 'Others have been setting the notebook up for too long.');
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {
      throw new Failure('interrupted', 'The command was ended before it was begun.', { interrupted: true });
    });
  }
  const keeping = setInterval(() => void takeSetupTurn(turn, holder, TURN_MS).catch(() => undefined), TURN_MS / 3);
  try {
    await work();
  } finally {
    clearInterval(keeping);
    await endSetupTurn(turn, holder);
  }
}

async function runAll(
  { commands, network }: NotebookSetup,
  { root, checkout }: SetupPlace,
  run: SetupRun,
): Promise<void> {
  const until = Date.now() + MOST_MS;
  for (const command of commands) {
    run.heard(`[set-up] $ ${command}\n`);
    const argv = run.argvOf(command);
    const { sandbox, signal, heard } = run;
    const timeout_ms = Math.max(1, until - Date.now());
    const git = checkout && sandbox.isConfined ? await gitCopyOf(checkout) : {};
    const outcome = await sandbox.run({ ...git, argv, root, network, timeout_ms, signal, heard });
    await run.ran(argv, outcome);
    if (outcome.exit_code === 0) continue;
    throw new Failure('setup_failed', `The set-up command ${JSON.stringify(command)} failed.`, {
      command,
      exit_code: outcome.exit_code,
      cut: outcome.cut,
      output: outcome.output.slice(-4_000),
    });
  }
}
