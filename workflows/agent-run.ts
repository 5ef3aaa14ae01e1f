import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxySinks,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { AgentRunInput, SegmentOutcome } from '../domain/segment.ts';
import { advanceOptions } from './activity-options.ts';
import { Children } from './children.ts';
import { cancellation, clarification, confirmation, look, position, type RunSinks, steering } from './messages.ts';

/** Before a wait that may last days the history is cut short, so that waking is cheap. */
const EVENTS_BEFORE_A_WAIT = 100;
/** Ids of answers kept over a cut of the history; more than a run can have open at once. */
const KEPT_IDS = 100;

/** How long until a run looks again at a child whose end is still to be written down. */
const LOOK_AGAIN = '5 seconds';

/** Decides and waits; what it knows are ids and counters. All content is in the run's log, which segments read and write. */
export async function agentRun(input: AgentRunInput): Promise<void> {
  const { run_id, workspace_id } = input;
  const { advance, requestCancel } = proxyActivities<Activities>(advanceOptions(input.heartbeat_ms));
  const arrived = new Set(input.arrived);
  let waitingFor: string[] = [];
  let segment = input.segment;
  /** Something was appended that the segment under way may not have seen. */
  let called = false;
  const children = new Children(input);
  /** Gone before the last look: one that is still asked for has lost its engine, and others write down its end. */
  const seenGone = new Set<string>();

  setHandler(confirmation, ({ action_id }) => void arrived.add(action_id));
  setHandler(clarification, ({ question_id }) => void arrived.add(question_id));
  setHandler(steering, () => undefined);
  setHandler(cancellation, () => {
    called = true;
  });
  setHandler(look, () => {
    called = true;
  });
  setHandler(position, () => ({ segment, waiting_for: waitingFor }));

  const cut = async (): Promise<void> => {
    await condition(allHandlersFinished);
    const kept = [...arrived].slice(-KEPT_IDS);
    await continueAsNew<typeof agentRun>({ ...input, segment, arrived: kept });
  };

  const next = async (): Promise<SegmentOutcome> => {
    called = false;
    segment += 1;
    const { historyLength: events, historySize: bytes } = workflowInfo();
    return advance({
      v: 1,
      run_id,
      workspace_id,
      segment,
      history: { events, bytes, max_events: input.max_history },
    });
  };

  const wait = async ({ ids, children: below = [], cancelled }: Extract<SegmentOutcome, { next: 'wait' }>) => {
    waitingFor = ids;
    children.start(below);
    if (cancelled) await children.wakeToStop(below);
    const answered = () => called || waitingFor.some((id) => arrived.has(id)) || children.anyGone(below);
    if (!answered() && children.count === 0 && workflowInfo().historyLength > EVENTS_BEFORE_A_WAIT) await cut();
    const unwritten = below.filter((id) => seenGone.has(id));
    const others = below.filter((id) => !seenGone.has(id));
    if (unwritten.length > 0) await condition(() => called || children.anyGone(others), LOOK_AGAIN);
    else await condition(answered);
    for (const id of below) if (children.anyGone([id])) seenGone.add(id);
    for (const id of waitingFor) arrived.delete(id);
    waitingFor = [];
  };

  const carryOn = async (): Promise<void> => {
    for (;;) {
      const outcome = await next();
      if (outcome.next === 'ended') return;
      if (outcome.next === 'retry') await condition(() => called, outcome.after_ms);
      if (outcome.next === 'wait') await wait(outcome);
      const { continueAsNewSuggested, historyLength } = workflowInfo();
      // Not while children run: their ends would be told to a history that is no more.
      if (children.count === 0 && (continueAsNewSuggested || historyLength > input.max_history)) await cut();
    }
  };

  if (segment === 0) proxySinks<RunSinks>().records.soon(run_id);
  try {
    await carryOn();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled through Temporal itself rather than our API: the log must tell it all the same.
    await CancellationScope.nonCancellable(async () => {
      await requestCancel({ v: 1, run_id, workspace_id, segment });
      await carryOn();
    });
  }
}
