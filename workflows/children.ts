import { executeChild, getExternalWorkflowHandle, ParentClosePolicy } from '@temporalio/workflow';
import { workflowIdOf } from '../domain/run-id.ts';
import type { AgentRunInput } from '../domain/segment.ts';
import { AGENT_RUN, cancellation, DEFINITION_RUN } from './messages.ts';

/** The runs below one run: started once each, and known to be at work or gone. */
export class Children {
  private readonly working = new Set<string>();
  private readonly known = new Set<string>();

  constructor(private readonly parent: AgentRunInput) {}

  get count(): number {
    return this.working.size;
  }

  /** Some of these are no longer at work: what they came to is in their records. */
  anyGone = (ids: string[]): boolean => ids.some((id) => this.known.has(id) && !this.working.has(id));

  /** Of workflows, those that are said to be. */
  start(ids: string[], definitions: string[] = []): void {
    for (const id of ids) {
      if (this.known.has(id)) continue;
      this.known.add(id);
      this.working.add(id);
      const gone = () => void this.working.delete(id);
      // However it went, its log tells; also where it had been started before and is not ours to wait for.
      this.run(id, definitions.includes(id) ? DEFINITION_RUN : AGENT_RUN).then(gone, gone);
    }
  }

  private run(id: string, type: string): Promise<void> {
    const { heartbeat_ms, max_history, workspace_id } = this.parent;
    return executeChild(type, {
      workflowId: workflowIdOf(id),
      // It is cancelled through its log, like every run; what is left of it must still be written down.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowTaskTimeout: '3 seconds',
      args: [{ v: 1, run_id: id, workspace_id, segment: 0, arrived: [], heartbeat_ms, max_history }],
    });
  }

  /** Woken to see in their logs that they are to stop. */
  async wakeToStop(ids: string[]): Promise<void> {
    const wake = (id: string) => getExternalWorkflowHandle(workflowIdOf(id)).signal(cancellation);
    await Promise.all(ids.filter((id) => this.working.has(id)).map((id) => wake(id).catch(() => undefined)));
  }
}
