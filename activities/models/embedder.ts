import { type EmbeddingRef, embeddingName } from '../../domain/embedding.ts';
import { Failure } from '../../domain/failures.ts';
import { unitVector } from '../../domain/meaning.ts';
import type { ModelSettings } from '../../domain/model-settings.ts';
import { Scrubber } from '../../domain/scrubber.ts';
import { geminiTeller } from './gemini.ts';
import { fetchWatchedBy } from './http-fetch.ts';
import { openAiClient, tellOpenAi } from './openai.ts';
import { NO_KEY, openAiAccess } from './openai-access.ts';
import { providerFailure, type Told } from './provider-failures.ts';

/** Passages that go in one call: every provider takes as many. */
export const MOST_TEXTS = 64;

/** Some models place a question near its answers only where they are told which is which. */
type Purpose = 'document' | 'query';

export interface EmbedOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

/** One call, made once, as with `ModelProvider`: what goes wrong is a Failure that says whether it may pass. */
export interface Embedder {
  /** What the vectors are kept under. */
  readonly model: string;
  /** A vector of length 1 for each text. */
  embed(texts: readonly string[], purpose: Purpose, options: EmbedOptions): Promise<Float32Array[]>;
}

type Values = readonly (readonly number[])[];
interface Asked {
  texts: readonly string[];
  purpose: Purpose;
  signal: AbortSignal;
  /** For errors that leave them out. */
  onHeaders: (headers: Headers) => void;
}
interface Service {
  apiKey: string;
  call(asked: Asked): Promise<Values>;
  tell(error: unknown, headers: Headers | undefined): Promise<Told | null>;
}

/** OpenAI, Azure, Ollama, and every server that speaks the same API. */
function serviceFor({ provider, model }: EmbeddingRef, settings: ModelSettings): Service {
  if (provider === 'gemini') return geminiService(model, settings);
  const access = openAiAccess(provider, settings);
  const client = openAiClient(access);
  return {
    apiKey: access.apiKey,
    tell: async (error) => tellOpenAi(error),
    async call({ texts, signal }) {
      // As numbers: the SDK's own choice of base64 is not understood by every server.
      const wanted = { model, input: [...texts], encoding_format: 'float' as const };
      const { data } = await client.embeddings.create(wanted, { signal });
      return [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    },
  };
}

/** From its second generation on, Gemini is told in words what a text is for, and takes no other telling. */
const geminiText = (model: string, text: string, purpose: Purpose): string => {
  if (!model.includes('gemini-embedding-2')) return text;
  return purpose === 'query' ? `task: search result | query: ${text}` : `title: none | text: ${text}`;
};

const geminiTask = (model: string, purpose: Purpose): { taskType?: string } => {
  if (model.includes('gemini-embedding-2')) return {};
  return { taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' };
};

function geminiService(model: string, settings: ModelSettings): Service {
  const apiKey = settings.gemini_api_key ?? NO_KEY;
  return {
    apiKey,
    tell: async (error, headers) => geminiTeller(await import('@google/genai'))(error, headers),
    async call({ texts, purpose, signal, onHeaders }) {
      const { GoogleGenAI } = await import('@google/genai');
      const fetch = fetchWatchedBy({ onBytes: () => undefined, onResponse: ({ headers }) => onHeaders(headers) });
      const baseUrl = settings.gemini_base_url;
      const httpOptions = { fetch, ...(baseUrl === undefined ? {} : { baseUrl }) };
      const client = new GoogleGenAI({ apiKey, vertexai: false, httpOptions });
      // As contents of their own: from plain strings the SDK makes parts of one content for some models.
      const contents = texts.map((text) => ({ role: 'user', parts: [{ text: geminiText(model, text, purpose) }] }));
      const config = { ...geminiTask(model, purpose), abortSignal: signal };
      const { embeddings = [] } = await client.models.embedContent({ model, contents, config });
      return embeddings.map(({ values = [] }) => values);
    },
  };
}

function checked(values: Values, wanted: number, provider: string): Float32Array[] {
  const vectors = values.flatMap((each) => unitVector(each) ?? []);
  const dimensions = new Set(vectors.map(({ length }) => length));
  if (vectors.length === wanted && dimensions.size === 1) return vectors;
  const message = `${provider} sent ${vectors.length} usable vectors of ${dimensions.size} lengths for ${wanted} texts.`;
  throw new Failure('malformed_answer', message, { retryable: true, provider });
}

/** `clean` takes out of a text what no provider may see. */
export function createEmbedder(ref: EmbeddingRef, settings: ModelSettings, clean: (text: string) => string): Embedder {
  const { provider } = ref;
  const service = serviceFor(ref, settings);
  const scrubber = new Scrubber([service.apiKey]);
  return {
    model: embeddingName(ref),
    async embed(texts, purpose, { signal, timeoutMs }) {
      signal.throwIfAborted();
      const late = AbortSignal.timeout(timeoutMs);
      let headers: Headers | undefined;
      try {
        const values = await service.call({
          texts: texts.map(clean),
          purpose,
          signal: AbortSignal.any([signal, late]),
          onHeaders: (told) => {
            headers = told;
          },
        });
        return checked(values, texts.length, provider);
      } catch (error) {
        signal.throwIfAborted();
        if (late.aborted) {
          const message = `${provider} gave no vectors within ${timeoutMs} ms.`;
          throw new Failure('model_timeout', message, { retryable: true, provider });
        }
        const told = await service.tell(error, headers);
        throw (
          providerFailure(
            error,
            provider,
            () => told,
            (text) => scrubber.text(text),
          ) ?? error
        );
      }
    },
  };
}
