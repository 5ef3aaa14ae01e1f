import type { ModelCapabilities, StepRequest, StepResult } from '../../domain/model.ts';
import { Answer } from './answer.ts';
import type { ModelProvider, OwnClient, StepOptions } from './contract.ts';
import { addResponse, unwrapFinalAnswer } from './gemini-answer.ts';
import { asksThroughTool, wireRequest } from './gemini-request.ts';
import { fetchPublicOnly } from './http-fetch.ts';
import { holdCall } from './one-call.ts';
import { retryAfterMs, type Told } from './provider-failures.ts';

interface GeminiSettings {
  apiKey: string;
  baseURL: string | undefined;
  capabilities: ModelCapabilities;
  own?: OwnClient | null;
}

interface Refusal {
  message: string;
  reason: string;
  retry_after_ms: number | undefined;
}

/** The SDK hands the body of an error over as the text of its message. */
function readRefusal(text: string): Refusal {
  const said = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const reasons = [...text.matchAll(/"(?:status|reason)":\s*"(\w+)"/g)].map(([, reason]) => reason);
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(text)?.[1];
  return {
    message: said === undefined ? text : String(JSON.parse(`"${said}"`)),
    reason: reasons.join(' '),
    retry_after_ms: delay === undefined ? undefined : Math.round(Number(delay) * 1000),
  };
}

type Sdk = typeof import('@google/genai');

export const geminiTeller =
  ({ ApiError }: Sdk) =>
  (error: unknown, headers: Headers | undefined): Told | null => {
    if (error instanceof ApiError) {
      const { message, reason, retry_after_ms } = readRefusal(error.message);
      // An error inside a stream that began well has the status of its body, and no headers of its own.
      return {
        is: 'refused',
        status: error.status,
        reason,
        message: `${error.status} ${message}`,
        retry_after_ms: retryAfterMs(headers, Date.now()) ?? retry_after_ms,
      };
    }
    if (!(error instanceof Error)) return null;
    if (error.message.startsWith('Incomplete JSON segment')) return { is: 'broken_off', error };
    return headers === undefined && 'code' in error ? { is: 'unreachable', error } : null;
  };

export function createGeminiProvider({ apiKey, baseURL, capabilities, own }: GeminiSettings): ModelProvider {
  const name = 'gemini';

  async function streamStep(request: StepRequest, options: StepOptions): Promise<StepResult> {
    // Large, and most workers never call Gemini: read when the first call is made.
    const sdk = await import('@google/genai');
    const throughTool = asksThroughTool(request);
    const answer = new Answer(name, options.onDelta);
    await holdCall({
      answer,
      secrets: [apiKey],
      options,
      tell: geminiTeller(sdk),
      hold: async ({ signal, fetch }) => {
        // Without retry options the SDK makes one attempt, and without a time-out it waits.
        const guarded = own?.publicOnly ? fetchPublicOnly(fetch) : fetch;
        const httpOptions = { fetch: guarded, ...(baseURL === undefined ? {} : { baseUrl: baseURL }) };
        const client = new sdk.GoogleGenAI({ apiKey, vertexai: false, httpOptions });
        const { config, ...wire } = wireRequest(request);
        const stream = await client.models.generateContentStream({
          ...wire,
          config: { ...config, abortSignal: signal },
        });
        for await (const response of stream) addResponse(answer, response, request);
      },
    });
    if (throughTool && request.output_schema) {
      unwrapFinalAnswer(answer, request.output_schema, options.onDelta ?? (() => {}));
    }
    return answer.result(request);
  }

  return { name, capabilities, streamStep };
}
