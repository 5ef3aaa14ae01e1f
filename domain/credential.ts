import { z } from 'zod';
import type { Agent } from './agent.ts';
import { PROVIDERS, type ProviderName, parseModel } from './model.ts';
import { MIN_SECRET_CHARS } from './secret-forms.ts';

const MAX_VALUE_BYTES = 16 * 1024;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const credentialKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'small letters, digits and _, beginning with a letter, at most 64');

/** Never said back, nor quoted in an error. */
const credentialValue = z
  .string()
  .min(MIN_SECRET_CHARS, `at least ${MIN_SECRET_CHARS} characters: a shorter one cannot be kept out of what is shown`)
  .refine((value) => bytesOf(value) <= MAX_VALUE_BYTES, 'at most 16 KB')
  .refine((value) => value.trim() === value, 'without blanks or line ends around it')
  .refine((value) => !/\p{Surrogate}|\0/u.test(value), 'text only');

export const setCredentialBody = z.strictObject({ key: credentialKey, value: credentialValue });

/** Of an agent: the name goes by either word. */
export const setAgentCredentialBody = z
  .strictObject({ key: credentialKey.optional(), key_name: credentialKey.optional(), value: credentialValue })
  .refine(({ key, key_name }) => (key === undefined) !== (key_name === undefined), {
    path: ['key'],
    error: 'the name of the credential, as key or as key_name',
  });

/** What a git notebook shows its remote: a token (and a name) over https, a key over ssh. */
export const notebookCredentialKey = z.enum(['token', 'username', 'ssh_key']);
const oneLine = (value: string): boolean => !/[\r\n]/.test(value);
export const setNotebookCredentialBody = z.discriminatedUnion('key', [
  z.strictObject({ key: z.literal('token'), value: credentialValue.refine(oneLine, 'one line') }),
  z.strictObject({ key: z.literal('username'), value: z.string().trim().min(1).max(200).refine(oneLine, 'one line') }),
  z.strictObject({
    key: z.literal('ssh_key'),
    value: credentialValue.refine((value) => value.startsWith('-----BEGIN '), 'a private key without a passphrase'),
  }),
]);
export type NotebookCredential = z.infer<typeof setNotebookCredentialBody>;

/** All that is ever told of a credential. */
export const credentialSchema = z.object({
  key: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Credential = z.infer<typeof credentialSchema>;
export const agentCredentialSchema = credentialSchema.extend({ key_name: z.string() });

/** What a credential means to a model provider; all others are kept for whoever asks for them by name. */
export type AccessPart = 'api_key' | 'api_base';
export interface ProviderCredential {
  part: AccessPart;
  provider: ProviderName;
}

type Models = Pick<Agent, 'agent_mode' | 'model' | 'local_model' | 'remote_model'>;

const mainModel = ({ agent_mode, model, local_model, remote_model }: Models): string =>
  (agent_mode === 'local' ? local_model : remote_model) ?? model;

/**
 * `api_key` and `api_base` are for the provider of the agent's model, `<provider>_api_key` and `<provider>_api_base` for
 * another that it uses. The provider is settled when the credential is set: whatever the model is changed to later, a
 * key goes to nobody it was not meant for.
 */
export function providerCredential(key: string, agent: Models): ProviderCredential | null {
  const [, prefix, part] = /^(?:([a-z_]+)_)?(api_key|api_base)$/.exec(key) ?? [];
  if (part !== 'api_key' && part !== 'api_base') return null;
  if (prefix === undefined) return { part, provider: parseModel(mainModel(agent)).provider };
  const provider = PROVIDERS.find((name) => name.replaceAll('-', '_') === prefix);
  return provider ? { part, provider } : null;
}

/** What an agent brings to a provider of its own. */
export interface OwnAccess {
  api_key?: string;
  api_base?: string;
  /** The address may lie in a private network: an admin has said so. */
  may_be_private?: boolean;
}
