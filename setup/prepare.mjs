// What every command does first: a Node that will do, dependencies installed, build up to date.
import { at, installModules, requireNode, show } from './bootstrap.mjs';
import { staleParts } from './build-parts.mjs';

export async function prepare() {
  requireNode();
  await installModules();
  if (staleParts().length === 0) return;
  // In a process of its own, so that the bundlers' memory is given back.
  if ((await show(process.execPath, [at('setup', 'build.mjs')])) !== 0) process.exit(1);
}

export const fetchEngines = () => show(process.execPath, [at('dist', 'cli', 'fetch-engines.js')]);

/** A program of the build that needs engines, in this terminal; ends with it. */
export async function runProgram(path) {
  await prepare();
  const fetched = await fetchEngines();
  if (fetched !== 0) process.exit(fetched);
  const args = ['--enable-source-maps', at('dist', ...path.split('/')), ...process.argv.slice(2)];
  process.exit(await show(process.execPath, args));
}
