import { createHash } from 'node:crypto';
import { asksAlways } from '../../domain/confirmation.ts';
import type { Fact } from '../../domain/facts.ts';
import { Failure } from '../../domain/failures.ts';
import type { CallState } from '../../domain/run-state.ts';
import { losesAttempt } from '../lost-attempt.ts';
import type { Segment } from '../segment.ts';
import type { Preview, Tool } from '../tools/contract.ts';
import { allowed, failCall, targetOf, told } from './call-outcome.ts';
import { needNotebook, outsideContext } from './effect-once.ts';
import { proposeEdits } from './propose-edits.ts';

type ActionPending = Extract<Fact, { kind: 'action_pending' }>;
type ActionRevised = Extract<Fact, { kind: 'action_revised' }>;

/** What an approval is bound to: anything else in its place makes it void. */
const digestOf = (parts: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;

/** Some servers pack kilobytes into the id of a call; the ids that people answer with, and histories hold, stay short. */
const shortOf = (callId: string): string =>
  callId.length <= 64 ? callId : createHash('sha256').update(callId).digest('hex').slice(0, 32);

/** Below a root and in a session ids name their run: one place shows those of many. */
const idOf = ({ run }: Segment, kind: 'q' | 'act' | 'rev', turn: number, callId: string): string =>
  `${kind}_${run.line.length > 1 || run.conversation_id ? `${run._id}_` : ''}${turn}_${shortOf(callId)}`;

async function shownOf(
  segment: Segment,
  turn: number,
  call: CallState,
  tool: Exclude<Tool, { asks: true }>,
  input: unknown,
): Promise<Preview> {
  if ('act' in tool) return tool.preview(input, outsideContext(segment, turn, call));
  if (tool.effect) return tool.preview(input, await needNotebook(segment.tools));
  // What changes nothing is asked about only where the policy wants it: its arguments are all there is to show.
  return { path: targetOf(call), preview: JSON.stringify(input, null, 2), base_hash: null };
}

/** What an action is bound to, and asked about under a name of its own. */
export function pendingAction(
  segment: Segment,
  turn: number,
  call: CallState,
  tool: string,
  { path, preview, base_hash }: Preview,
): ActionPending {
  const { tool_call_id: call_id, arguments: args } = allowed(call);
  return {
    kind: 'action_pending',
    turn,
    call_id,
    action_id: idOf(segment, 'act', turn, call_id),
    tool,
    arguments: args,
    path,
    preview,
    digest: digestOf({ tool, arguments: args, preview, policy: segment.agent.version }),
    base_hash,
    ...(asksAlways(segment.agent.confirmation, tool) ? { always: true as const } : {}),
    ...(call.revised ? { revised: true as const } : {}),
  };
}

async function askFor(segment: Segment, turn: number, call: CallState): Promise<Fact> {
  const call_id = call.call.tool_call_id;
  // Another run does it: what it is given is all there is to show.
  if (segment.rules.tool(call.call.name)?.delegates) {
    const preview = JSON.stringify(allowed(call).arguments, null, 2);
    return pendingAction(segment, turn, call, call.call.name, { path: null, preview, base_hash: null });
  }
  const { tool, input } = segment.toolbox.resolve(allowed(call));
  await segment.callers.demandFor(segment.run, tool);
  if ('proposes' in tool) return proposeEdits(segment, turn, call, input, idOf(segment, 'rev', turn, call_id));
  if (tool.asks) {
    return {
      kind: 'question_asked',
      turn,
      call_id,
      question_id: idOf(segment, 'q', turn, call_id),
      question: tool.question(input),
    };
  }
  return pendingAction(segment, turn, call, tool.name, await shownOf(segment, turn, call, tool, input));
}

type Ask = (call: CallState) => Promise<Fact>;

/** Whoever allows it with other arguments has seen it as it was: where that is no longer so, they do not know enough. */
async function demandAsShown({ revised: _, ...call }: CallState, shown: ActionPending, ask: Ask): Promise<void> {
  const before = { ...call, call: { ...call.call, arguments: shown.arguments } };
  const now = await ask(before).catch((error: unknown) => {
    if (losesAttempt(error)) throw error;
    return null;
  });
  if (now?.kind === 'action_pending' && now.digest === shown.digest && now.base_hash === shown.base_hash) return;
  throw new Failure('file_changed', 'What was shown has changed since; with other arguments it was not shown at all.');
}

const decidedBy = ({ turn, call_id, action_id, by, ...revised }: ActionRevised, reason: string | null): Fact => ({
  ...{ kind: 'action_decided', turn, call_id, action_id, confirmed: true, reason, arguments: revised.arguments, by },
  ...(revised.allowed?.for_session ? { for_session: true } : {}),
});

/** What could not be done anyway is answered at once, and never runs. */
export async function asking(segment: Segment, turn: number, call: CallState, ask: Ask): Promise<Fact[]> {
  const { action, revised } = call;
  const allowance = revised?.allowed;
  try {
    if (!allowance) return [await ask(call)];
    if (action) await demandAsShown(call, action, ask);
    return [await ask(call), decidedBy(revised, allowance.reason)];
  } catch (error) {
    if (!action || allowance || losesAttempt(error)) return [await failCall(segment, turn, call, error)];
    // A slip of whoever wanted to see it is not the model's: it waits as it did.
    return [{ ...action, problem: told(error).message }];
  }
}

/** Puts questions and actions before a person. */
export async function askPeople(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const facts = calls.map((call) => asking(segment, turn, call, (one) => askFor(segment, turn, one)));
  segment.log.stage((await Promise.all(facts)).flat());
  await segment.log.flush();
}
