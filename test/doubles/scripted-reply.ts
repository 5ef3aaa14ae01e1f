import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Said, Wire } from './wire.ts';

interface ToolCallReply {
  /** Left out on purpose where a test wants an answer without ids. */
  id?: string | null;
  name: string;
  arguments?: Record<string, unknown> | string;
  /** Gemini's: opaque, and wanted back with the call. */
  signature?: string;
}

interface Reply {
  text?: string;
  tool_calls?: ToolCallReply[];
  /** null: the server counts nothing. */
  usage?: { input: number; output: number; cached?: number; cache_write?: number } | null;
  finish_reason?: string;
}

type Fault =
  | { fault: '429'; retry_after?: string | number; retry_after_ms?: number; code?: string }
  | {
      fault: '400' | '401' | '403' | '404' | '408' | '424' | '500' | '503';
      message?: string;
      code?: string;
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

function saidOf(reply: Reply, model: string, position: number): Said {
  const tool_calls = (reply.tool_calls ?? []).map((call, index) => ({
    id: call.id === undefined ? `call_${position}_${index}` : (call.id ?? ''),
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
    ...(call.signature === undefined ? {} : { signature: call.signature }),
  }));
  return {
    model,
    position,
    pieces: reply.text?.match(/\s*\S+\s*/g) ?? [],
    tool_calls,
    finish_reason: reply.finish_reason ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: reply.usage === null ? null : (reply.usage ?? DEFAULT_USAGE),
  };
}

export interface Exchange {
  wire: Omit<Wire<unknown>, 'read'>;
  response: http.ServerResponse;
  model: string;
  stream: boolean;
  position: number;
  /** Resolves when the answer may go on past this many chunks; at once where no test holds it. */
  gate: (chunksWritten: number) => Promise<void>;
}

const begin = ({ response, wire }: Exchange) => response.writeHead(200, { 'content-type': wire.contentType });

async function give(exchange: Exchange, reply: Reply, delayMs = 0): Promise<void> {
  const { response, model, stream, position, gate, wire } = exchange;
  const said = saidOf(reply, model, position);
  if (!stream && wire.whole) {
    await gate(0);
    await gate(1);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wire.whole(said)));
    return;
  }
  const frames = wire.frames(said);
  begin(exchange).flushHeaders();
  for (const [written, frame] of frames.entries()) {
    await gate(written);
    if (response.destroyed) return;
    response.write(frame);
    if (delayMs > 0) await sleep(delayMs);
  }
  await gate(frames.length);
  response.end(wire.end);
}

function refuse(
  { response, wire }: Exchange,
  status: number,
  message: string,
  { code, headers = {} }: { code?: string | undefined; headers?: http.OutgoingHttpHeaders } = {},
): void {
  const error = wire.error(status, message, code);
  response
    .writeHead(status, { 'content-type': 'application/json', ...error.headers, ...headers })
    .end(JSON.stringify(error.body));
}

const retryAfter = (value: string | number | undefined): http.OutgoingHttpHeaders =>
  value === undefined ? {} : { 'retry-after': String(value) };

/** Writes one turn; resolves when nothing more will be written, whether or not the client is still there. */
export async function perform(exchange: Exchange, turn: Turn): Promise<void> {
  const { response, model, position, wire } = exchange;
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
      const frames = wire.frames(saidOf({ text: turn.text ?? 'one two three four' }, model, position));
      begin(exchange).flushHeaders();
      for (const frame of frames.slice(0, turn.after_chunks ?? 2)) response.write(frame);
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
      begin(exchange).end(wire.frameOf(turn.body ?? '{"choices": [{"delta": '));
      return;
    case 'not-a-stream':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the network</html>');
      return;
    case 'error-in-stream':
      begin(exchange).end(wire.errorFrame(turn));
      return;
    case '429': {
      const exact = turn.retry_after_ms === undefined ? {} : { 'retry-after-ms': String(turn.retry_after_ms) };
      const headers = { ...retryAfter(turn.retry_after), ...exact };
      return refuse(exchange, 429, 'Too many requests.', { code: turn.code, headers });
    }
    default: {
      const headers = retryAfter(turn.retry_after);
      const message = turn.message ?? `Scripted ${turn.fault}.`;
      return refuse(exchange, Number(turn.fault), message, { code: turn.code, headers });
    }
  }
}

/** Whether a turn gives an answer that was worth paying for. */
export const isAnswer = (turn: Turn): boolean =>
  !('fault' in turn) || turn.fault === 'slow' || turn.fault === 'malformed-arguments';
