import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Answer, Finish } from './answer.ts';

const FINISHES: Record<string, Finish> = { length: 'length', content_filter: 'content_filter' };

function addPart(answer: Answer, part: ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const index = part.index ?? 0;
  const open = answer.calls.findLast((call) => call.index === index);
  // Some servers number all parallel calls 0; a new id with a name is a new call whatever its number.
  const isNew = !open || (part.id && open.id && part.id !== open.id && part.function?.name);
  const call = isNew ? answer.openCall(index) : open;
  if (part.id) call.id = part.id;
  if (part.function?.name) call.name = part.function.name;
  call.arguments += part.function?.arguments ?? '';
}

export function addChunk(answer: Answer, chunk: ChatCompletionChunk): void {
  const usage = chunk?.usage;
  if (usage && Number.isFinite(usage.prompt_tokens)) {
    answer.usage = {
      input: usage.prompt_tokens,
      output: usage.completion_tokens ?? 0,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    };
  }
  if (!Array.isArray(chunk?.choices)) {
    if (usage) return;
    throw answer.malformed('a piece of an answer that has no choices');
  }
  if (chunk.model) answer.model = chunk.model;
  const choice = chunk.choices[0];
  if (!choice) return;
  const text = choice.delta?.content || choice.delta?.refusal;
  if (text) answer.addText(text);
  for (const part of choice.delta?.tool_calls ?? []) addPart(answer, part);
  if (choice.finish_reason) answer.finish = FINISHES[choice.finish_reason] ?? 'stop';
}
