import { type CallPlan, planCall } from '../../domain/budget.ts';
import { SUM_UP } from '../../domain/compaction.ts';
import { conversation } from '../../domain/conversation.ts';
import { delegateSchema } from '../../domain/delegation.ts';
import type { ModelChoice } from '../../domain/hybrid.ts';
import { parseModel, type StepRequest, type Usage } from '../../domain/model.ts';
import { nextModel } from '../../domain/model-choice.ts';
import { asSchema } from '../../domain/output-schema.ts';
import { costMicros, demandPrice } from '../../domain/prices.ts';
import { inputBound, requestBytes } from '../../domain/request-size.ts';
import { workflowToolSchemas } from '../../domain/run-tool.ts';
import type { SegmentOutcome } from '../../domain/segment.ts';
import { mayBeBilled } from '../../domain/spending.ts';
import type { Move } from '../../domain/turn.ts';
import { type CallKey, reserve, settle } from '../../store/ledger.ts';
import { takeSlot } from '../../store/request-slots.ts';
import type { Segment } from '../segment.ts';

export type CallMove = Extract<Move, { do: 'call' }>;

/** Null where no price is known. */
export const priceOf = (model: string, usage: Usage): number | null => {
  try {
    return costMicros(model, usage);
  } catch {
    return null;
  }
};

function requestOf(segment: Segment, move: CallMove, model: string): Omit<StepRequest, 'max_tokens'> {
  const { agent, run, log } = segment;
  const messages = conversation(agent, run.input, log.state);
  // As the model will be told, though the log hears of it only together with the call.
  for (const fact of move.preface) {
    if ('message' in fact) messages.push({ role: 'user', content: fact.message });
  }
  const about = { model: parseModel(model).model };
  if (move.purpose === 'compact') {
    return { ...about, messages: [...messages, { role: 'user', content: SUM_UP }], tools: [] };
  }
  const tools = [...segment.toolbox.schemas, ...run.delegates.map(delegateSchema), ...workflowToolSchemas(run.tools)];
  const output = run.output_schema ? { output_schema: asSchema(run.output_schema) } : {};
  return { ...about, messages, tools, ...output };
}

/** Waits for its turn where the agent has made all the calls of this hour; shown, with when. */
export async function waitForTurn(segment: Segment, move: CallMove): Promise<SegmentOutcome | null> {
  const { agent, run, log } = segment;
  const limit = agent.max_requests_per_hour;
  if (limit === null) return null;
  const at = await takeSlot(agent.id, `${run._id}:${move.turn}:${move.try}`, limit, segment.rateWindowMs);
  const after_ms = at.getTime() - Date.now();
  if (after_ms <= 0) return null;
  const until = at.toISOString();
  if (log.state.rate_limited_until !== until) {
    log.stage([{ kind: 'rate_limited', turn: move.turn, until, limit }]);
    await log.flush();
  }
  return { next: 'retry', after_ms };
}

export interface Planned {
  choice: ModelChoice;
  request: StepRequest;
  plan: CallPlan;
  bytes: number;
}

/** What is sent, to whom, and what it may cost at most; null where the budget has no room for it. */
export async function planned(segment: Segment, move: CallMove): Promise<Planned | null> {
  const { agent, log, rules } = segment;
  const choice = nextModel(agent, log.state, move.preface, rules.edits);
  // Of a run below another one the limit may be that of the root, set when nobody knew who would be asked.
  if (rules.budget.max_micros !== null) demandPrice(choice.model);
  const draft = requestOf(segment, move, choice.model);
  const bytes = requestBytes(draft.messages, draft.tools);
  const price = (input: number, output: number) =>
    priceOf(choice.model, { input, output, cached: 0, cache_write: input }) ?? 0;
  const plan = planCall(log.state, rules.budget, {
    input: inputBound(log.state, bytes),
    max_output: agent.max_tokens_per_request,
    price,
  });
  const denied = 'denied' in plan ? plan.denied : await reserveInTree(segment, move, plan);
  if (denied || 'denied' in plan) {
    log.stage([{ kind: 'budget_denied', turn: move.turn, limit: denied ?? 'tokens' }]);
    await log.flush();
    return null;
  }
  return { choice, request: { ...draft, max_tokens: plan.max_tokens }, plan, bytes };
}

const keyOf = ({ run }: Segment, turn: number, attempt: number): CallKey => ({ line: run.line, turn, try: attempt });

const reserveInTree = async (segment: Segment, move: CallMove, { reserve: worst }: CallPlan) =>
  segment.shares ? reserve(keyOf(segment, move.turn, move.try), worst) : null;

/** After the outcome is in the log: should this be lost, the reservation stays, and nothing is spent that it does not cover. */
export async function settleInTree(segment: Segment, turn: number, attempt: number): Promise<void> {
  if (!segment.shares) return;
  const { state } = segment.log;
  const of = state.turns[turn - 1];
  const taken = of?.reserves[attempt - 1];
  if (!of || !taken) return;
  const failure = of.failures.find((failed) => failed.try === attempt);
  if (failure && mayBeBilled(failure.error)) return;
  const used = of.answered && !failure && of.usage ? of.usage : null;
  const micros = used ? (priceOf(of.model, used) ?? 0) : 0;
  await settle(keyOf(segment, turn, attempt), taken, {
    iterations: used ? 1 : 0,
    tokens: used ? used.input + used.output : 0,
    micros,
  });
}

/** For who comes after a crash between the outcome and its settling. */
export async function settleLastTurn(segment: Segment): Promise<void> {
  const turn = segment.log.state.turns.at(-1);
  if (!segment.shares || !turn) return;
  const known = turn.failures.map((failure) => failure.try);
  if (turn.answered) known.push(turn.started);
  for (const attempt of known) await settleInTree(segment, turn.turn, attempt);
}
