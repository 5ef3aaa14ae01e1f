import { contextMessage } from './context-row.ts';
import { isProposal } from './edits/job-rules.ts';
import { foldReview, openReview, refusedReview } from './edits/review-state.ts';
import type { Fact } from './facts.ts';
import { beginStep, CALLING, endStep, takeOverFlow } from './flow-state.ts';
import type { Entry } from './log-entry.ts';
import { isOlder } from './log-entry.ts';
import type { ToolCall } from './model.ts';
import { awaitsPerson } from './open-calls.ts';
import { type CallState, currentTurn, newCall, newTurn, type RunState, type Turn } from './run-state.ts';
import { addSpent } from './spending.ts';
import { eventCount, stepCount } from './trace.ts';

function turnOf(state: RunState, number: number): Turn {
  const found = state.turns[number - 1];
  if (found) return found;
  const turn = newTurn(number);
  state.turns.push(turn);
  return turn;
}

function callOf(state: RunState, turn: number, callId: string): CallState {
  const found = turnOf(state, turn).calls.find((call) => call.call.tool_call_id === callId);
  if (!found) throw new Error(`the log names call ${callId} of turn ${turn}, which no answer holds`);
  return found;
}

/** Messages join at the next turn that has not been answered yet. */
const nextTurn = (state: RunState): number => {
  const last = currentTurn(state);
  return last === undefined ? 1 : last.started > 0 ? last.turn + 1 : last.turn;
};

function addCalls(state: RunState, turn: Turn, calls: ToolCall[]): void {
  const added = calls.map(newCall);
  turn.calls.push(...added);
  state.proposals.push(...added.filter(isProposal));
}

function takeOver(state: RunState, session: NonNullable<Extract<Fact, { kind: 'inherited' }>['session']>): void {
  state.opening = { input: session.opening };
  state.confirmed_tools = session.confirmed_tools;
  state.allowed_tools = session.allowed_tools;
}

function answer(state: RunState, fact: Extract<Fact, { kind: 'answered' }>): void {
  const turn = turnOf(state, fact.turn);
  turn.answered = true;
  turn.model = fact.model;
  turn.text = fact.text;
  turn.usage = fact.usage;
  turn.cut = fact.cut === true;
  turn.sums_up = fact.purpose === 'compact' ? (fact.upto ?? 0) : null;
  addCalls(state, turn, fact.tool_calls);
  state.usage = {
    input: state.usage.input + fact.usage.input,
    output: state.usage.output + fact.usage.output,
    cached: state.usage.cached + fact.usage.cached,
  };
  state.cost_micros += fact.cost_micros ?? 0;
  if (fact.cost_micros === null) state.priced = false;
}

/** What does a step of a workflow is a call like any other, except that no model has asked for it. */
const callOfStep = ({ call_id, name, input }: Extract<Fact, { kind: 'step_begun' }>): ToolCall => ({
  tool_call_id: call_id,
  name,
  arguments: typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : { input },
});

