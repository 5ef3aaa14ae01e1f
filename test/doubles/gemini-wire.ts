import { z } from 'zod';
import type { Said, Wire } from './wire.ts';

const part = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()),
    }),
    thoughtSignature: z.string().optional(),
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()),
    }),
  }),
]);
const declaration = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][\w.:-]{0,127}$/),
  description: z.string(),
  parametersJsonSchema: z.looseObject({ type: z.literal('object') }),
});
const bodySchema = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })).min(1),
  systemInstruction: z
    .strictObject({ role: z.string().optional(), parts: z.array(z.strictObject({ text: z.string() })).min(1) })
    .optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(declaration).min(1) })).optional(),
  generationConfig: z.strictObject({
    maxOutputTokens: z.int().min(1),
    responseMimeType: z.literal('application/json').optional(),
    responseJsonSchema: z.looseObject({}).optional(),
  }),
});
export type GeminiRequest = z.infer<typeof bodySchema>;

function wrongTurns({ contents, tools, generationConfig }: GeminiRequest, model: string): string | null {
  const isThird = /gemini-3/.test(model);
  let open: string[] = [];
  for (const [index, { role, parts }] of contents.entries()) {
    const answered = parts.flatMap((each) =>
      'functionResponse' in each ? [`${each.functionResponse.id} ${each.functionResponse.name}`] : [],
    );
    if (JSON.stringify(answered) !== JSON.stringify(open)) {
      return `content ${index} answers ${answered.join() || 'no call'} where ${open.join() || 'no call'} is open`;
    }
    if (answered.length > 0 && answered.length < parts.length) return `content ${index} mixes results and words`;
    const calls = parts.filter((each) => 'functionCall' in each);
    if (calls.length > 0 && role === 'user') return `the user calls a function in content ${index}`;
    if (isThird && calls[0] && !calls[0].thoughtSignature) {
      return `Function call is missing a thought_signature in functionCall parts of content ${index}`;
    }
    open = calls.map(({ functionCall }) => `${functionCall.id} ${functionCall.name}`);
  }
  if (contents[0]?.role !== 'user') return 'the conversation does not begin with the user';
  if (contents.at(-1)?.role !== 'user') return 'the conversation does not end with the user';
  if (!isThird && tools && generationConfig.responseMimeType) {
    return "Function calling with a response mime type: 'application/json' is unsupported";
  }
  return null;
}

const FINISHES: Record<string, string> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

function chunks({ model, pieces, tool_calls, usage, finish_reason }: Said): object[] {
  const counted = usage
    ? {
        usageMetadata: {
          promptTokenCount: usage.input,
          // Half of what a thinking model writes are its thoughts, and they are billed as output.
          candidatesTokenCount: Math.floor(usage.output / 2),
          thoughtsTokenCount: Math.ceil(usage.output / 2),
          cachedContentTokenCount: usage.cached ?? 0,
          totalTokenCount: usage.input + usage.output,
        },
      }
    : {};
  const chunk = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    ...counted,
    modelVersion: model,
    responseId: 'r',
  });
  const calls = tool_calls.map(({ id, name, arguments: args, signature }) => ({
    functionCall: { ...(id ? { id } : {}), name, ...(args === '' ? {} : { args: JSON.parse(args) }) },
    ...(signature ? { thoughtSignature: signature } : {}),
  }));
  return [
    chunk([{ text: 'The user wants something.', thought: true }]),
    ...pieces.map((text) => chunk([{ text }])),
    ...(calls.length > 0 ? [chunk(calls)] : []),
    chunk([{ text: '' }], { finishReason: FINISHES[finish_reason] ?? finish_reason }),
  ];
}

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Where Google tells the wait, header or no header. */
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' };

const sse = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;
const errorBody = (code: number, message: string, details: object[] = []) => ({
  error: { code, message, status: STATUSES[code] ?? 'UNKNOWN', ...(details.length > 0 ? { details } : {}) },
});

export const geminiWire: Wire<GeminiRequest> = {
  base: '',
  contentType: 'text/event-stream',
  end: '',
  read: (incoming, sent) => {
    const model = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(incoming.url ?? '')?.[1];
    if (incoming.method !== 'POST' || !model) return `${incoming.url} generates no content`;
    if (!incoming.headers['x-goog-api-key']) return 'there is no key';
    const parsed = bodySchema.safeParse(sent);
    if (!parsed.success) return z.prettifyError(parsed.error);
    const request = parsed.data;
    return (
      wrongTurns(request, model) ?? {
        model,
        stream: true,
        position: request.contents.filter((content) => content.role === 'model').length,
        opening: JSON.stringify(request.contents[0]),
        request,
      }
    );
  },
  frames: (said) => chunks(said).map(sse),
  frameOf: (payload) => `data: ${payload}\r\n\r\n`,
  errorFrame: ({ type, code }) => {
    const status = { rate_limit_exceeded: 429, invalid_request_error: 400 }[type ?? code ?? ''] ?? 503;
    return sse(errorBody(status, 'The server had an error.'));
  },
  error: (status, message, code) => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code };
    return { body: errorBody(status, message, [...(status === 429 ? [RETRY_INFO] : []), ...(code ? [info] : [])]) };
  },
};
