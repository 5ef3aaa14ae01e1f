import type { AgentRunInput } from '../domain/segment.ts';
import { agentRun } from './agent-run.ts';

/**
 * A run of a workflow definition. It decides and waits as an agent's run does: what comes next follows from its log
 * (domain/flow.ts), which segments read and write, and only what must be waited for comes here. A type of its own, so
 * that operators can tell the two apart and either can change without the other.
 */
export async function definitionRun(input: AgentRunInput): Promise<void> {
  await agentRun(input);
}