function apply(state: RunState, fact: Fact, at: string): void {
  switch (fact.kind) {
    case 'queued':
      state.queued_at = fact.at;
      return;
    case 'inherited': {
      const { from, relation, step, spent } = fact;
      state.inherited = { from, relation, step, spent, turns: fact.turns.length };
      state.turns = structuredClone(fact.turns);
      state.injected = structuredClone(fact.injected);
      if (fact.session) takeOver(state, fact.session);
      if (fact.flow) takeOverFlow(state.flow, fact.flow);
      return;
    }
    case 'context_read':
      state.context_rows += 1;
      state.injected.push({ before_turn: fact.turn, content: contextMessage(fact), by: null, is_context: true });
      return;
    case 'started':
      state.started_at = at;
      // Its own time begins now, and so does that which people take of it.
      state.waited_ms = 0;
      if (state.waiting_since !== null) state.waiting_since = at;
      return;
    case 'provider_selected':
      state.selected = fact.choice;
      return;
    case 'call_started': {
      const turn = turnOf(state, fact.turn);
      turn.started = fact.try;
      turn.reserves[fact.try - 1] = fact.reserved ?? { tokens: 0, micros: 0 };
      turn.bytes = fact.bytes ?? 0;
      turn.purpose = fact.purpose ?? null;
      turn.model = fact.model;
      state.rate_limited_until = null;
      // What came in while an earlier try was under way is in the request of this one.
      for (const message of state.injected) message.before_turn = Math.min(message.before_turn, fact.turn);
      return;
    }
    case 'call_failed': {
      const turn = turnOf(state, fact.turn);
      turn.failures.push(fact);
      turn.last_failure_at = at;
      return;
    }
    case 'answered':
      answer(state, fact);
      return;
    case 'output_rejected':
      state.rejections += 1;
      state.injected.push({ before_turn: fact.turn, content: fact.message, by: null });
      return;
    case 'rate_limited':
      state.rate_limited_until = fact.until;
      return;
    case 'budget_denied':
      state.denied = fact;
      return;
    case 'delegated':
      callOf(state, fact.turn, fact.call_id).child = fact;
      return;
    case 'delegation_finished':
      callOf(state, fact.turn, fact.call_id).finished = fact;
      state.below = addSpent(state.below, fact.spent);
      state.bubbled = state.bubbled.filter(({ child_run_id }) => child_run_id !== fact.child_run_id);
      return;
    case 'action_pending': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.action = fact;
      // Whoever changes it does not send it to the end of what waits.
      if (!call.revised) call.asked_at = at;
      call.shown_at = at;
      delete call.revised;
      return;
    }
    case 'action_revised':
      callOf(state, fact.turn, fact.call_id).revised = fact;
      return;
    case 'action_decided': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.decision = fact;
      if (fact.for_session && call.action)
        state.allowed_tools = [...new Set([...state.allowed_tools, call.action.tool])];
      return;
    }
    case 'question_asked': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.question = fact;
      call.asked_at = at;
      return;
    }
    case 'question_answered':
      callOf(state, fact.turn, fact.call_id).answer = fact.answer;
      return;
    case 'edits_proposed':
      callOf(state, fact.turn, fact.call_id).review = openReview(fact, at);
      return;
    case 'review_updated':
    case 'apply_requested':
    case 'checkpoint_created':
    case 'conflict_detected':
    case 'apply_failed':
    case 'edits_applied':
    case 'rerun_requested': {
      const call = callOf(state, fact.turn, fact.call_id);
      if (fact.kind === 'conflict_detected') call.review ??= refusedReview(fact, at);
      if (call.review) foldReview(call.review, fact);
      if (fact.kind === 'checkpoint_created') state.checkpoint = fact.checkpoint_id;
      return;
    }
    case 'child_asked': {
      const { child_run_id, agent_name, asked } = fact;
      const before = state.bubbled.find((known) => known.asked.id === asked.id);
      const now = { child_run_id, agent_name, asked, asked_at: before?.asked_at ?? at, shown_at: at };
      // Asked again, it is no longer what it was.
      state.bubbled = before ? state.bubbled.map((known) => (known === before ? now : known)) : [...state.bubbled, now];
      return;
    }
    case 'child_answered':
      state.bubbled = state.bubbled.filter(({ asked }) => asked.id !== fact.id);
      return;
    case 'files_kept':
      state.files = fact.snapshot;
      return;
    case 'checkout_ready':
      state.checkout = fact;
      return;
    case 'tool_started': {
      const call = callOf(state, fact.turn, fact.call_id);
      call.intent = fact.intent;
      if (fact.epoch !== undefined) call.epoch = fact.epoch;
      call.starts += 1;
      return;
    }
    case 'tool_finished':
      callOf(state, fact.turn, fact.call_id).finished = fact;
      return;
    case 'message_received':
      state.injected.push({ before_turn: nextTurn(state), content: fact.content, by: fact.by });
      return;
    case 'budget_warned':
      state.warned_at_turn = fact.turn;
      state.injected.push({ before_turn: fact.turn, content: fact.message, by: null });
      return;
    case 'step_begun':
      beginStep(state.flow, fact, at);
      if (CALLING.has(fact.type)) addCalls(state, turnOf(state, fact.turn), [callOfStep(fact)]);
      return;
    case 'step_ended': {
      endStep(state.flow, fact, at);
      const call = state.turns[fact.turn - 1]?.calls.find(({ call }) => call.tool_call_id === fact.call_id);
      if (call) call.finished ??= { ok: fact.status === 'completed', result: fact.output, error: fact.error };
      return;
    }
    case 'paused':
      state.paused = true;
      return;
    case 'unpaused':
      state.paused = false;
      return;
    case 'cancel_requested':
      state.cancel_requested = true;
      return;
    case 'ended':
      state.ended = { status: fact.status, output: fact.output, error: fact.error, at };
      return;
  }
}

/** The clock of people's time runs from when one is asked to when nobody is. */
function clockWaiting(state: RunState, at: string): void {
  const waits = awaitsPerson(state) && !state.ended;
  if (waits && state.waiting_since === null) state.waiting_since = at;
  if (waits || state.waiting_since === null) return;
  state.waited_ms += Math.max(0, Date.parse(at) - Date.parse(state.waiting_since));
  state.waiting_since = null;
}

/** Folds one entry into the state, in place: logs are long, and a state has one owner. */
export function fold(state: RunState, entry: Entry): void {
  if (entry.n !== state.n + 1) throw new Error(`the log jumps from slot ${state.n} to ${entry.n}`);
  for (const fact of entry.facts) apply(state, fact, entry.at);
  clockWaiting(state, entry.at);
  state.n = entry.n;
  state.next_step = entry.first_step + entry.facts.reduce((sum, fact) => sum + stepCount(fact), 0);
  state.next_cursor = entry.first_cursor + entry.facts.reduce((sum, fact) => sum + eventCount(fact), 0);
  if (entry.token && (state.token === null || isOlder(state.token, entry.token))) state.token = entry.token;
}
