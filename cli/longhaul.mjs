#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  const { spawnSync } = await import('node:child_process');
  const build = fileURLToPath(new URL('../setup/build.mjs', import.meta.url));
  process.stderr.write('Longhaul is not built yet; building it once.\n');
  // What the build says goes beside the output, which a program may be reading.
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 2, 2] });
  if (status !== 0 || !existsSync(main)) {
    process.stderr.write('The build did not succeed; see above. `npm start` builds and starts everything.\n');
    process.exit(1);
  }
}
process.argv[1] = fileURLToPath(main);
await import(main.href);
