import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { z } from 'zod';
import { editLimitsFrom } from './domain/edits/limits.ts';
import { type EmbeddingRef, embeddingModelFrom } from './domain/embedding.ts';
import { LACKS, type Lack, type ModelSettings } from './domain/model-settings.ts';

/** The only reader of process.env. Entry points import it; everything else is handed its values. */
const duration = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const isLack = (word: string): word is Lack => (LACKS as readonly string[]).includes(word);
const wordsOf = (text: string): string[] => text.split(',').flatMap((word) => word.trim() || []);
const lacks = z
  .string()
  .default('')
  .refine((text) => wordsOf(text).every(isLack), `a list of ${LACKS.join(', ')}`);

const isEditLimits = (text: string): boolean => {
  try {
    editLimitsFrom(text);
    return true;
  } catch {
    return false;
  }
};

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(7400),
  HOST: z.string().default('127.0.0.1'),
  LONGHAUL_HOME: z.string().default(join(homedir(), '.longhaul')),
  LONGHAUL_CACHE: z.string().default(join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'longhaul')),
  SECRET_KEY: z.string().min(16).optional(),
  SECRET_KEY_PREVIOUS: z
    .string()
    .refine((text) => wordsOf(text).every((key) => key.length >= 16), 'keys of at least 16 characters, between commas')
    .optional(),
  MONGODB_URI: z.string().optional(),
  TEMPORAL_ADDRESS: z.string().optional(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_TLS_CERT: z.string().optional(),
  TEMPORAL_TLS_KEY: z.string().optional(),
  TEMPORAL_TLS_CA: z.string().optional(),
  TEMPORAL_API_KEY: z.string().optional(),
  LONGHAUL_TASK_QUEUE: z.string().default('longhaul'),
  LONGHAUL_WORKER: z.enum(['all', 'runs', 'executor']).default('all'),
  LONGHAUL_NOTEBOOK_ROOTS: z.string().default(''),
  LONGHAUL_BOOTSTRAP_KEY: z.string().min(20).optional(),
  LONGHAUL_URL: z.string().optional(),
  LONGHAUL_API_KEY: z.string().optional(),
  LONGHAUL_OWNER_EMAIL: z.email().optional(),
  LONGHAUL_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  LONGHAUL_PROXY_HOPS: z.coerce.number().int().min(0).default(0),
  LONGHAUL_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  LONGHAUL_DEMO_URL: z.string().optional(),
  LONGHAUL_SEGMENT_MS: duration(10_000),
  LONGHAUL_HEARTBEAT_MS: duration(5_000),
  LONGHAUL_MODEL_IDLE_MS: duration(120_000),
  LONGHAUL_DRAIN_MS: duration(10_000),
  LONGHAUL_MAX_HISTORY: duration(2_000),
  LONGHAUL_RETENTION_DAYS: z.coerce.number().positive().optional(),
  LONGHAUL_EDITOR_MODEL: z.string().optional(),
  LONGHAUL_DISPATCHER_MODEL: z.string().optional(),
  LONGHAUL_EMBEDDING_MODEL: z.string().optional(),
  LONGHAUL_EDIT_LIMITS: z
    .string()
    .default('')
    .refine(isEditLimits, 'limits like max_tool_calls_per_job=20,completed_ttl_hours=24'),
  LONGHAUL_BWRAP: z.string().optional(),
  LONGHAUL_UNCONFINED_COMMANDS: z.literal('i-understand').optional(),
  LONGHAUL_COMMAND_MEMORY_MB: z.coerce.number().int().min(64).default(2048),
  LONGHAUL_COMMAND_PROCESSES: z.coerce.number().int().min(8).default(256),
  LONGHAUL_COMMAND_CPUS: z.coerce.number().positive().optional(),
  LONGHAUL_COMMAND_DISK_MB: z.coerce.number().int().min(16).default(4096),
  LONGHAUL_COMMAND_READABLE: z.string().default(''),
  LONGHAUL_COMMAND_HOSTS: z.string().default(''),
  LONGHAUL_CONTEXT_TOKENS: z.coerce.number().int().min(1_000).optional(),
  VISUAL: z.string().optional(),
  EDITOR: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCE: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.string().optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.string().optional(),
  GEMINI_API_KEY: z.string().optional(),
  GEMINI_BASE_URL: z.string().optional(),
  AZURE_OPENAI_ENDPOINT: z.string().optional(),
  AZURE_OPENAI_API_KEY: z.string().optional(),
  AZURE_OPENAI_API_VERSION: z.string().optional(),
  AWS_REGION: z.string().optional(),
  AWS_DEFAULT_REGION: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_BEARER_TOKEN_BEDROCK: z.string().optional(),
  ANTHROPIC_BEDROCK_BASE_URL: z.string().optional(),
  OLLAMA_BASE_URL: z.string().default('http://127.0.0.1:11434/v1'),
  LONGHAUL_COMPATIBLE_LACKS: lacks,
  LONGHAUL_OLLAMA_LACKS: lacks,
});

const SECRETS = [
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'MONGODB_URI',
  'TEMPORAL_API_KEY',
  'LONGHAUL_BOOTSTRAP_KEY',
  'LONGHAUL_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
] as const;
const isSecret = (name: string): boolean => (SECRETS as readonly string[]).includes(name);

