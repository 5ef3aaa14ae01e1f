// npm start: everything that is needed, then `longhaul start` in this very process, so that signals reach it directly.
import { at } from './bootstrap.mjs';
import { prepare } from './prepare.mjs';

await prepare();
const main = at('dist', 'cli', 'main.js');
process.argv = [process.execPath, main, 'start', ...process.argv.slice(2)];
await import(main);
