import { createHash } from 'node:crypto';
import { asksAlways } from '../../domain/confirmation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { CallState } from '../../domain/run-state.ts';
import type { Segment } from '../segment.ts';
import { resolveCall } from '../tools/index.ts';
import { failCall, needNotebook, targetOf } from './run-tools.ts';

/** What an approval is bound to: anything else in its place makes it void. */
const digestOf = (parts: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;

/** Some servers pack kilobytes into the id of a call; the ids that people answer with, and histories hold, stay short. */
const shortOf = (callId: string): string =>
  callId.length <= 64 ? callId : createHash('sha256').update(callId).digest('hex').slice(0, 32);

/** Below a root and in a session ids name their run: one place shows those of many. */
const idOf = ({ run }: Segment, kind: 'q' | 'act', turn: number, callId: string): string =>
  `${kind}_${run.line.length > 1 || run.conversation_id ? `${run._id}_` : ''}${turn}_${shortOf(callId)}`;

async function askFor(segment: Segment, turn: number, call: CallState): Promise<Fact> {
  const call_id = call.call.tool_call_id;
  const { tool, input } = resolveCall(segment.agent, segment.tools !== null, call.call);
  if (tool.asks) {
    return {
      kind: 'question_asked',
      turn,
      call_id,
      question_id: idOf(segment, 'q', turn, call_id),
      question: tool.question(input),
    };
  }
  // What changes nothing is asked about only where the policy wants it: its arguments are all there is to show.
  const { path, preview, base_hash } = tool.effect
    ? await tool.preview(input, await needNotebook(segment.tools))
    : { path: targetOf(call), preview: JSON.stringify(input, null, 2), base_hash: null };
  const shown = { tool: tool.name, arguments: call.call.arguments, preview, policy: segment.agent.version };
  return {
    kind: 'action_pending',
    turn,
    call_id,
    action_id: idOf(segment, 'act', turn, call_id),
    tool: tool.name,
    arguments: call.call.arguments,
    path,
    preview,
    digest: digestOf(shown),
    base_hash,
    ...(asksAlways(segment.agent.confirmation, tool.name) ? { always: true as const } : {}),
  };
}

/** Puts questions and actions before a person. What could not be done anyway is answered at once, and never runs. */
export async function askPeople(segment: Segment, turn: number, calls: CallState[]): Promise<void> {
  const facts = calls.map((call) => askFor(segment, turn, call).catch((error: unknown) => failCall(turn, call, error)));
  segment.log.stage(await Promise.all(facts));
  await segment.log.flush();
}
