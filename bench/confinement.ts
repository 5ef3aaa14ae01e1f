import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Sandbox } from '../activities/sandbox/sandbox.ts';
import { readConfig, sandboxSettings } from '../config.ts';
import { obtainBubblewrap } from '../engines/bubblewrap.ts';
import { silent } from '../engines/progress.ts';
import { median } from './measure.ts';

const COMMAND = ['/bin/sh', '-c', 'echo done'] as const;
const WARM_UP = 5;

const bare = (cwd: string): Promise<void> =>
  new Promise((done, fail) => {
    const [program, ...args] = COMMAND;
    const child = spawn(program, args, { cwd, env: { PATH: '/usr/bin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', fail).once('close', () => done());
  });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

/** What confinement adds to a command, in ms: the median over pairs that take turns, so that a busy machine weighs on both. */
export async function measureConfinement(
  pairs = 60,
): Promise<{ confine_ms: number; bare_ms: number; confined_ms: number }> {
  const config = readConfig();
  const path = process.env.PATH ?? '';
  const found =
    config.LONGHAUL_BWRAP ??
    (await obtainBubblewrap({ cache: resolve(config.LONGHAUL_CACHE), path, progress: silent }))?.path;
  const sandbox = await Sandbox.open({ ...sandboxSettings(config, path), bwrap: found });
  if (!sandbox.isConfined) throw new Error(`Nothing to measure: ${sandbox.confinement().why}`);
  const root = mkdtempSync(join(tmpdir(), 'longhaul-confinement-'));
  const confined = () => sandbox.run({ argv: COMMAND, root, timeout_ms: 10_000 });
  const without: number[] = [];
  const within: number[] = [];
  try {
    for (let pair = -WARM_UP; pair < pairs; pair++) {
      const [a, b] = [await timed(() => bare(root)), await timed(confined)];
      if (pair < 0) continue;
      without.push(a);
      within.push(b);
    }
  } finally {
    await sandbox.close();
    rmSync(root, { recursive: true, force: true });
  }
  const added = within.map((ms, index) => ms - (without[index] ?? 0));
  return { confine_ms: median(added), bare_ms: median(without), confined_ms: median(within) };
}
