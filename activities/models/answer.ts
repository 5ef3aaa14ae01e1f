import { Failure, type FailureCode } from '../../domain/failures.ts';
import { isRecord } from '../../domain/json-value.ts';
import type { StepRequest, StepResult, StopReason, ToolCall, Usage } from '../../domain/model.ts';
import { storageProblem } from '../../domain/storable.ts';

export interface CallInParts {
  /** The number the provider gives the call or its block; only its own reader looks at it. */
  index: number;
  id: string;
  name: string;
  arguments: string;
  signature?: string;
}

/** Why a provider stopped: the model had said all, or the answer was ended early. */
export type Finish = 'stop' | 'length' | 'content_filter' | 'context_overflow';

const CHARS_PER_TOKEN = 4;
const estimateTokens = (...texts: string[]): number =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARS_PER_TOKEN);

function parseArguments(text: string): Pick<ToolCall, 'arguments' | 'malformed'> {
  // Servers send nothing at all for a tool without parameters.
  if (text.trim() === '') return { arguments: {} };
  try {
    const value: unknown = JSON.parse(text);
    // What no document of the log can hold, no tool takes either.
    if (isRecord(value) && storageProblem(value) === null) return { arguments: { ...value } };
  } catch {
    // Falls through: what is not JSON is as malformed as what is not an object.
  }
  return { arguments: {}, malformed: text };
}

/** A streamed answer as it grows, whoever it comes from: each provider's reader puts its pieces in here. */
export class Answer {
  text = '';
  readonly calls: CallInParts[] = [];
  finish: Finish | null = null;
  /** null while, or where, the provider counts nothing. */
  usage: Usage | null = null;
  model = '';

  constructor(
    readonly provider: string,
    readonly onDelta: (text: string) => void = () => {},
  ) {}

  /** The provider said that it was done; what may still follow is the bill. */
  get isWhole(): boolean {
    return this.finish !== null;
  }

  addText(text: string): void {
    this.text += text;
    this.onDelta(text);
  }

  openCall(index: number, id = '', name = ''): CallInParts {
    const call = { index, id, name, arguments: '' };
    this.calls.push(call);
    return call;
  }

  result(request: StepRequest): StepResult {
    if (this.finish === null) {
      throw this.#failure('stream_cut', `The answer of ${this.provider} broke off before its end.`, true);
    }
    if (this.finish === 'context_overflow') {
      throw this.#failure('context_overflow', `The answer of ${this.provider} ran out of the context window.`, false);
    }
    if (this.text === '' && this.calls.length === 0) throw this.#empty(request);
    const tool_calls = this.#toolCalls(request);
    return {
      assistant_message: this.text,
      tool_calls,
      proposed_edits: tool_calls.flatMap((call) =>
        call.name === 'propose_edits' && Array.isArray(call.arguments.edits) ? call.arguments.edits : [],
      ),
      stop_reason: this.#stopReason(tool_calls),
      raw_usage: { ...this.#counted(request), model: this.model || request.model },
    };
  }

  #toolCalls(request: StepRequest): ToolCall[] {
    const turn = request.messages.filter((message) => message.role === 'assistant').length + 1;
    const taken = new Set<string>();
    return this.calls.map((call, position) => {
      if (call.name === '') throw this.malformed('a tool call without a name');
      // Made from the request alone, so that the same answer has the same ids whoever reads it.
      let id = call.id || `call_${turn}_${position + 1}`;
      for (let copy = 2; taken.has(id); copy++) id = `${call.id || `call_${turn}_${position + 1}`}_${copy}`;
      taken.add(id);
      const signature = call.signature === undefined ? {} : { signature: call.signature };
      return { tool_call_id: id, name: call.name, ...parseArguments(call.arguments), ...signature };
    });
  }

  #stopReason(calls: ToolCall[]): StopReason {
    if (calls.some((call) => call.name === 'clarify_user')) return 'needs_clarification';
    if (calls.some((call) => call.name === 'propose_edits')) return 'proposed_edits';
    if (calls.length > 0) return 'needs_tools';
    return this.finish === 'stop' ? 'done' : 'error';
  }

  #counted(request: StepRequest): Usage & { estimated: boolean } {
    if (this.usage) return { ...this.usage, estimated: false };
    return {
      input: estimateTokens(JSON.stringify(request.messages), JSON.stringify(request.tools)),
      output: estimateTokens(this.text, ...this.calls.flatMap((call) => [call.name, call.arguments])),
      cached: 0,
      estimated: true,
    };
  }

  #empty(request: StepRequest): Failure {
    if (this.finish === 'length') {
      const message = `${this.provider} used all ${request.max_tokens} tokens of this call without a word of answer: raise max_tokens_per_request.`;
      return this.#failure('bad_model_request', message, false);
    }
    if (this.finish === 'content_filter') {
      return this.#failure('bad_model_request', `The content filter of ${this.provider} withheld the answer.`, false);
    }
    return this.malformed('an answer with neither text nor tool calls');
  }

  malformed(what: string): Failure {
    return this.#failure('malformed_answer', `${this.provider} sent ${what}.`, true);
  }

  #failure(code: FailureCode, message: string, retryable: boolean): Failure {
    const usage = this.usage && { input: this.usage.input, output: this.usage.output };
    return new Failure(code, message, { retryable, provider: this.provider, ...(usage ? { usage } : {}) });
  }
}
