export { agentRun } from './agent-run.ts';
export { explainStep } from './explain-step.ts';
export { retention } from './retention.ts';
