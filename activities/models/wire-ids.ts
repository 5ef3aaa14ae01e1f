import type { ModelMessage } from '../../domain/model.ts';

/**
 * The conversation with tool call ids that the provider takes. A run may have begun with another provider, whose ids
 * are longer or have other characters, and some servers begin counting anew with every answer. Made from the
 * conversation alone, so that its beginning is the same every time and stays in the provider's cache.
 */
export function withWireIds(messages: readonly ModelMessage[], accepted: RegExp): ModelMessage[] {
  const taken = new Set<string>();
  let wireIds = new Map<string, string>();
  let turn = 0;
  return messages.map((message) => {
    if (message.role === 'tool') {
      const tool_call_id = wireIds.get(message.tool_call_id);
      return tool_call_id === undefined ? message : { ...message, tool_call_id };
    }
    if (message.role !== 'assistant' || message.tool_calls.length === 0) return message;
    turn += 1;
    wireIds = new Map();
    const tool_calls = message.tool_calls.map((call, position) => {
      let id = call.tool_call_id;
      if (!accepted.test(id) || taken.has(id)) id = `call_${turn}_${position + 1}`;
      for (let copy = 2; taken.has(id); copy++) id = `call_${turn}_${position + 1}_${copy}`;
      taken.add(id);
      wireIds.set(call.tool_call_id, id);
      return { ...call, tool_call_id: id };
    });
    return { ...message, tool_calls };
  });
}
