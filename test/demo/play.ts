import type { ModelMessage, StepResult, ToolCall, ToolSchema } from '../../domain/model.ts';

/** What came of a conversation: everything the model said and called, and the last thing it said. */
export interface Played {
  turns: { text: string; calls: { name: string; arguments: Record<string, unknown> }[] }[];
  messages: ModelMessage[];
  final: string;
}

export type NextStep = (
  messages: ModelMessage[],
  tools: ToolSchema[],
) =>
  | Promise<Pick<StepResult, 'assistant_message' | 'tool_calls'>>
  | Pick<StepResult, 'assistant_message' | 'tool_calls'>;

const MOST_TURNS = 60;

/** The loop of a run without its durability: the model answers, tools do, until the model calls no more tools. */
export async function play(
  instruction: string,
  tools: ToolSchema[],
  next: NextStep,
  act: (call: ToolCall) => Promise<unknown> | unknown,
  steer: Record<number, string> = {},
): Promise<Played> {
  const messages: ModelMessage[] = [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: instruction },
  ];
  const turns: Played['turns'] = [];
  for (;;) {
    const message = steer[turns.length];
    if (message) messages.push({ role: 'user', content: message });
    const { assistant_message, tool_calls } = await next(messages, tools);
    messages.push({ role: 'assistant', content: assistant_message, tool_calls });
    turns.push({
      text: assistant_message,
      calls: tool_calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    });
    if (tool_calls.length === 0) return { turns, messages, final: assistant_message };
    if (turns.length >= MOST_TURNS) throw new Error(`no end after ${MOST_TURNS} turns: ${assistant_message}`);
    for (const call of tool_calls) {
      const result = await act(call);
      const content = typeof result === 'string' ? result : JSON.stringify(result);
      messages.push({ role: 'tool', tool_call_id: call.tool_call_id, name: call.name, content });
    }
  }
}
