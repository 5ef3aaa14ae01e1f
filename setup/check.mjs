// npm run check
import { installModules, requireNode } from './bootstrap.mjs';
import { runChecks } from './checks.mjs';

requireNode();
await installModules();
const { failed } = await runChecks();
process.exit(failed === 0 ? 0 : 1);
