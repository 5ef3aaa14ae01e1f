import { budgetVerdict } from '../domain/budget.ts';
import { nextInFlow } from '../domain/flow.ts';
import type { FlowMoves } from '../domain/flow-calls.ts';
import type { FlowRun } from '../domain/flow-names.ts';
import { openDelegations } from '../domain/open-calls.ts';
import type { EndStatus } from '../domain/run.ts';
import { callNameOf, type RunDefinition, targetOf } from '../domain/run-definition.ts';
import type { RunState } from '../domain/run-state.ts';
import type { SegmentInput, SegmentOutcome } from '../domain/segment.ts';
import type { Segment } from './segment.ts';
import { bubbleUp } from './steps/bubble-up.ts';
import { collectChildren, stopChildren } from './steps/delegate.ts';
import { askForSteps, callTools, startRuns } from './steps/do-steps.ts';

function aboutRun({ run, log, rules }: Segment, definition: RunDefinition): FlowRun {
  return {
    input: run.input,
    nameOf: callNameOf(definition),
    byRun: (step) => ['agent', 'workflow'].includes(targetOf(definition, step)?.kind ?? ''),
    confirms: (step) => {
      const isChange = rules.tool(callNameOf(definition)(step))?.effect === true && run.notebook_kind !== 'git';
      return step.confirm || (definition.asks_first && isChange);
    },
    run: { id: run._id, caller_name: run.caller_name, started_at: log.state.started_at },
  };
}

type Ending = NonNullable<FlowMoves['end']> | { status: EndStatus; output: null; error: null };

async function end({ log }: Segment, ending: Ending): Promise<void> {
  // Somebody may have cancelled it meanwhile: then it did not end by itself.
  const stands = ({ ended, cancel_requested }: RunState) =>
    !ended && (!cancel_requested || ending.status === 'cancelled');
  await log.append((state) => (stands(state) ? [{ kind: 'ended', ...ending }] : null));
}

const childrenBelow = ({ log }: Segment) => {
  const open = openDelegations(log.state).flatMap(({ child }) => child ?? []);
  const definitions = open.filter(({ definition }) => definition).map(({ child_run_id }) => child_run_id);
  const children = open.map(({ child_run_id }) => child_run_id);
  return { children, definitions };
};

/** What the workflow waits for; nothing is said that is not there. */
function waitFor(
  segment: Segment,
  ids: string[],
  more: { after_ms?: number; stopped?: string[]; cancelled?: true } = {},
): SegmentOutcome {
  const { children, definitions } = childrenBelow(segment);
  return {
    next: 'wait',
    ids,
    ...(children.length > 0 ? { children } : {}),
    ...(definitions.length > 0 ? { definitions } : {}),
    ...more,
  };
}

/** Stops what is under way below; once nothing is, the run has ended as it was to. */
async function windUp(segment: Segment, ending: Ending): Promise<SegmentOutcome | null> {
  const { children } = childrenBelow(segment);
  if (children.length === 0) {
    await end(segment, ending);
    return null;
  }
  await segment.log.flush();
  await stopChildren(segment, children);
  return waitFor(segment, [], { cancelled: true });
}

const CUT_SOON_MS = 100;

/** Carries a run of a workflow through its steps, until something must be waited for or its time is up. */
export async function carryDefinition(
  segment: Segment,
  definition: RunDefinition,
  { history, below = 0 }: SegmentInput,
  stopAt: () => boolean,
): Promise<SegmentOutcome> {
  const { log, rules } = segment;
  await segment.secrets.ready();
  await collectChildren(segment);
  await bubbleUp(segment);
  const about = aboutRun(segment, definition);
  // A history that is long enough is cut once nothing runs below: until then nothing new begins.
  const isToBeCut = history !== undefined && history.events > history.max_events && below > 0;
  let hasNewRuns = false;
  for (;;) {
    const { state } = log;
    if (state.ended) return { next: 'ended' };
    if (state.cancel_requested) {
      const waits = await windUp(segment, { status: 'cancelled', output: null, error: null });
      if (waits) return waits;
      continue;
    }
    const moves = nextInFlow(definition.plan, state, about, Date.now(), !state.paused && !isToBeCut);
    if (moves.facts.length > 0) {
      log.stage(moves.facts);
      continue;
    }
    const isSpent = moves.end === null && budgetVerdict(state, rules.budget, Date.now()).is === 'exceeded';
    const ending = isSpent ? { status: 'budget_exceeded' as const, output: null, error: null } : moves.end;
    if (ending && !state.paused) {
      const waits = await windUp(segment, ending);
      if (waits) return waits;
      continue;
    }
    const { overdue, runs, asks, tools, ids, due } = moves;
    if (overdue.length > 0) await stopChildren(segment, overdue);
    if (!state.paused && runs.length > 0) {
      await startRuns(segment, definition, runs);
      hasNewRuns = true;
      continue;
    }
    if (!state.paused && asks.length > 0) {
      await askForSteps(segment, definition, about, asks);
      continue;
    }
    if (!state.paused && tools.length > 0) {
      // They would be kept waiting by what may take minutes.
      if (hasNewRuns) return waitFor(segment, ids, { after_ms: 1 });
      await callTools(segment, tools);
      segment.show();
      if (segment.signal.aborted) {
        await log.flush();
        await log.refresh();
        if (!log.state.cancel_requested) return { next: 'continue' };
      }
      if (stopAt()) return { next: 'continue' };
      continue;
    }
    await log.flush();
    await bubbleUp(segment);
    // The workflow has yet to hear of the end of what ran below.
    if (isToBeCut && !state.paused && openDelegations(state).length === 0)
      return { next: 'retry', after_ms: CUT_SOON_MS };
    const stopped = overdue.length > 0 ? { stopped: overdue } : {};
    const again = due === null || state.paused ? {} : { after_ms: Math.max(1, due - Date.now()) };
    return waitFor(segment, ids, { ...stopped, ...again });
  }
}
