import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { decide } from './rules.ts';
import { structuredAnswer } from './structured-answer.ts';
import { chunks, completion, sse, type WireAnswer, wireError } from './wire.ts';
import { type ChatRequest, chatRequest, modelMessages, toolSchemas } from './wire-request.ts';

export const DEMO_MODEL = 'longhaul-demo';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** A long answer comes in bigger pieces, so that nobody waits for a delay a word. */
const MOST_PIECES = 150;

/** The demo model's tokens are words. */
const tokens = (text: string): number => text.match(/\S+/g)?.length ?? 0;

function piecesOf(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? [];
  const size = Math.max(1, Math.ceil(words.length / MOST_PIECES));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size).join(''),
  );
}

function answerTo(request: ChatRequest, created: number): WireAnswer {
  const messages = modelMessages(request);
  const move = decide(messages, toolSchemas(request));
  const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
  const schema = request.response_format?.json_schema?.schema;
  const whole = schema && move.calls.length === 0 ? JSON.stringify(structuredAnswer(schema, move.text)) : move.text;
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const words = whole.match(/\s*\S+\s*/g) ?? [];
  const isCut = words.length > limit && move.calls.length === 0;
  const text = isCut ? words.slice(0, limit).join('') : whole;
  const tool_calls = move.calls.map((call, index) => ({
    id: `call_${turn}_${index + 1}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }));
  const prompt_tokens =
    tokens(messages.map(({ content }) => content).join(' ')) + tokens(JSON.stringify(request.tools));
  const completion_tokens = tokens(text) + tool_calls.reduce((sum, call) => sum + 1 + tokens(call.arguments), 0);
  return {
    id: `chatcmpl-demo-${turn}`,
    model: DEMO_MODEL,
    created,
    pieces: piecesOf(text),
    tool_calls,
    finish_reason: tool_calls.length > 0 ? 'tool_calls' : isCut ? 'length' : 'stop',
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly type: string,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

const invalid = (message: string): Refusal => new Refusal(400, message, 'invalid_request_error');

async function readBody(request: http.IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, 'The request is over 32 MB.', 'invalid_request_error');
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw invalid('The body is not JSON.');
  }
}

function sendJson(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function stream(
  response: http.ServerResponse,
  answer: WireAnswer,
  usage: boolean,
  delayMs: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const chunk of chunks(answer, usage)) {
    if (response.destroyed) return;
    if (!response.write(sse(chunk))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (delayMs > 0) await sleep(delayMs);
  }
  response.end(sse('[DONE]'));
}

const MODEL_CARD = { id: DEMO_MODEL, object: 'model', created: 0, owned_by: 'longhaul (rule-based, not an LLM)' };

async function handle(request: http.IncomingMessage, response: http.ServerResponse, delayMs: number): Promise<void> {
  const route = `${request.method} ${new URL(request.url ?? '/', 'http://localhost').pathname}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, { object: 'list', data: [MODEL_CARD] });
  if (route === `GET /v1/models/${DEMO_MODEL}`) return sendJson(response, 200, MODEL_CARD);
  if (route !== 'POST /v1/chat/completions') {
    throw new Refusal(404, `There is no ${route} at the demo model.`, 'invalid_request_error', 'unknown_url');
  }
  const parsed = chatRequest.safeParse(await readBody(request));
  if (!parsed.success) {
    throw invalid(parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '));
  }
  if (parsed.data.model !== DEMO_MODEL) {
    const message = `The model "${parsed.data.model}" does not exist; there is only ${DEMO_MODEL}, which is not an LLM.`;
    throw new Refusal(404, message, 'invalid_request_error', 'model_not_found');
  }
  const answer = answerTo(parsed.data, Math.floor(Date.now() / 1000));
  if (!parsed.data.stream) return sendJson(response, 200, completion(answer));
  await stream(response, answer, parsed.data.stream_options?.include_usage ?? false, delayMs);
}

/** The demo model as an OpenAI-compatible server; it does not listen by itself. */
export function createDemoModel({ delayMs }: { delayMs: number }): http.Server {
  return http.createServer((request, response) => {
    handle(request, response, delayMs).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      const refusal = error instanceof Refusal ? error : new Refusal(500, String(error), 'server_error');
      sendJson(response, refusal.status, wireError(refusal.message, refusal.type, refusal.code));
    });
  });
}
