import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder in which the real git applies patches: many files in one process, each a case of its own. */
export class GitFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'longhaul-git-apply-'));

  constructor() {
    this.git('init', '-q');
  }

  git(...args: string[]): { status: number | null; stderr: string } {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    const { status, stderr } = spawnSync('git', args, { cwd: this.folder, env, encoding: 'utf8' });
    return { status, stderr };
  }

  write(path: string, text: string | null): void {
    if (text === null) return;
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): Buffer | null {
    const file = join(this.folder, path);
    return existsSync(file) ? readFileSync(file) : null;
  }

  /** Whether git has turned down a part of what was to be done to the file. */
  refused = (path: string): boolean => existsSync(join(this.folder, `${path}.rej`));

  apply(patch: string, ...options: string[]): { status: number | null; stderr: string } {
    writeFileSync(join(this.folder, 'all.patch'), patch);
    return this.git('apply', '--whitespace=nowarn', ...options, 'all.patch');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
