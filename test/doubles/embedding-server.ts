import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** Words that mean the same here; every other word means itself. */
const SAME = [
  ['car', 'automobile', 'vehicle'],
  ['repaired', 'fixed', 'mended'],
];
const DIMENSIONS = 256;

const conceptOf = (word: string): string => SAME.find((words) => words.includes(word))?.[0] ?? word;
const placeOf = (concept: string): number =>
  [...concept].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % DIMENSIONS, 7);

/** As near to each other as texts have concepts in common. */
function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
    const at = placeOf(conceptOf(word));
    vector[at] = (vector[at] ?? 0) + 1;
  }
  // Nothing is nowhere.
  vector[0] = (vector[0] ?? 0) + 0.01;
  return vector;
}

const openAiBody = z.strictObject({
  model: z.string(),
  input: z.array(z.string().min(1)).min(1).max(2048),
  encoding_format: z.literal('float'),
});
const geminiBody = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string(),
        content: z.looseObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).length(1) }),
        taskType: z.enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT']).optional(),
      }),
    )
    .min(1)
    .max(100),
});

interface Embedded {
  path: string;
  headers: http.IncomingHttpHeaders;
  texts: string[];
  task?: string;
}

interface Reply {
  status: number;
  body: unknown;
  headers?: http.OutgoingHttpHeaders;
}

const refused = (message: string): Reply => ({ status: 400, body: { error: { message, code: 400 } } });

function answerOpenAi(sent: unknown): { texts: string[]; reply: Reply } {
  const parsed = openAiBody.safeParse(sent);
  if (!parsed.success) return { texts: [], reply: refused(z.prettifyError(parsed.error)) };
  const { model, input } = parsed.data;
  // In another order than they were asked for: the index says which is whose.
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse();
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  return { texts: input, reply: { status: 200, body: { object: 'list', model, data, usage } } };
}

function answerGemini(sent: unknown, model: string): { texts: string[]; task?: string; reply: Reply } {
  const parsed = geminiBody.safeParse(sent);
  if (!parsed.success) return { texts: [], reply: refused(z.prettifyError(parsed.error)) };
  const { requests } = parsed.data;
  if (requests.some((each) => each.model !== `models/${model}`)) {
    return { texts: [], reply: refused('a request names another model') };
  }
  if (requests.some(({ taskType }) => (taskType === undefined) !== model.includes('gemini-embedding-2'))) {
    return { texts: [], reply: refused('the first generation takes a task type, the second none') };
  }
  const texts = requests.flatMap(({ content }) => content.parts.map(({ text }) => text));
  const [first] = requests;
  const reply = { status: 200, body: { embeddings: texts.map((text) => ({ values: vectorOf(text) })) } };
  return { texts, ...(first?.taskType ? { task: first.taskType } : {}), reply };
}

/** Speaks the embeddings of OpenAI, of Azure and of Gemini; the vectors are the same for the same words. */
export class EmbeddingServer {
  readonly calls: Embedded[] = [];
  /** What the next calls are answered with instead, or `hang` for nothing at all. */
  readonly faults: (Reply | 'hang' | 'well')[] = [];
  private readonly waiting: { calls: number; resolve: () => void }[] = [];

  private constructor(
    private readonly server: http.Server,
    readonly url: string,
  ) {}

  static async start(): Promise<EmbeddingServer> {
    const server = http.createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const double = new EmbeddingServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (incoming, outgoing) => void double.take(incoming, outgoing));
    return double;
  }

  /** Resolves with the call that makes it so many. */
  called(calls: number): Promise<void> {
    if (this.calls.length >= calls) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ calls, resolve }));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async take(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const sent: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const path = incoming.url ?? '';
    const gemini = /^\/v1beta\/models\/([^/:]+):batchEmbedContents$/.exec(path)?.[1];
    const openAi = /^(\/v1|\/openai\/deployments\/[^/]+)\/embeddings(\?api-version=[\w-]+)?$/.test(path);
    const { reply, ...said } = gemini
      ? answerGemini(sent, gemini)
      : openAi
        ? answerOpenAi(sent)
        : { texts: [], reply: { status: 404, body: { error: { message: `nothing is at ${path}` } } } };
    this.calls.push({ path, headers: incoming.headers, ...said });
    const fault = this.faults.shift() ?? 'well';
    for (const { calls, resolve } of this.waiting) if (this.calls.length >= calls) resolve();
    if (fault === 'hang') return;
    const { status, body, headers = {} } = fault === 'well' ? reply : fault;
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}
