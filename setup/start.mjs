// npm start: everything that is needed, then `longhaul start` in this very process, so that signals reach it directly.
import { at, buildIfStale, installModules, requireNode } from './bootstrap.mjs';

requireNode();
await installModules();
await buildIfStale();
const main = at('dist', 'cli', 'main.js');
process.argv = [process.execPath, main, 'start', ...process.argv.slice(2)];
await import(main);
