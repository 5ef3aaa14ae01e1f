import { Failure } from './failures.ts';

/** What every provider adapter speaks; provider payloads never leave their adapter. */
export interface ToolCall {
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The text the model sent where it was not a JSON object; such a call is answered with an error, never run. */
  malformed?: string;
  /** What the provider wants to see again with the call; opaque to everybody but the adapter that took it down. */
  signature?: string;
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string };

export interface ToolSchema {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface Usage {
  /** All of the prompt, the cached part included. */
  input: number;
  output: number;
  /** Of the input, what was read from the provider's cache. */
  cached: number;
  /** Of the input, what was written to the provider's cache, where that has a price of its own. */
  cache_write?: number;
}

export type StopReason = 'needs_tools' | 'needs_clarification' | 'proposed_edits' | 'done' | 'error';

export interface StepRequest {
  model: string;
  messages: ModelMessage[];
  tools: ToolSchema[];
  max_tokens: number;
  /** JSON Schema of the final answer, where the caller asked for one. */
  output_schema?: Record<string, unknown>;
}

export interface StepResult {
  assistant_message: string;
  tool_calls: ToolCall[];
  proposed_edits: unknown[];
  stop_reason: StopReason;
  raw_usage: Usage & { model: string; estimated: boolean };
}

export const PROVIDERS = [
  'openai',
  'anthropic',
  'gemini',
  'azure',
  'bedrock',
  'openai-compatible',
  'ollama',
  'demo',
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** What a provider can do; shown at GET /models, and what is false here is refused, never quietly done otherwise. */
export interface ModelCapabilities {
  streaming: boolean;
  tools: boolean;
  /** Knows tools itself; where it does not, they go through structured output. */
  native_tools: boolean;
  parallel_tools: boolean;
  structured_output: boolean;
  /** Counts tokens itself; where it does not, they are estimated and marked so. */
  usage: boolean;
  /** false for the rule-based demo model, which is labelled wherever it shows. */
  is_llm: boolean;
}

const ALL = {
  streaming: true,
  tools: true,
  native_tools: true,
  parallel_tools: true,
  structured_output: true,
  usage: true,
  is_llm: true,
};
export const CAPABILITIES: Record<ProviderName, ModelCapabilities> = {
  openai: ALL,
  anthropic: ALL,
  gemini: ALL,
  azure: ALL,
  bedrock: ALL,
  'openai-compatible': ALL,
  ollama: ALL,
  demo: { ...ALL, is_llm: false },
};

export interface ModelRef {
  provider: ProviderName;
  model: string;
}

const isProvider = (name: string): name is ProviderName => (PROVIDERS as readonly string[]).includes(name);

/** Names that tell their provider by themselves. */
const BARE: [RegExp, ProviderName][] = [
  [/^(gpt-|o\d|chatgpt-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'gemini'],
];

/**
 * `gpt-4o`, `claude-…`, `gemini-…`, `azure/<deployment>`, `bedrock/<model id>`, `ollama/llama3`,
 * `openai-compatible/<name>`, `demo/longhaul-demo`, and `provider:model` for all of them.
 */
export function parseModel(text: string): ModelRef {
  const ref = modelRef(text);
  if (ref) return ref;
  throw new Failure('unsupported_model', `No provider is known for the model "${text}".`, {
    model: text,
    providers: PROVIDERS,
  });
}

function modelRef(text: string): ModelRef | null {
  const prefixed = /^([a-z-]+)[/:](.+)$/.exec(text);
  if (prefixed?.[1] && prefixed[2] && isProvider(prefixed[1])) return { provider: prefixed[1], model: prefixed[2] };
  const bare = BARE.find(([pattern]) => pattern.test(text));
  return bare ? { provider: bare[1], model: text } : null;
}

/** `custom` is any server that speaks the API of OpenAI. */
export const providerNamed = (word: string): string => (word === 'custom' ? 'openai-compatible' : word);

/** The model string where provider and model were given apart (`ollama` and `llama3`): the model's own word goes first. */
export const modelStringOf = (model: string, provider: string | undefined): string =>
  provider === undefined || modelRef(model) ? model : `${providerNamed(provider)}/${model}`;

/** For showing: a definition may name a model that this build no longer knows. */
export const providerOf = (text: string): string => modelRef(text)?.provider ?? 'unknown';

const LOCAL: ReadonlySet<ProviderName> = new Set(['ollama', 'openai-compatible', 'demo']);

/** Whether a model runs on a server of one's own, where nothing is charged by the token. */
export const isLocalModel = (text: string): boolean => LOCAL.has(parseModel(text).provider);
