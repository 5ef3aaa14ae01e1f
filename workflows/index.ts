export { agentRun } from './agent-run.ts';
export { definitionRun } from './definition-run.ts';
export { embedQuery } from './embed-query.ts';
export { explainStep } from './explain-step.ts';
export { inspectMcp } from './inspect-mcp.ts';
export { retention } from './retention.ts';
export { saveRollback } from './save-rollback.ts';
export { scheduledRun } from './scheduled-run.ts';
