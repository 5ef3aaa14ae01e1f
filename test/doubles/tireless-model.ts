import { once } from 'node:events';
import { createServer } from 'node:http';
import { boundOf } from '../../domain/request-size.ts';

/**
 * Speaks OpenAI's wire format and asks for the same tool again and again, as often as it is told to, however often the
 * conversation is summed up in between. Counts tokens as the product does where nobody has told it, and refuses what is longer than its window.
 */
export async function startTirelessModel(turns: number, call: { name: string; arguments: object }, window: number) {
  const seen = { calls: 0, summaries: 0, largest: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const input = boundOf(text.length);
    seen.largest = Math.max(seen.largest, input);
    if (input > window) {
      seen.refused += 1;
      response.writeHead(400, { 'content-type': 'application/json' });
      const error = { message: 'too long', code: 'context_length_exceeded', type: 'invalid_request_error' };
      return response.end(JSON.stringify({ error }));
    }
    // Nothing but the last message ever says so: what is summed up has the summary in its place.
    const isSummary = text.includes('takes the place of everything so far');
    if (isSummary) seen.summaries += 1;
    else seen.calls += 1;
    const isLast = !isSummary && seen.calls > turns;
    const delta = isSummary
      ? { content: `So far: ${seen.calls} calls.` }
      : isLast
        ? { content: 'All done.' }
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${seen.calls}`,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.arguments) },
              },
            ],
          };
    const chunk = (choices: unknown[], more = {}) =>
      `data: ${JSON.stringify({ id: 'c', created: 1, model: 'tireless', object: 'chat.completion.chunk', choices, ...more })}\n\n`;
    const usage = { prompt_tokens: input, completion_tokens: 20, total_tokens: input + 20 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      chunk([{ index: 0, delta: { role: 'assistant', ...delta } }]) +
        chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' in delta ? 'tool_calls' : 'stop' }]) +
        chunk([], { usage }) +
        'data: [DONE]\n\n',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the model did not get a port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
