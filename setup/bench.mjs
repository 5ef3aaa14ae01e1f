// npm run bench -- <name> …
import { at, buildIfStale, installModules, requireNode, show } from './bootstrap.mjs';

requireNode();
await installModules();
await buildIfStale();
const fetched = await show(process.execPath, [at('dist', 'cli', 'fetch-engines.js')]);
if (fetched !== 0) process.exit(fetched);
process.exit(
  await show(process.execPath, ['--enable-source-maps', at('dist', 'bench', 'main.js'), ...process.argv.slice(2)]),
);
