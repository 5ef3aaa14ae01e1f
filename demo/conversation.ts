import { failureHint, isFailureCode } from '../domain/failures.ts';
import { isRecord } from '../domain/json-value.ts';
import type { ModelMessage, ToolSchema } from '../domain/model.ts';
import { withoutMarks } from '../domain/tool-content.ts';

/** A tool call the demo model made earlier, with what came back. */
export interface Done {
  name: string;
  arguments: Record<string, unknown>;
  ok: boolean;
  text: string;
  value: unknown;
  /** What went wrong, in the words of the tool. */
  error: string | null;
  code: string | null;
}

export interface Conversation {
  tools: ToolSchema[];
  /** User messages, oldest first, each with the calls made after it and whether it was answered in full. */
  requests: { text: string; done: Done[]; answered: boolean }[];
  /** Calls of the demo model so far, over all requests. */
  turns: number;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function errorOf(value: unknown): { error: string; code: string | null } | null {
  if (!isRecord(value) || !value.error) return null;
  const { error } = value;
  const nested = isRecord(error) ? error : { message: error, code: value.code };
  const code =
    typeof nested.code === 'string' ? nested.code : value.scope_violation === true ? 'scope_violation' : null;
  // The hint tells a model what to do next; people want to know what happened.
  const hint = code !== null && isFailureCode(code) ? failureHint(code) : '';
  return {
    error: String(nested.message ?? 'no reason given')
      .replace(hint, '')
      .trim(),
    code,
  };
}

export function readConversation(messages: ModelMessage[], tools: ToolSchema[]): Conversation {
  const requests: Conversation['requests'] = [];
  const open = new Map<string, Pick<Done, 'name' | 'arguments'>>();
  let turns = 0;
  for (const message of messages) {
    const current = requests.at(-1);
    if (message.role === 'user') requests.push({ text: message.content, done: [], answered: false });
    if (message.role === 'assistant') {
      turns += 1;
      for (const call of message.tool_calls) open.set(call.tool_call_id, call);
      if (message.tool_calls.length === 0 && current) current.answered = true;
    }
    if (message.role === 'tool' && current) {
      const call = open.get(message.tool_call_id) ?? { name: message.name, arguments: {} };
      const text = withoutMarks(message.content);
      const value = parse(text);
      const failure = errorOf(value);
      current.done.push({
        name: call.name,
        arguments: call.arguments,
        ok: failure === null,
        text,
        value,
        error: failure?.error ?? null,
        code: failure?.code ?? null,
      });
    }
  }
  return { tools, requests, turns };
}
