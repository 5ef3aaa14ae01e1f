import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunks, completion, sse, type WireAnswer, type WireToolCall, wireError } from '../../demo/wire.ts';

interface ToolCallReply {
  /** Left out on purpose where a test wants an answer without ids. */
  id?: string | null;
  name: string;
  arguments?: Record<string, unknown> | string;
}

interface Reply {
  text?: string;
  tool_calls?: ToolCallReply[];
  /** null: the server counts nothing. */
  usage?: { input: number; output: number; cached?: number } | null;
  finish_reason?: string;
}

type Fault =
  | { fault: '429'; retry_after?: string | number; retry_after_ms?: number; code?: string }
  | {
      fault: '400' | '401' | '403' | '404' | '408' | '424' | '500' | '503';
      message?: string;
      retry_after?: string | number;
    }
  /** Takes the request and never says a word. */
  | { fault: 'hang' }
  /** Breaks the connection after so many chunks (0: after the headers); `clean` ends it properly, but too early. */
  | { fault: 'cut'; after_chunks?: number; text?: string; clean?: boolean }
  | { fault: 'malformed-arguments'; name?: string; text?: string }
  | { fault: 'wrong-json'; body?: string }
  | { fault: 'not-a-stream' }
  | { fault: 'error-in-stream'; code?: string; type?: string }
  | { fault: 'empty' }
  | ({ fault: 'slow'; delay_ms: number } & Reply);

export type Turn = Reply | Fault;

const DEFAULT_USAGE = { input: 10, output: 10, cached: 0 };

const wireCall = (call: ToolCallReply, position: number, index: number): WireToolCall => ({
  id: call.id === undefined ? `call_${position}_${index}` : (call.id ?? ''),
  name: call.name,
  arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
});

function answerOf(reply: Reply, model: string, position: number): WireAnswer {
  const tool_calls = (reply.tool_calls ?? []).map((call, index) => wireCall(call, position, index));
  const usage = reply.usage === null ? null : (reply.usage ?? DEFAULT_USAGE);
  return {
    id: `chatcmpl-${position}`,
    model,
    created: 1,
    pieces: reply.text?.match(/\s*\S+\s*/g) ?? [],
    tool_calls,
    finish_reason: reply.finish_reason ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: usage && {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    },
  };
}

export interface Exchange {
  response: http.ServerResponse;
  model: string;
  stream: boolean;
  position: number;
  /** Resolves when the answer may go on past this many chunks; at once where no test holds it. */
  gate: (chunksWritten: number) => Promise<void>;
}

const HEADERS = { 'content-type': 'text/event-stream' };

async function give({ response, model, stream, position, gate }: Exchange, reply: Reply, delayMs = 0): Promise<void> {
  const answer = answerOf(reply, model, position);
  if (!stream) {
    await gate(0);
    await gate(1);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion(answer)));
    return;
  }
  const lines = chunks(answer, true).map(sse);
  response.writeHead(200, HEADERS).flushHeaders();
  for (const [written, line] of lines.entries()) {
    await gate(written);
    if (response.destroyed) return;
    response.write(line);
    if (delayMs > 0) await sleep(delayMs);
  }
  await gate(lines.length);
  response.end(sse('[DONE]'));
}

const refuse = (
  response: http.ServerResponse,
  status: number,
  body: object,
  headers: http.OutgoingHttpHeaders = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

const retryAfter = (value: string | number | undefined): http.OutgoingHttpHeaders =>
  value === undefined ? {} : { 'retry-after': String(value) };

/** Writes one turn; resolves when nothing more will be written, whether or not the client is still there. */
export async function perform(exchange: Exchange, turn: Turn): Promise<void> {
  const { response, model, position } = exchange;
  if (!('fault' in turn)) return give(exchange, turn);
  switch (turn.fault) {
    case 'slow':
      return give(exchange, turn, turn.delay_ms);
    case 'malformed-arguments':
      return give(exchange, {
        tool_calls: [{ name: turn.name ?? 'read_file', arguments: turn.text ?? '{"path": "a' }],
      });
    case 'empty':
      return give(exchange, {});
    case 'hang':
      await new Promise((resolve) => response.once('close', resolve));
      return;
    case 'cut': {
      const lines = chunks(answerOf({ text: turn.text ?? 'one two three four' }, model, position), true).map(sse);
      response.writeHead(200, HEADERS).flushHeaders();
      response.write(lines.slice(0, turn.after_chunks ?? 2).join(''));
      if (turn.clean) {
        response.end();
        return;
      }
      // The bytes before the cut must have left, or it would be a connection that never answered.
      await new Promise((resolve) => setImmediate(resolve));
      response.destroy();
      return;
    }
    case 'wrong-json':
      response.writeHead(200, HEADERS).end(`data: ${turn.body ?? '{"choices": [{"delta": '}\n\n`);
      return;
    case 'not-a-stream':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the network</html>');
      return;
    case 'error-in-stream': {
      const error = wireError('The server had an error.', turn.type ?? 'server_error', turn.code ?? null);
      response.writeHead(200, HEADERS).end(sse(error));
      return;
    }
    case '429': {
      const exact = turn.retry_after_ms === undefined ? {} : { 'retry-after-ms': String(turn.retry_after_ms) };
      const error = wireError('Too many requests.', 'requests', turn.code ?? 'rate_limit_exceeded');
      return refuse(response, 429, error, { ...retryAfter(turn.retry_after), ...exact });
    }
    default: {
      const error = wireError(turn.message ?? `Scripted ${turn.fault}.`, 'scripted_error');
      return refuse(response, Number(turn.fault), error, retryAfter(turn.retry_after));
    }
  }
}

/** Whether a turn gives an answer that was worth paying for. */
export const isAnswer = (turn: Turn): boolean =>
  !('fault' in turn) || turn.fault === 'slow' || turn.fault === 'malformed-arguments';
