import {
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  sleep,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { workflowIdOf } from '../domain/run-id.ts';
import type { BegunScheduled, ScheduledRunInput } from '../domain/schedule.ts';
import { beginOptions } from './activity-options.ts';
import { AGENT_RUN, DEFINITION_RUN } from './messages.ts';

const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 300_000;
const MOST_EVENTS = 1_000;

/** When it was to fire, which may be before it did. */
function scheduledTime(): string {
  const { searchAttributes, startTime } = workflowInfo();
  const [nominal] = searchAttributes.TemporalScheduledStartTime ?? [];
  return (nominal instanceof Date ? nominal : startTime).toISOString();
}

/**
 * What a schedule fires: makes the run and has it as its child, so that as long as the run goes on, Temporal knows that
 * the time before has not ended.
 */
export async function scheduledRun(input: ScheduledRunInput): Promise<void> {
  const { beginScheduled } = proxyActivities<Activities>(beginOptions);
  if (input.follows !== undefined) return follow(input, input.follows);
  const { org_id, schedule_id, version } = input;
  const { workflowId: workflow_id } = workflowInfo();
  const begun: BegunScheduled = await beginScheduled({
    v: 1,
    org_id,
    schedule_id,
    version,
    workflow_id,
    scheduled_time: scheduledTime(),
  });
  if (begun === null) return;
  const { run_id, workspace_id, is_definition } = begun;
  const { heartbeat_ms, max_history } = input;
  try {
    await executeChild(is_definition ? DEFINITION_RUN : AGENT_RUN, {
      workflowId: workflowIdOf(run_id),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      // Terminated to make room for the next one: the run is told to stop, and writes down that it has.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowTaskTimeout: '3 seconds',
      args: [{ v: 1, run_id, workspace_id, segment: 0, arrived: [], heartbeat_ms, max_history }],
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
    await follow(input, run_id);
  }
}

/** It was started by whoever found it recorded and not started: it still counts as under way until it has ended. */
async function follow(input: ScheduledRunInput, run_id: string): Promise<void> {
  const { runIsOver } = proxyActivities<Activities>(beginOptions);
  for (let pause = FIRST_LOOK_MS; !(await runIsOver({ v: 1, run_id })); pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
    if (workflowInfo().historyLength > MOST_EVENTS) {
      await continueAsNew<typeof scheduledRun>({ ...input, follows: run_id });
    }
    await sleep(pause);
  }
}
