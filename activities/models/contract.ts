import type { ModelCapabilities, StepRequest, StepResult } from '../../domain/model.ts';

export interface StepOptions {
  /** Aborts the call; streamStep then rejects with the signal's reason, unless the answer was already whole. */
  signal: AbortSignal;
  /** Called with each piece of text as it arrives. */
  onDelta?: (text: string) => void;
  /** How long the provider may stay silent, before its first word and between two. */
  idleMs: number;
}

/** Of a client that was made for an agent with a key or an address of its own. */
export interface OwnClient {
  /** Its address was given by somebody who may not reach into the network around this machine. */
  publicOnly: boolean;
}

/**
 * One model call, made once: adapters never retry. Everything that goes wrong rejects with a `Failure` whose details
 * hold `retryable`, and `retry_after_ms`, `status` and `usage` where the provider told them. The stop reason `error`
 * means that the provider ended the answer early (length, content filter); the text so far is there.
 */
export interface ModelProvider {
  readonly name: string;
  readonly capabilities: ModelCapabilities;
  streamStep(request: StepRequest, options: StepOptions): Promise<StepResult>;
}
