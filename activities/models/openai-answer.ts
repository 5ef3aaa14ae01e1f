import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { Failure } from '../../domain/failures.ts';
import type { StepRequest, StepResult, StopReason, ToolCall } from '../../domain/model.ts';

interface CallInParts {
  index: number;
  id: string;
  name: string;
  arguments: string;
}

const CHARS_PER_TOKEN = 4;
const estimateTokens = (...texts: string[]): number =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARS_PER_TOKEN);

const MAX_DEPTH = 60;

/** What is nested deeper, or has a NUL in a name, no document of the log can hold, and no tool takes. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  return Object.entries(value).every(([name, inner]) => !name.includes('\0') && isStorable(inner, depth + 1));
}

function parseArguments(text: string): Pick<ToolCall, 'arguments' | 'malformed'> {
  // Servers send nothing at all for a tool without parameters.
  if (text.trim() === '') return { arguments: {} };
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && isStorable(value)) return { arguments: { ...value } };
  } catch {
    // Falls through: what is not JSON is as malformed as what is not an object.
  }
  return { arguments: {}, malformed: text };
}

/** Puts the pieces of a streamed answer together. */
export class Answer {
  #text = '';
  #calls: CallInParts[] = [];
  #finish: string | null = null;
  #usage: ChatCompletionChunk['usage'] = null;
  #model = '';

  constructor(
    readonly provider: string,
    readonly onDelta: (text: string) => void = () => {},
  ) {}

  /** The provider said that it was done; what may still follow is the bill. */
  get isWhole(): boolean {
    return this.#finish !== null;
  }

  add(chunk: ChatCompletionChunk): void {
    if (chunk?.usage) this.#usage = chunk.usage;
    if (!Array.isArray(chunk?.choices)) {
      if (chunk?.usage) return;
      throw this.#malformed('a piece of an answer that has no choices');
    }
    if (chunk.model) this.#model = chunk.model;
    const choice = chunk.choices[0];
    if (!choice) return;
    const text = choice.delta?.content || choice.delta?.refusal;
    if (text) {
      this.#text += text;
      this.onDelta(text);
    }
    for (const part of choice.delta?.tool_calls ?? []) this.#addPart(part);
    if (choice.finish_reason) this.#finish = choice.finish_reason;
  }

  #addPart(part: ChatCompletionChunk.Choice.Delta.ToolCall): void {
    const index = part.index ?? 0;
    const open = this.#calls.findLast((call) => call.index === index);
    // Some servers number all parallel calls 0; a new id with a name is a new call whatever its number.
    const isNew = !open || (part.id && open.id && part.id !== open.id && part.function?.name);
    const call: CallInParts = isNew ? { index, id: '', name: '', arguments: '' } : open;
    if (isNew) this.#calls.push(call);
    if (part.id) call.id = part.id;
    if (part.function?.name) call.name = part.function.name;
    call.arguments += part.function?.arguments ?? '';
  }

  result(request: StepRequest): StepResult {
    if (this.#finish === null) {
      throw this.#failure('stream_cut', `The answer of ${this.provider} broke off before its end.`, true);
    }
    if (this.#text === '' && this.#calls.length === 0) throw this.#empty(request);
    const tool_calls = this.#toolCalls(request);
    return {
      assistant_message: this.#text,
      tool_calls,
      proposed_edits: tool_calls.flatMap((call) =>
        call.name === 'propose_edits' && Array.isArray(call.arguments.edits) ? call.arguments.edits : [],
      ),
      stop_reason: this.#stopReason(tool_calls),
      raw_usage: { ...this.#counted(request), model: this.#model || request.model },
    };
  }

  #toolCalls(request: StepRequest): ToolCall[] {
    const turn = request.messages.filter((message) => message.role === 'assistant').length + 1;
    const taken = new Set<string>();
    return this.#calls.map((call, position) => {
      if (call.name === '') throw this.#malformed('a tool call without a name');
      // Made from the request alone, so that the same answer has the same ids whoever reads it.
      let id = call.id || `call_${turn}_${position + 1}`;
      for (let copy = 2; taken.has(id); copy++) id = `${call.id || `call_${turn}_${position + 1}`}_${copy}`;
      taken.add(id);
      return { tool_call_id: id, name: call.name, ...parseArguments(call.arguments) };
    });
  }

  #stopReason(calls: ToolCall[]): StopReason {
    if (calls.some((call) => call.name === 'clarify_user')) return 'needs_clarification';
    if (calls.some((call) => call.name === 'propose_edits')) return 'proposed_edits';
    if (calls.length > 0) return 'needs_tools';
    return this.#finish === 'length' || this.#finish === 'content_filter' ? 'error' : 'done';
  }

  #counted(request: StepRequest): Omit<StepResult['raw_usage'], 'model'> {
    if (this.#usage && Number.isFinite(this.#usage.prompt_tokens)) {
      return {
        input: this.#usage.prompt_tokens,
        output: this.#usage.completion_tokens ?? 0,
        cached: this.#usage.prompt_tokens_details?.cached_tokens ?? 0,
        estimated: false,
      };
    }
    return {
      input: estimateTokens(JSON.stringify(request.messages), JSON.stringify(request.tools)),
      output: estimateTokens(this.#text, ...this.#calls.flatMap((call) => [call.name, call.arguments])),
      cached: 0,
      estimated: true,
    };
  }

  #empty(request: StepRequest): Failure {
    if (this.#finish === 'length') {
      const message = `${this.provider} used all ${request.max_tokens} tokens of this call without a word of answer: raise max_tokens_per_request.`;
      return this.#failure('bad_model_request', message, false);
    }
    if (this.#finish === 'content_filter') {
      return this.#failure('bad_model_request', `The content filter of ${this.provider} withheld the answer.`, false);
    }
    return this.#malformed('an answer with neither text nor tool calls');
  }

  #malformed = (what: string): Failure => this.#failure('malformed_answer', `${this.provider} sent ${what}.`, true);

  #failure(
    code: 'stream_cut' | 'malformed_answer' | 'bad_model_request',
    message: string,
    retryable: boolean,
  ): Failure {
    const usage = this.#usage && { input: this.#usage.prompt_tokens, output: this.#usage.completion_tokens };
    return new Failure(code, message, { retryable, provider: this.provider, ...(usage ? { usage } : {}) });
  }
}
