import { Failure } from '../../domain/failures.ts';
import type { ModelCapabilities, StepRequest } from '../../domain/model.ts';

/** What a provider cannot do is said before anything leaves, never quietly done otherwise. */
export function refuseWhatItLacks(request: StepRequest, provider: string, capabilities: ModelCapabilities): void {
  const refuse = (what: string, capability: keyof ModelCapabilities) => {
    const message = `${provider} has no ${what} as it is set up here.`;
    throw new Failure('unsupported_capability', message, { retryable: false, provider, capability });
  };
  if (request.tools.length > 0 && !capabilities.tools) refuse('tools', 'tools');
  if (request.output_schema && !capabilities.structured_output) refuse('structured output', 'structured_output');
}
