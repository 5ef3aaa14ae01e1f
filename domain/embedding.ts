import { Failure } from './failures.ts';
import { type ModelRef, modelStringOf, type ProviderName, parseModel } from './model.ts';
import { type ModelSettings, missingFor } from './model-settings.ts';

/** Those that turn text into vectors. Claude has no such API, the demo model is rules, and Bedrock is Claude here. */
const EMBEDDING_PROVIDERS = ['openai', 'azure', 'openai-compatible', 'ollama', 'gemini'] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

export interface EmbeddingRef {
  provider: EmbeddingProvider;
  model: string;
}

const hasEmbeddings = (ref: ModelRef): ref is EmbeddingRef =>
  (EMBEDDING_PROVIDERS as readonly ProviderName[]).includes(ref.provider);

/** `text-embedding-3-small` and what `parseModel` takes; refused where it cannot be asked, never quietly left out. */
export function embeddingModelFrom(text: string, settings: ModelSettings): EmbeddingRef {
  const ref = parseModel(/^text-embedding-/.test(text) ? modelStringOf(text, 'openai') : text);
  if (!hasEmbeddings(ref)) {
    throw new Failure('unsupported_capability', `${ref.provider} has no embeddings ("${text}").`, {
      model: text,
      providers: EMBEDDING_PROVIDERS,
    });
  }
  const missing = missingFor(ref.provider, settings);
  if (missing) throw new Failure(missing.code, missing.message, { model: text });
  return ref;
}

/** What vectors are kept under: those of another model say nothing about each other. */
export const embeddingName = ({ provider, model }: EmbeddingRef): string => `${provider}/${model}`;

/** What a query means, as far as a model could be asked; else why words alone decide. */
export type QueryMeaning = { model: string; vector: Float32Array } | { reason: string };

export const NO_EMBEDDING_MODEL = 'No embedding model is set (LONGHAUL_EMBEDDING_MODEL).';

/** Has a worker ask for the vector of a query, which stays in the store: no text goes through a workflow. */
export const EMBED_QUERY = 'embedQuery';
export interface EmbedQueryInput {
  v: 1;
  query_id: string;
}
export type EmbedQueryOutcome = { is: 'embedded' } | { is: 'failed'; message: string };
