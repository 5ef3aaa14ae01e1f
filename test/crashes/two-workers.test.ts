import { afterAll, beforeAll } from 'vitest';
import { type Supervised, startSupervised } from '../supervised-system.ts';
import { executors } from './executors.ts';
import { zombieWorkers } from './zombie-workers.ts';

/** Short, since both wait until somebody counts as lost. */
const HEARTBEAT_MS = 1_500;

let installation: Supervised;
beforeAll(async () => {
  installation = await startSupervised({ workers: 2, heartbeatMs: HEARTBEAT_MS });
}, 120_000);
afterAll(() => installation.stop());
const current = () => installation;

executors(current);
zombieWorkers(current);
