import { once } from 'node:events';
import { createServer } from 'node:http';

/** Answers at once, in OpenAI's wire format, whole or streamed: what is measured is everything around the model. */
export interface StubModel {
  url: string;
  /** Answers that reached their end, per run and turn; the run is named in the first user message. */
  answers: Map<string, number[]>;
  /** When the first call of a run came in, on the clock of `performance.now()`. */
  firstCall: Map<string, number>;
  /** Leaves the next call of a run at this turn without an answer; resolves when it has come. */
  hang(run: string, turn: number): Promise<void>;
  close(): void;
}

const FILLER = 'The quick brown fox jumps over the lazy dog while the tests are running. '.repeat(9);

interface Body {
  stream?: boolean;
  messages: { role: string; content?: unknown }[];
}

const answer = (turn: number, turns: number) => {
  const call = {
    id: `call_${turn}`,
    type: 'function',
    function: { name: 'read_file', arguments: '{"path":"small.txt"}' },
  };
  return turn < turns ? { content: FILLER, tool_calls: [call] } : { content: FILLER };
};

export async function startStubModel(turns: number): Promise<StubModel> {
  const answers = new Map<string, number[]>();
  const firstCall = new Map<string, number>();
  const hanging = new Map<string, () => void>();

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString()) as Body;
    const run = String(body.messages.find(({ role }) => role === 'user')?.content ?? '');
    const turn = body.messages.filter(({ role }) => role === 'assistant').length;
    const counted = answers.get(run) ?? [];
    answers.set(run, counted);
    response.once('finish', () => {
      counted[turn] = (counted[turn] ?? 0) + 1;
    });
    const hangs = hanging.get(`${run}:${turn}`);
    if (hangs) {
      hanging.delete(`${run}:${turn}`);
      return hangs();
    }
    if (!firstCall.has(run)) firstCall.set(run, performance.now());

    const message = answer(turn, turns);
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
    const about = { id: `c${turn}`, created: 1, model: 'stub' };
    if (body.stream) {
      const chunk = (choices: unknown[], more = {}) =>
        `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
      const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        chunk([{ index: 0, delta: { role: 'assistant', content: message.content } }]) +
          chunk([{ index: 0, delta: tool_calls ? { tool_calls } : {}, finish_reason }]) +
          chunk([], { usage }) +
          'data: [DONE]\n\n',
      );
    } else {
      const choices = [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }));
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the stub did not get a port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    answers,
    firstCall,
    hang: (run, turn) => new Promise((done) => hanging.set(`${run}:${turn}`, done)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
