import { createHash } from 'node:crypto';
import { asksAlways } from '../../domain/confirmation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { CallState } from '../../domain/run-state.ts';
import type { Segment } from '../segment.ts';
import type { Preview, Tool } from '../tools/contract.ts';
import { failCall, targetOf } from './call-outcome.ts';
import { needNotebook, outsideContext } from './effect-once.ts';
import { proposeEdits } from './propose-edits.ts';

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
): Fact {
  const { tool_call_id: call_id, arguments: args } = call.call;
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
  };
}

async function askFor(segment: Segment, turn: number, call: CallState): Promise<Fact> {
  const call_id = call.call.tool_call_id;
  // Another run does it: what it is given is all there is to show.
  if (segment.rules.tool(call.call.name)?.delegates) {
    const preview = JSON.stringify(call.call.arguments, null, 2);
    return pendingAction(segment, turn, call, call.call.name, { path: null, preview, base_hash: null });
  }
  const { tool, input } = segment.toolbox.resolve(call.call);
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

/** Puts questions and actions before a person. What could not be done anyway is answered at once, and never runs. */
export async function askPeople(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const facts = calls.map((call) =>
    askFor(segment, turn, call).catch((error: unknown) => failCall(segment, turn, call, error)),
  );
  segment.log.stage(await Promise.all(facts));
  await segment.log.flush();
}
