// npm run bench -- <name> …
import { at, show } from './bootstrap.mjs';
import { fetchEngines, prepare } from './prepare.mjs';

await prepare();
const fetched = await fetchEngines();
if (fetched !== 0) process.exit(fetched);
const args = ['--enable-source-maps', at('dist', 'bench', 'main.js'), ...process.argv.slice(2)];
process.exit(await show(process.execPath, args));
