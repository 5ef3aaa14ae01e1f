import type { GenerateContentResponse, Part } from '@google/genai';
import type { StepRequest } from '../../domain/model.ts';
import type { Answer } from './answer.ts';
import { FINAL_ANSWER } from './gemini-request.ts';
import { signed } from './signatures.ts';

const FILTERED = new Set([
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'],
]);

function addPart(answer: Answer, part: Part, model: string): void {
  if (part.functionCall) {
    const { id, name, args } = part.functionCall;
    const call = answer.openCall(answer.calls.length, id ?? '', name ?? '');
    call.arguments = args === undefined ? '' : JSON.stringify(args);
    if (part.thoughtSignature) call.signature = signed(model, part.thoughtSignature);
    return;
  }
  if (part.text && !part.thought) answer.addText(part.text);
}

export function addResponse(answer: Answer, response: GenerateContentResponse, request: StepRequest): void {
  const { usageMetadata: usage, candidates, promptFeedback } = response;
  if (usage && Number.isFinite(usage.promptTokenCount)) {
    answer.usage = {
      input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      cached: usage.cachedContentTokenCount ?? 0,
    };
  }
  if (response.modelVersion) answer.model = response.modelVersion;
  if (promptFeedback?.blockReason) answer.finish = 'content_filter';
  if (!candidates && !usage && !promptFeedback) throw answer.malformed('a piece of an answer that has no candidates');
  const candidate = candidates?.[0];
  for (const part of candidate?.content?.parts ?? []) addPart(answer, part, request.model);
  if (!candidate?.finishReason) return;
  if (candidate.finishReason === 'MAX_TOKENS') answer.finish = 'length';
  else answer.finish = FILTERED.has(candidate.finishReason) ? 'content_filter' : 'stop';
}

/** Puts a result that was given through the tool where the text of an answer is. */
export function unwrapFinalAnswer(answer: Answer, schema: Record<string, unknown>, onDelta: (text: string) => void) {
  const at = answer.calls.findIndex((call) => call.name === FINAL_ANSWER);
  if (at < 0) return;
  const [call] = answer.calls.splice(at, 1);
  // With other calls beside it, it was given too early: their results may change it.
  if (!call || answer.calls.length > 0) return;
  const given: unknown = JSON.parse(call.arguments || '{}');
  const isWrapped = schema.type !== 'object' && typeof given === 'object' && given !== null && 'output' in given;
  answer.text = JSON.stringify(isWrapped ? given.output : given);
  onDelta(answer.text);
}
