import { afterAll, beforeAll } from 'vitest';
import { agentMakers } from './agent-makers.ts';
import { chat } from './chat.ts';
import { definitionKeepers } from './definition-keepers.ts';
import { dispatching } from './dispatching.ts';
import { everybody } from './everybody.ts';
import { fileKeepers } from './file-keepers.ts';
import { liveRun } from './live-run.ts';
import { newcomer } from './newcomer.ts';
import { oversight } from './oversight.ts';
import { Product } from './product.ts';
import { projectEdits } from './project-edits.ts';
import { survival } from './survival.ts';
import { tasksAndActivity } from './tasks-and-activity.ts';
import { tenSteps } from './ten-steps.ts';
import { triggerMakers } from './trigger-makers.ts';
import { workflowMakers } from './workflow-makers.ts';
import { wrongTurns } from './wrong-turns.ts';

/** One product for all journeys: to start it takes as long as most of them. */
let product: Product;
beforeAll(async () => {
  product = await Product.start();
}, 120_000);
afterAll(() => product.stop());
const current = () => product;

newcomer(current);
chat(current);
dispatching(current);
liveRun(current);
oversight(current);
fileKeepers(current);
projectEdits(current);
agentMakers(current);
definitionKeepers(current);
workflowMakers(current);
triggerMakers(current);
tasksAndActivity(current);
wrongTurns(current);
everybody(current);
tenSteps(current);
survival(current);
