import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { chunks, sse, type WireToolCall } from '../../demo/wire.ts';

const bodySchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
  max_completion_tokens: z.int().min(1),
});

/** One line of the bill: what was asked counts from the beginning, what is said as it is said. */
interface MeteredCall {
  /** The first words of its conversation. */
  opening: string;
  model: string;
  input: number;
  output: number;
  isOpen: boolean;
}

interface Manner {
  words: number;
  word_ms: number;
}

/** What a tool call counts besides words. */
const CALL_TOKENS = 20;

/** About four bytes each; even, so that a price of half a millionth comes out whole. */
const tokensOf = (bytes: number): number => 2 * Math.ceil(bytes / 8);

/**
 * Speaks OpenAI's wire format and keeps a bill as a provider would: also for who hangs up in the middle, and never for
 * more than the limit it was given. It makes the calls that `callsFor` says, and fills the rest with words.
 */
export async function startMeteredModel(
  manner: Manner,
  callsFor: (opening: string, position: number, tools: string[]) => { name: string; arguments: object }[],
) {
  const bill: MeteredCall[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      return;
    }
    const text = Buffer.concat(parts);
    const body = bodySchema.parse(JSON.parse(text.toString()));
    const opening = JSON.stringify(body.messages.find(({ role }) => role === 'user')?.content ?? '');
    const position = body.messages.filter(({ role }) => role === 'assistant').length;
    const tools = body.tools.map((tool) => tool.function.name);
    const call: MeteredCall = { opening, model: body.model, input: tokensOf(text.length), output: 0, isOpen: true };
    bill.push(call);
    response.once('close', () => {
      call.isOpen = false;
    });
    const tool_calls = callsFor(opening, position, tools).map((wanted, index) => ({
      id: `call_${position}_${index}`,
      name: wanted.name,
      arguments: JSON.stringify(wanted.arguments),
    }));
    await answer(call, response, body.max_completion_tokens, tool_calls, manner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the model did not get a port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    bill,
    /** How it speaks may change on the way. */
    manner,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  call: MeteredCall,
  response: ServerResponse,
  limit: number,
  wanted: WireToolCall[],
  { words, word_ms }: Manner,
): Promise<void> {
  const isCut = limit <= wanted.length * CALL_TOKENS;
  const tool_calls = isCut ? [] : wanted;
  const said = Math.min(words, limit - tool_calls.length * CALL_TOKENS);
  const output = said + tool_calls.length * CALL_TOKENS;
  const pieces = word_ms > 0 ? Array.from({ length: said }, () => 'word ') : ['word '.repeat(said)];
  const frames = chunks(
    {
      id: 'chatcmpl',
      model: call.model,
      created: 1,
      pieces,
      tool_calls,
      finish_reason: isCut ? 'length' : tool_calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { prompt_tokens: call.input, completion_tokens: output, total_tokens: call.input + output },
    },
    true,
  );
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const [index, frame] of frames.entries()) {
    if (response.destroyed) return;
    // The first says nothing; then the words, then the calls, all of them counted with the first.
    if (index > 0 && index <= pieces.length) call.output += said / pieces.length;
    if (index === pieces.length + 1) call.output = output;
    response.write(sse(frame));
    if (word_ms > 0) await sleep(word_ms);
  }
  response.end(sse('[DONE]'));
}
