/** OpenAI's chat completion format, as a server writes it. */
export interface WireToolCall {
  id: string;
  name: string;
  /** As text: a server may well send what is no JSON. */
  arguments: string;
}

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens: number };
}

export interface WireAnswer {
  id: string;
  model: string;
  created: number;
  /** The text in the pieces it is streamed in. */
  pieces: string[];
  tool_calls: WireToolCall[];
  finish_reason: string;
  usage: WireUsage | null;
}

const wireCall = (call: WireToolCall) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
});

const frame = ({ id, model, created }: WireAnswer, object: string) => ({
  id,
  object,
  created,
  model,
  system_fingerprint: null,
});

export const completion = (answer: WireAnswer): object => ({
  ...frame(answer, 'chat.completion'),
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: answer.pieces.length > 0 ? answer.pieces.join('') : null,
        ...(answer.tool_calls.length > 0 ? { tool_calls: answer.tool_calls.map(wireCall) } : {}),
      },
      finish_reason: answer.finish_reason,
    },
  ],
  ...(answer.usage ? { usage: answer.usage } : {}),
});

/** The chunks of a streamed answer, without `[DONE]`; the usage comes last and alone, as with `include_usage`. */
export function chunks(answer: WireAnswer, includeUsage: boolean): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...frame(answer, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...answer.pieces.map((content) => chunk({ content })),
    ...answer.tool_calls.flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...wireCall({ ...call, arguments: '' }) }] }),
      chunk({ tool_calls: [{ index, function: { arguments: call.arguments } }] }),
    ]),
    chunk({}, answer.finish_reason),
    ...(includeUsage && answer.usage
      ? [{ ...frame(answer, 'chat.completion.chunk'), choices: [], usage: answer.usage }]
      : []),
  ];
}

export const sse = (data: object | '[DONE]'): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const wireError = (message: string, type: string, code: string | null = null): object => ({
  error: { message, type, param: null, code },
});
