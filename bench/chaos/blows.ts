import { setTimeout } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import { HEARTBEAT_MS, type Product } from './product.ts';

const PROCESSES = ['worker-1', 'worker-2', 'api', 'mongod', 'temporal'];
const WORKERS = ['worker-1', 'worker-2'];

/** Says what it did. One in eight takes everything down at once; half of the rest are kills, half are standstills. */
export async function strike(product: Product, dice: Dice): Promise<string> {
  const kind = dice(8);
  if (kind === 0) {
    for (const name of PROCESSES) product.signal(name, 'SIGKILL');
    return 'killed everything';
  }
  if (kind < 4) {
    const name = PROCESSES[dice(PROCESSES.length)] ?? '';
    return product.signal(name, 'SIGKILL') ? `killed ${name}` : `${name} was down already`;
  }
  // A worker stands still past its heartbeat and comes back as a zombie; the others for as long as clients bear it.
  const isWorker = dice(2) === 0;
  const name = (isWorker ? WORKERS[dice(WORKERS.length)] : PROCESSES[2 + dice(3)]) ?? '';
  const ms = isWorker ? HEARTBEAT_MS + dice(2 * HEARTBEAT_MS) : 200 + dice(2_500);
  const pid = product.processes().find((running) => running.name === name)?.pid;
  if (!product.signal(name, 'SIGSTOP')) return `${name} was down already`;
  await setTimeout(ms);
  // The one that was stopped, by its id: another may have come in its place.
  try {
    if (pid !== undefined) process.kill(pid, 'SIGCONT');
  } catch {
    return `stopped ${name}, which died of it`;
  }
  return `stopped ${name} for ${ms} ms`;
}
