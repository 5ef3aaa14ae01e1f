import { Failure } from '../../domain/failures.ts';
import { Scrubber } from '../../domain/scrubber.ts';
import type { Answer } from './answer.ts';
import type { StepOptions } from './contract.ts';
import { type Fetch, fetchWatchedBy, initWatchedBy, type WatchOptions } from './http-fetch.ts';
import { providerFailure, type Told } from './provider-failures.ts';

export interface CallUnderWay {
  /** Aborted by whoever asked, or when the provider went silent. */
  signal: AbortSignal;
  /** For a client made for this call. Each byte that arrives is a sign of life, also what the SDK keeps to itself. */
  fetch: Fetch;
  /** For a client with `watchedFetch`, the same by way of the options of the request. */
  fetchOptions: WatchOptions;
}

interface Talk {
  answer: Answer;
  /** Never to be seen in an error, even if the server repeats them. */
  secrets: string[];
  options: StepOptions;
  /** Reads the errors of the SDK in use, some of which leave out the headers of what the provider answered. */
  tell: (error: unknown, headers: Headers | undefined) => Told | null;
  /** Sends the request and puts the pieces into the answer. */
  hold: (call: CallUnderWay) => Promise<void>;
}

/** The idle time-out ends a silent call; an SDK's own, which counts to the first byte only, must never come first. */
export const SDK_TIMEOUT_MS = 24 * 60 * 60 * 1000;

function refuseOtherThanStream(response: Response, provider: string): void {
  const type = response.headers.get('content-type') ?? 'text/event-stream';
  if (!response.ok || /event-?stream/.test(type)) return;
  const message = `${provider} sent ${type} where a stream was asked for.`;
  throw new Failure('malformed_answer', message, { retryable: true, provider, status: response.status });
}

/** One call from its first byte to its last: abort, silence and failures are the same for every provider. */
export async function holdCall({ answer, secrets, options, tell, hold }: Talk): Promise<void> {
  const { signal, idleMs } = options;
  const name = answer.provider;
  signal.throwIfAborted();
  const call = new AbortController();
  const abort = () => call.abort();
  let wentSilent = false;
  let headers: Headers | undefined;
  /** What is wrong with the response itself; SDKs wrap what is thrown at them beyond recognition. */
  let wrong: unknown;
  const idle = setTimeout(() => {
    wentSilent = true;
    call.abort();
  }, idleMs);
  signal.addEventListener('abort', abort, { once: true });
  const watch = {
    onBytes: () => idle.refresh(),
    onResponse: (response: Response) => {
      headers = response.headers;
      try {
        refuseOtherThanStream(response, name);
      } catch (error) {
        wrong = error;
        throw error;
      }
    },
  };
  try {
    const fetchOptions = initWatchedBy(watch);
    await hold({ signal: call.signal, fetch: fetchWatchedBy(watch), fetchOptions });
  } catch (error) {
    // A whole answer is kept whatever happened to its last bytes: it is paid for.
    const isKnown = answer.isWhole || call.signal.aborted;
    call.abort();
    if (!isKnown) {
      const scrubber = new Scrubber(secrets);
      const clean = (text: string) => scrubber.text(text);
      throw providerFailure(wrong ?? error, name, (thrown) => tell(thrown, headers), clean) ?? error;
    }
  } finally {
    clearTimeout(idle);
    signal.removeEventListener('abort', abort);
  }
  if (answer.isWhole) return;
  signal.throwIfAborted();
  if (wentSilent) {
    throw new Failure('model_timeout', `${name} was silent for ${idleMs} ms.`, { retryable: true, provider: name });
  }
}
