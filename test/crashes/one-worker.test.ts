import { afterAll, beforeAll } from 'vitest';
import { type Supervised, startSupervised } from '../supervised-system.ts';
import { commands } from './commands.ts';
import { edits } from './edits.ts';
import { killAnyProcess } from './kill-any-process.ts';
import { sessions } from './sessions.ts';

/** One installation for all of them: to start it takes as long as some of them, and they kill it often enough. */
let installation: Supervised;
beforeAll(async () => {
  installation = await startSupervised();
}, 120_000);
afterAll(() => installation.stop());
const current = () => installation;

killAnyProcess(current);
sessions(current);
edits(current);
commands(current);
