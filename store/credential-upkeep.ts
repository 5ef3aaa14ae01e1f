import mongoose from 'mongoose';
import type { AccessPart } from '../domain/credential.ts';
import type { ProviderName } from '../domain/model.ts';
import { nativeCollection } from './connection.ts';
import { deriveKey, keyIdOf, type SecretKeys, seal, unseal } from './secrets.ts';

/** What is bound to the value by its seal: a ciphertext that is moved to another agent or name does not open. */
export interface CredentialBound {
  org_id: string;
  /** Whose it is: an agent's, or what else has an id and secrets: a git notebook, an integration, an MCP server. */
  agent_id: string;
  key: string;
  /** Set where it is for a model provider. */
  provider: ProviderName | null;
  part: AccessPart | null;
  may_be_private: boolean;
}

export interface CredentialDoc extends CredentialBound {
  _id: string;
  sealed: string;
  /** Which SECRET_KEY it is sealed under. */
  key_id: string;
  updated_by: string;
  created_at: Date;
  updated_at: Date;
}

const schema = new mongoose.Schema<CredentialDoc>(
  {
    _id: String,
    org_id: String,
    agent_id: String,
    key: String,
    provider: String,
    part: String,
    may_be_private: Boolean,
    sealed: String,
    key_id: String,
    updated_by: String,
    created_at: Date,
    updated_at: Date,
  },
  { collection: 'credentials', versionKey: false },
);
schema.index({ agent_id: 1, key: 1 });
schema.index({ key_id: 1 });
mongoose.model<CredentialDoc>('Credential', schema);

export const credentialCollection = () => nativeCollection<CredentialDoc>('credentials');

const PURPOSE = 'agent credentials';

const about = ({ org_id, agent_id, key, provider, part, may_be_private }: CredentialBound): string =>
  JSON.stringify([org_id, agent_id, key, provider, part, may_be_private]);

export const sealCredential = ([current]: SecretKeys, bound: CredentialBound, value: string) => ({
  sealed: seal(deriveKey(current, PURPOSE), value, about(bound)),
  key_id: keyIdOf(current),
});

/** Null where the key is not there, or the seal is not whole. */
function open(keys: SecretKeys, doc: CredentialDoc): string | null {
  const secretKey = keys.find((each) => keyIdOf(each) === doc.key_id);
  if (secretKey === undefined) return null;
  try {
    return unseal(deriveKey(secretKey, PURPOSE), doc.sealed, about(doc));
  } catch {
    return null;
  }
}

/** Open, and therefore nowhere but in the memory of the activity that uses it. */
export interface OpenCredential extends Pick<CredentialBound, 'key' | 'provider' | 'part' | 'may_be_private'> {
  /** Null where it does not open here. */
  value: string | null;
}

/** For activities, when they are about to use them. */
export async function loadCredentials(keys: SecretKeys, orgId: string, owner: string): Promise<OpenCredential[]> {
  const found = await credentialCollection().find({ agent_id: owner, org_id: orgId }).toArray();
  return found.map((doc) => {
    const { key, provider, part, may_be_private } = doc;
    return { key, provider, part, may_be_private, value: open(keys, doc) };
  });
}

export interface Rotation {
  renewed: number;
  /** Sealed under a key that is not given; they stay as they are. */
  unreadable: number;
}

/**
 * Seals everything under the current key. Each on its own, and only if it is still what was read: repeated, cut off
 * halfway or done by several at once, it comes to the same.
 */
export async function renewCredentials(keys: SecretKeys): Promise<Rotation> {
  const told: Rotation = { renewed: 0, unreadable: 0 };
  for await (const doc of credentialCollection().find({ key_id: { $ne: keyIdOf(keys[0]) } })) {
    const value = open(keys, doc);
    if (value === null) {
      told.unreadable += 1;
      continue;
    }
    const asRead = { _id: doc._id, sealed: doc.sealed };
    const { modifiedCount } = await credentialCollection().updateOne(asRead, {
      $set: sealCredential(keys, doc, value),
    });
    told.renewed += modifiedCount;
  }
  return told;
}
