import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxySinks,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type AgentRunInput, type SegmentInput, type SegmentOutcome, WORKER_GONE } from '../domain/segment.ts';
import { advanceOptions, executorOptions } from './activity-options.ts';
import { Children } from './children.ts';
import {
  cancellation,
  clarification,
  confirmation,
  look,
  position,
  type RunSinks,
  review,
  steering,
} from './messages.ts';

/** Before a wait that may last days the history is cut short, so that waking is cheap. */
const EVENTS_BEFORE_A_WAIT = 100;
/** Ids of answers kept over a cut of the history; more than a run can have open at once. */
const KEPT_IDS = 100;

/** How long until a run looks again at a child whose end is still to be written down. */
const LOOK_AGAIN = '5 seconds';

/** How soon a run is carried on elsewhere after its executor failed, the first time and at most. */
const MOVE_MS = { first: 50, longest: 1_000 };

/** No answer came from it, rather than a bad one: the files it has are as good as lost. */
const isLost = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  (error.cause instanceof TimeoutFailure ||
    (error.cause instanceof ApplicationFailure && error.cause.type === WORKER_GONE));

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
  /** Of the executor that has the run's files; null where any worker will do, or is to find out which one that is. */
  let queue: string | null = null;
  /** The one that had them and does not answer. */
  let lost: string | null = null;
  let hasFiles = false;
  let failures = 0;
  /** Gone before the last look: one that is still asked for has lost its engine, and others write down its end. */
  const seenGone = new Set<string>();

  setHandler(confirmation, ({ action_id }) => void arrived.add(action_id));
  setHandler(clarification, ({ question_id }) => void arrived.add(question_id));
  setHandler(review, ({ review_id }) => void arrived.add(review_id));
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
    const history = { events, bytes, max_events: input.max_history };
    const below = children.count > 0 ? { below: children.count } : {};
    const wanted = { v: 1 as const, run_id, workspace_id, segment, history, ...below };
    if (queue !== null) return nextOn(queue, wanted);
    return advance({ ...wanted, ...(hasFiles ? { needs_executor: true as const } : {}), ...(lost ? { lost } : {}) });
  };

  const nextOn = async (executor: string, wanted: SegmentInput): Promise<SegmentOutcome> => {
    try {
      const { advance: there } = proxyActivities<Activities>(executorOptions(input.heartbeat_ms, executor));
      const outcome = await there(wanted);
      failures = 0;
      return outcome;
    } catch (error) {
      if (isCancellation(error)) throw error;
      queue = null;
      lost = isLost(error) ? executor : null;
      failures += 1;
      return { next: 'retry', after_ms: Math.min(MOVE_MS.longest, MOVE_MS.first * 2 ** (failures - 1)) };
    }
  };

  const wait = async (outcome: Extract<SegmentOutcome, { next: 'wait' }>) => {
    const { ids, children: below = [], cancelled, stopped = cancelled ? below : [], after_ms } = outcome;
    waitingFor = ids;
    children.start(below, outcome.definitions);
    if (stopped.length > 0) await children.wakeToStop(stopped);
    const answered = () => called || waitingFor.some((id) => arrived.has(id)) || children.anyGone(below);
    if (!answered() && children.count === 0 && workflowInfo().historyLength > EVENTS_BEFORE_A_WAIT) await cut();
    const unwritten = below.filter((id) => seenGone.has(id));
    const others = below.filter((id) => !seenGone.has(id));
    if (unwritten.length > 0) await condition(() => called || children.anyGone(others), LOOK_AGAIN);
    else if (after_ms !== undefined) await condition(answered, after_ms);
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
      if (outcome.next === 'executor') {
        queue = outcome.queue;
        hasFiles = true;
        lost = null;
      }
      if (outcome.next === 'move') queue = null;
      if (outcome.next === 'wait') {
        // Whoever has the files may be gone by the time somebody answers: it is looked up again then.
        queue = null;
        await wait(outcome);
      }
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
