import type {
  MessageDeltaUsage,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawMessageStreamEvent,
  RedactedThinkingBlockParam,
  StopReason,
  ThinkingBlockParam,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import type { Answer, Finish } from './answer.ts';
import { signed } from './signatures.ts';

const FINISHES: Partial<Record<StopReason, Finish>> = {
  max_tokens: 'length',
  refusal: 'content_filter',
  model_context_window_exceeded: 'context_overflow',
};

/** The input comes with the first event, or with the last from gateways; what is not said again stays as it was. */
function count(answer: Answer, usage: Usage | MessageDeltaUsage | null | undefined): void {
  if (!usage || !Number.isFinite(usage.output_tokens)) return;
  const before = answer.usage;
  const cached = usage.cache_read_input_tokens ?? before?.cached ?? 0;
  const cache_write = usage.cache_creation_input_tokens ?? before?.cache_write ?? 0;
  const fresh = usage.input_tokens ?? (before ? before.input - before.cached - (before.cache_write ?? 0) : 0);
  answer.usage = { input: fresh + cached + cache_write, output: usage.output_tokens, cached, cache_write };
}

/**
 * Puts the events of an answer into it. What the model thought before a call goes with the call. Events of types that
 * are not known here are passed over, as the API asks of its clients.
 */
export function eventReader(answer: Answer, model: string): (event: RawMessageStreamEvent) => void {
  let thoughts: (ThinkingBlockParam | RedactedThinkingBlockParam)[] = [];

  function begin({ index, content_block: block }: RawContentBlockStartEvent): void {
    if (block.type === 'thinking') thoughts.push({ type: 'thinking', thinking: block.thinking, signature: '' });
    if (block.type === 'redacted_thinking') thoughts.push({ type: 'redacted_thinking', data: block.data });
    if (block.type === 'text' && block.text) answer.addText(block.text);
    if (block.type !== 'tool_use') return;
    const call = answer.openCall(index, block.id, block.name);
    if (thoughts.length > 0) call.signature = signed(model, JSON.stringify(thoughts));
    thoughts = [];
  }

  function goOn({ index, delta }: RawContentBlockDeltaEvent): void {
    const thought = thoughts.at(-1);
    if (delta.type === 'text_delta') answer.addText(delta.text);
    if (delta.type === 'thinking_delta' && thought?.type === 'thinking') thought.thinking += delta.thinking;
    if (delta.type === 'signature_delta' && thought?.type === 'thinking') thought.signature += delta.signature;
    if (delta.type !== 'input_json_delta') return;
    const call = answer.calls.findLast((open) => open.index === index);
    if (!call) throw answer.malformed('arguments of a tool call that was never begun');
    call.arguments += delta.partial_json;
  }

  return (event) => {
    if (typeof event?.type !== 'string') throw answer.malformed('an event that is no part of an answer');
    if (event.type === 'content_block_start') begin(event);
    if (event.type === 'content_block_delta') goOn(event);
    if (event.type === 'message_start') {
      answer.model = event.message.model;
      count(answer, event.message.usage);
    }
    if (event.type === 'message_delta') {
      if (event.delta.stop_reason) answer.finish = FINISHES[event.delta.stop_reason] ?? 'stop';
      count(answer, event.usage);
    }
  };
}
