import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

let known: Promise<string | null> | undefined;

/** The search program that comes with the installation; null on systems it was not built for. */
export function ripgrep(): Promise<string | null> {
  known ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => {
      accessSync(rgPath, constants.X_OK);
      return rgPath;
    },
    () => null,
  );
  return known.catch(() => null);
}

/**
 * The same on every machine: no settings of whoever runs this, no rules from outside the notebook. Hidden names and
 * links are left out by default, and so is what `.gitignore` and `.ignore` name, whether or not git is used here.
 */
const ALWAYS = [
  '--no-config',
  '--no-messages',
  '--no-follow',
  '--no-require-git',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--no-ignore-messages',
  '--color=never',
  '--path-separator=/',
];
/** It says so with 1 where it found nothing, with 2 where it could not look at everything. */
const ENDED_WELL = [0, 1, 2];

/** The paths it prints, from the root of the notebook; null where it did not get to the end. */
export async function ripgrepPaths(
  program: string,
  root: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string[] | null> {
  signal.throwIfAborted();
  const output: Buffer[] = [];
  const code = await new Promise<number | null>((ended) => {
    const child = spawn(program, [...ALWAYS, ...args, './'], {
      cwd: root,
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
    });
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', () => ended(null));
    child.on('close', ended);
  });
  signal.throwIfAborted();
  if (code === null || !ENDED_WELL.includes(code)) return null;
  // Names that are no UTF-8, or hold a line end, have no path here: what is made of them is found nowhere, or is
  // another file that is looked at like any other. With NULs between them they would come later, all at once.
  const paths = Buffer.concat(output).toString('utf8').split('\n');
  return paths.filter((path) => path.startsWith('./')).map((path) => path.slice(1));
}
