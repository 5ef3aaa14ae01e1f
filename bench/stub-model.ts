import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** What the stub says at one turn of one run. */
export interface Answer {
  content: string;
  tool?: { name: string; arguments: Record<string, unknown> };
  /** Nothing is written before. */
  after?: Promise<unknown>;
  /** Word by word with so long between them; without it all at once, so that only what is around the model takes time. */
  pace_ms?: number;
  /** Its tokens are counted by what was sent and said; without it they are a few, always the same. */
  counted?: boolean;
}
/** The run is named in its first user message. */
export type Script = (run: string, turn: number) => Answer;

/** Speaks OpenAI's wire format, whole or streamed. */
export interface StubModel {
  url: string;
  /** Answers that reached their end, per run and turn. */
  answers: Map<string, number[]>;
  /** When the first token of each answer was written, per run and turn, on the clock of `Date.now()`. */
  firstTokens: Map<string, number[]>;
  /** When the first call of this turn came in, or comes in, on the clock of `performance.now()`. */
  called(run: string, turn: number): Promise<number>;
  /** Leaves the next call of a run at this turn without an answer; resolves when it has come. */
  hang(run: string, turn: number): Promise<void>;
  close(): void;
}

export const FILLER = 'The quick brown fox jumps over the lazy dog while the tests are running. '.repeat(9);
export const READ = { name: 'read_file', arguments: { path: 'small.txt' } };

/** So many turns with a file read each, and a last one that ends the run. */
export const readsFiles =
  (turns: number): Script =>
  (_run, turn) =>
    turn < turns ? { content: FILLER, tool: READ } : { content: FILLER };

interface Body {
  stream?: boolean;
  messages: { role: string; content?: unknown }[];
}

/** One number for each turn of each run; the first that is said stays. */
class TurnTimes {
  readonly times = new Map<string, number[]>();
  private readonly awaited = new Map<string, (time: number) => void>();

  say(run: string, turn: number, time: number): void {
    const ofRun = this.times.get(run) ?? [];
    this.times.set(run, ofRun);
    if (ofRun[turn] !== undefined) return;
    ofRun[turn] = time;
    this.awaited.get(`${run}:${turn}`)?.(time);
    this.awaited.delete(`${run}:${turn}`);
  }

  at(run: string, turn: number): Promise<number> {
    const known = this.times.get(run)?.[turn];
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((done) => this.awaited.set(`${run}:${turn}`, done));
  }
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}
const CHARS_PER_TOKEN = 4;

function usageOf(sent: number, { content, counted }: Answer): Usage {
  const prompt_tokens = counted ? Math.ceil(sent / CHARS_PER_TOKEN) : 10;
  const completion_tokens = counted ? Math.ceil(content.length / CHARS_PER_TOKEN) : 10;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function messageOf(turn: number, { content, tool }: Answer) {
  if (!tool) return { content };
  const call = { name: tool.name, arguments: JSON.stringify(tool.arguments) };
  return { content, tool_calls: [{ id: `call_${turn}`, type: 'function', function: call }] };
}

function answerWhole(response: ServerResponse, turn: number, answer: Answer, usage: Usage): void {
  const message = { role: 'assistant', ...messageOf(turn, answer) };
  const choices = [{ index: 0, finish_reason: answer.tool ? 'tool_calls' : 'stop', message }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ id: `c${turn}`, created: 1, model: 'stub', object: 'chat.completion', choices, usage }),
  );
}

async function answerStreamed(
  response: ServerResponse,
  turn: number,
  answer: Answer,
  usage: Usage,
  onFirst: () => void,
): Promise<void> {
  const { content, tool_calls } = messageOf(turn, answer);
  const about = { id: `c${turn}`, created: 1, model: 'stub', object: 'chat.completion.chunk' };
  const chunk = (choices: unknown[], more = {}) => `data: ${JSON.stringify({ ...about, choices, ...more })}\n\n`;
  const said = (text: string) => chunk([{ index: 0, delta: { role: 'assistant', content: text } }]);
  const calls = tool_calls?.map((call, index) => ({ index, ...call }));
  const last =
    chunk([{ index: 0, delta: calls ? { tool_calls: calls } : {}, finish_reason: calls ? 'tool_calls' : 'stop' }]) +
    chunk([], { usage }) +
    'data: [DONE]\n\n';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  onFirst();
  if (answer.pace_ms === undefined) return void response.end(said(content) + last);
  for (const word of content.match(/\S+\s*/g) ?? []) {
    response.write(said(word));
    await setTimeout(answer.pace_ms);
  }
  response.end(last);
}

export async function startStubModel(script: Script): Promise<StubModel> {
  const answers = new Map<string, number[]>();
  const calls = new TurnTimes();
  const firstTokens = new TurnTimes();
  const hanging = new Map<string, () => void>();

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const sent = Buffer.concat(parts).toString();
    const body = JSON.parse(sent) as Body;
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
    calls.say(run, turn, performance.now());
    const answer = script(run, turn);
    await answer.after;
    const usage = usageOf(sent.length, answer);
    if (!body.stream) return answerWhole(response, turn, answer, usage);
    await answerStreamed(response, turn, answer, usage, () => firstTokens.say(run, turn, Date.now()));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the stub did not get a port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    answers,
    firstTokens: firstTokens.times,
    called: (run, turn) => calls.at(run, turn),
    hang: (run, turn) => new Promise((done) => hanging.set(`${run}:${turn}`, done)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