export type Config = Readonly<z.infer<typeof schema>> & {
  /** Where folder notebooks may lie; `notebooks_dir` is one of them. */
  readonly notebook_roots: readonly string[];
  readonly notebooks_dir: string;
};

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new Error(`The environment is not usable: ${wrong}`);
  }
  const notebooks_dir = resolve(parsed.data.LONGHAUL_HOME, 'notebooks');
  const named = parsed.data.LONGHAUL_NOTEBOOK_ROOTS.split(delimiter).filter(Boolean);
  const notebook_roots = [...named.map((path) => resolve(path)), notebooks_dir];
  return Object.freeze({ ...parsed.data, notebook_roots, notebooks_dir });
}

/** For logs and `doctor`: what is set, without what must stay secret. */
export const printable = (config: Config): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, isSecret(name) && value ? '(set)' : value]));

/** SECRET_KEY, and those before it that may still be needed to open what they sealed. */
export function secretKeys({ SECRET_KEY, SECRET_KEY_PREVIOUS = '' }: Config): [string, ...string[]] {
  if (!SECRET_KEY) throw new Error('SECRET_KEY is not set; `npm start` sets it for its own processes.');
  return [SECRET_KEY, ...wordsOf(SECRET_KEY_PREVIOUS)];
}

/** What must not be seen in anything that a run says, is told or leaves in a log. */
export function installationSecrets(config: Config): string[] {
  const { MONGODB_URI = '', SECRET_KEY_PREVIOUS = '' } = config;
  const [, password] = /^mongodb(?:\+srv)?:\/\/[^:/@]*:([^@/]+)@/.exec(MONGODB_URI) ?? [];
  const passwords = password === undefined ? [] : [password, decodeURIComponent(password)];
  return [...SECRETS.flatMap((name) => config[name] ?? []), ...wordsOf(SECRET_KEY_PREVIOUS), ...passwords];
}

/** As the API shows the model providers and a worker calls them. */
export const modelSettings = (config: Config): ModelSettings => ({
  openai_api_key: config.OPENAI_API_KEY,
  openai_base_url: config.OPENAI_BASE_URL,
  anthropic_api_key: config.ANTHROPIC_API_KEY,
  anthropic_base_url: config.ANTHROPIC_BASE_URL,
  gemini_api_key: config.GEMINI_API_KEY,
  gemini_base_url: config.GEMINI_BASE_URL,
  azure_endpoint: config.AZURE_OPENAI_ENDPOINT,
  azure_api_key: config.AZURE_OPENAI_API_KEY,
  azure_api_version: config.AZURE_OPENAI_API_VERSION,
  aws_region: config.AWS_REGION ?? config.AWS_DEFAULT_REGION,
  aws_access_key_id: config.AWS_ACCESS_KEY_ID,
  aws_secret_access_key: config.AWS_SECRET_ACCESS_KEY,
  aws_session_token: config.AWS_SESSION_TOKEN,
  aws_bearer_token: config.AWS_BEARER_TOKEN_BEDROCK,
  bedrock_base_url: config.ANTHROPIC_BEDROCK_BASE_URL,
  ollama_base_url: config.OLLAMA_BASE_URL,
  demo_url: config.LONGHAUL_DEMO_URL,
  compatible_lacks: wordsOf(config.LONGHAUL_COMPATIBLE_LACKS).filter(isLack),
  ollama_lacks: wordsOf(config.LONGHAUL_OLLAMA_LACKS).filter(isLack),
});

/** What tells the meaning of documents; null where none is set. Throws where it is set to what cannot be asked. */
export function embeddingModel(config: Config): EmbeddingRef | null {
  const { LONGHAUL_EMBEDDING_MODEL } = config;
  if (LONGHAUL_EMBEDDING_MODEL === undefined) return null;
  try {
    return embeddingModelFrom(LONGHAUL_EMBEDDING_MODEL, modelSettings(config));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`LONGHAUL_EMBEDDING_MODEL cannot be used: ${why}`);
  }
}

const MB = 1024 * 1024;

/** How commands of agents are confined, as a worker and `doctor` take it; `folder` is left to a worker to say. */
export const sandboxSettings = (config: Config, path: string) => ({
  bwrap: config.LONGHAUL_BWRAP,
  path,
  unconfined: config.LONGHAUL_UNCONFINED_COMMANDS !== undefined,
  readable: config.LONGHAUL_COMMAND_READABLE.split(delimiter).filter(Boolean),
  hosts: wordsOf(config.LONGHAUL_COMMAND_HOSTS),
  limits: {
    memory_bytes: config.LONGHAUL_COMMAND_MEMORY_MB * MB,
    processes: config.LONGHAUL_COMMAND_PROCESSES,
    cpus: config.LONGHAUL_COMMAND_CPUS ?? null,
    disk_bytes: config.LONGHAUL_COMMAND_DISK_MB * MB,
  },
});

/** As both the client's and the worker's connection take it. */
export function temporalConnection(config: Config) {
  const { TEMPORAL_ADDRESS, TEMPORAL_API_KEY, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY, TEMPORAL_TLS_CA } = config;
  if (!TEMPORAL_ADDRESS) throw new Error('TEMPORAL_ADDRESS is not set; `npm start` sets it for its own processes.');
  const read = (path: string | undefined) => (path ? readFileSync(path) : undefined);
  const crt = read(TEMPORAL_TLS_CERT);
  const key = read(TEMPORAL_TLS_KEY);
  const ca = read(TEMPORAL_TLS_CA);
  const tls =
    crt || ca || TEMPORAL_API_KEY
      ? { ...(ca ? { serverRootCACertificate: ca } : {}), ...(crt && key ? { clientCertPair: { crt, key } } : {}) }
      : undefined;
  return {
    address: TEMPORAL_ADDRESS,
    ...(tls ? { tls } : {}),
    ...(TEMPORAL_API_KEY ? { apiKey: TEMPORAL_API_KEY } : {}),
  };
}
