import { afterAll, beforeAll } from 'vitest';
import { everybody } from './everybody.ts';
import { liveRun } from './live-run.ts';
import { newcomer } from './newcomer.ts';
import { oversight } from './oversight.ts';
import { Product } from './product.ts';
import { survival } from './survival.ts';
import { tasksAndActivity } from './tasks-and-activity.ts';
import { wrongTurns } from './wrong-turns.ts';

/** One product for all journeys: to start it takes as long as most of them. */
let product: Product;
beforeAll(async () => {
  product = await Product.start();
}, 120_000);
afterAll(() => product.stop());
const current = () => product;

newcomer(current);
liveRun(current);
oversight(current);
tasksAndActivity(current);
wrongTurns(current);
everybody(current);
survival(current);
