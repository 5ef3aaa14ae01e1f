import { feedbackOf } from '../../domain/edits/feedback.ts';
import { isOverLimit } from '../../domain/edits/job-rules.ts';
import { isRefused } from '../../domain/edits/review-state.ts';
import type { Fact } from '../../domain/facts.ts';
import { Failure } from '../../domain/failures.ts';
import { resultText } from '../../domain/request-size.ts';
import type { CallState, RunState } from '../../domain/run-state.ts';
import { endsRun } from '../../domain/tool-domains.ts';
import { outputOfCall } from '../../store/evidence.ts';
import { isTooLarge } from '../checkout-standing.ts';
import { meaningOf } from '../query-meaning.ts';
import type { Segment } from '../segment.ts';
import { forgetApplied } from './apply-edits.ts';
import { allowed, type Finished, failCall, finish } from './call-outcome.ts';
import { actOnce, keepFiles, needNotebook, performOnce } from './effect-once.ts';

function refuseDenied(call: CallState): void {
  if (call.decision?.confirmed !== false) return;
  const why = call.decision.reason ? ` The reason given: ${call.decision.reason}` : '';
  throw new Failure('denied', `${call.decision.by.name} refused this action.${why}`, {
    denied: true,
    reason: call.decision.reason,
  });
}

function refuseOverLimit({ log, rules }: Segment, call: CallState): void {
  if (!isOverLimit(log.state, call, rules.edits)) return;
  const limit = rules.edits.max_tool_calls;
  throw new Failure('tool_limit', `All ${limit} tool calls of this job are used.`, { max_tool_calls: limit });
}

/** What came of a proposal; one that people were never shown is the second of its turn. */
function outcomeOfReview({ review }: CallState): unknown {
  if (review?.applied) {
    const { checkpoint_id, files } = review.applied;
    return { applied: true, checkpoint_id, files };
  }
  if (review?.rerun) {
    const { by } = review.rerun;
    const what = isRefused(review)
      ? `The files are not what the edits expect them to be. ${by.name} has seen that and lets you go on: begin with reading them`
      : `${by.name} reviewed the edits and sends them back`;
    throw new Failure('changes_requested', `${what}; nothing was written.`, feedbackOf(review));
  }
  throw new Failure('invalid_edits', 'Only one proposal is reviewed at a time: put all edits into one call.');
}

async function runOne(segment: Segment, turn: number, call: CallState): Promise<Finished> {
  return finish(segment, turn, call, async () => {
    refuseDenied(call);
    refuseOverLimit(segment, call);
    const { tool, input } = segment.toolbox.resolve(allowed(call));
    // Edits are held to the caller's role where they are applied; what came of them is told to whomever.
    if ('proposes' in tool) {
      await forgetApplied(segment, call);
      return outcomeOfReview(call);
    }
    // What was begun is finished, or found out about.
    if (!call.intent) await segment.callers.demandFor(segment.run, tool);
    if (tool.asks) return { answer: call.answer };
    if ('act' in tool) return actOnce(segment, turn, call, tool, input);
    if (tool.effect) return performOnce(segment, turn, call, tool, input);
    if ('look' in tool) {
      const { org_id, workspace_id } = segment.run;
      const resultOf = (callId: string) => resultOfCall(segment.log.state, callId);
      const outputOf = (callId: string) => outputOfCall(segment.run._id, callId);
      return tool.look(input, {
        ...{ agent: segment.agent, org_id, workspace_id, signal: segment.signal },
        ...{ resultOf, outputOf, meaningOf: (query) => meaningOf(segment.embedder, query, segment.signal) },
      });
    }
    return tool.run(input, await needNotebook(segment.tools));
  });
}

function resultOfCall(state: RunState, callId: string): string | null {
  const call = state.turns.flatMap((turn) => turn.calls).find(({ call }) => call.tool_call_id === callId);
  return call?.finished ? resultText(call) : null;
}

const isEffect = (segment: Segment, call: CallState): boolean =>
  segment.rules.tool(call.call.name, allowed(call).arguments)?.effect === true;

/** What cannot be kept has not happened to the files: the call has failed, and they are as they were before it. */
async function withFiles(segment: Segment, turn: number, call: CallState, result: Finished): Promise<Fact[]> {
  try {
    return [result, ...(await keepFiles(segment))];
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const failed = await failCall(segment, turn, call, error);
    return [{ ...failed, started_at: result.started_at, duration_ms: result.duration_ms }];
  }
}

/** Independent reads go side by side and are appended together; effects go one by one, in the order they were asked for. */
export async function runTools(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const { log } = segment;
  const reads = calls.filter((call) => !isEffect(segment, call));
  if (reads.length > 0) {
    // The answer that asked for them may still be on its way to the log: only an effect must wait for it.
    const stored = log.flush();
    const [results] = await Promise.all([Promise.all(reads.map((call) => runOne(segment, turn, call))), stored]);
    // Where its files are gone, what it found is no result.
    if (results.some(({ ok }) => !ok)) await segment.checkout?.demandThere();
    log.stage(results);
    // The run ends there: what was asked for beside it is not begun any more.
    if (results.some(({ error }) => endsRun(error))) return;
  }
  for (const call of calls.filter((call) => isEffect(segment, call))) {
    if (segment.signal.aborted) return;
    await log.flush();
    const result = await runOne(segment, turn, call);
    // In a checkout also what failed may have changed something: a command, say.
    const mayHaveChanged = result.ok || (segment.checkout && result.was_allowed);
    const facts = mayHaveChanged ? await withFiles(segment, turn, call, result) : [result];
    log.stage(facts);
    await log.flush();
    // Taken away with what was too large: only who begins anew has them again.
    if (facts[0] !== result) await segment.checkout?.demandThere();
  }
}
