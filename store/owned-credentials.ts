import type { Credential } from '../domain/credential.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { isDuplicate } from './connection.ts';
import { type CredentialBound, type CredentialDoc, credentialCollection, sealCredential } from './credential-upkeep.ts';
import type { SecretKeys } from './secrets.ts';
import { missing } from './tenancy.ts';

const MOST_PER_OWNER = 50;

/** Names and times; values go in and never come out. */
const toCredential = ({ key, created_at, updated_at }: CredentialDoc): Credential => ({
  key,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

const idOf = (owner: string, key: string): string => `${owner}:${key}`;

type Meaning = Pick<CredentialBound, 'provider' | 'part' | 'may_be_private'>;
const NO_MEANING: Meaning = { provider: null, part: null, may_be_private: false };

/**
 * Of whatever has credentials: an agent, an MCP server, an integration, a notebook. Whether the caller may keep them is
 * settled before it comes here. Sets or replaces; safe to repeat.
 */
export async function setOwned(
  caller: Caller,
  keys: SecretKeys,
  { owner, key, value, meaning = NO_MEANING }: { owner: string; key: string; value: string; meaning?: Meaning },
): Promise<Credential> {
  const _id = idOf(owner, key);
  const others = await credentialCollection().countDocuments({ agent_id: owner, _id: { $ne: _id } });
  if (others >= MOST_PER_OWNER) {
    throw new Failure('conflict', `There are ${MOST_PER_OWNER} credentials already; remove one first.`);
  }
  const bound = { org_id: caller.org_id, agent_id: owner, key, ...meaning };
  const now = new Date();
  const sealed = sealCredential(keys, bound, value);
  const stored = await credentialCollection()
    .findOneAndUpdate(
      // Of another organization it is there, and not for this caller.
      { _id, org_id: caller.org_id },
      { $set: { ...bound, ...sealed, updated_by: caller.user_id, updated_at: now }, $setOnInsert: { created_at: now } },
      { upsert: true, returnDocument: 'after' },
    )
    .catch((error: unknown) => {
      if (isDuplicate(error)) return null;
      throw error;
    });
  if (!stored) throw missing('credential', key);
  return toCredential(stored);
}

export async function listOwned(caller: Caller, owner: string): Promise<Credential[]> {
  const found = await credentialCollection().find({ agent_id: owner, org_id: caller.org_id }).sort({ key: 1 });
  return (await found.toArray()).map(toCredential);
}

export async function removeOwned(caller: Caller, owner: string, key: string): Promise<void> {
  const { deletedCount } = await credentialCollection().deleteOne({ _id: idOf(owner, key), org_id: caller.org_id });
  if (deletedCount === 0) throw missing('credential', key);
}

/** Where the owner itself is no more. */
export async function forgetOwned(caller: Caller, owner: string): Promise<void> {
  await credentialCollection().deleteMany({ agent_id: owner, org_id: caller.org_id });
}

const serverOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

/** A credential goes to nobody it was not meant for, also where its owner is pointed to another server. */
export async function demandSameServer(caller: Caller, owner: string, before: string, after: string): Promise<void> {
  const [old, next] = [serverOf(before), serverOf(after)];
  if (old === next) return;
  const keys = (await listOwned(caller, owner)).map(({ key }) => key);
  if (keys.length === 0) return;
  const said = `Its credentials (${keys.join(', ')}) were meant for ${old}: remove them, and set those for ${next} afterwards.`;
  throw new Failure('conflict', said, { credentials: keys });
}
