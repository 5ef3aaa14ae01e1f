import mongoose from 'mongoose';
import type { ApiKey, Caller } from '../domain/identity.ts';
import { isDuplicate } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { type Page, type PageRequest, readPage } from './pages.ts';
import { hashToken, newSecret } from './secrets.ts';
import { missing } from './tenancy.ts';

interface ApiKeyDoc {
  _id: string;
  org_id: string;
  user_id: string;
  name: string;
  prefix: string;
  token_hash: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const schema = new mongoose.Schema<ApiKeyDoc>(
  {
    _id: String,
    org_id: String,
    user_id: String,
    name: String,
    prefix: String,
    token_hash: String,
    created_at: Date,
    expires_at: Date,
    last_used_at: Date,
    revoked_at: Date,
  },
  { collection: 'api_keys', versionKey: false },
);
schema.index({ token_hash: 1 }, { unique: true });
schema.index({ user_id: 1, created_at: 1, _id: 1 });
const ApiKeyModel = mongoose.model<ApiKeyDoc>('ApiKey', schema);

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const toApiKey = ({ _id, name, prefix, created_at, expires_at, last_used_at, revoked_at }: ApiKeyDoc): ApiKey => ({
  id: _id,
  name,
  prefix,
  created_at: created_at.toISOString(),
  expires_at: iso(expires_at),
  last_used_at: iso(last_used_at),
  revoked_at: iso(revoked_at),
});

const prefixOf = (id: string): string => id.replace(/^key_/, 'lh_');

/** `lh_<id>_<secret>`: the id tells which key it is, in a log or a leak; only the secret opens anything. */
export const tokenOf = (id: string, secret: string): string => `${prefixOf(id)}_${secret}`;

export interface NewApiKey {
  id: string;
  name: string;
  expires_at: Date | null;
}

/**
 * The token is given out once and kept as a hash. Repeated with the same id, the first answer never arrived: the key
 * gets a new secret, since the old one is known to nobody.
 */
export async function createApiKey(caller: Caller, { id, ...rest }: NewApiKey): Promise<ApiKey & { key: string }> {
  const key = tokenOf(id, newSecret());
  const own = { org_id: caller.org_id, user_id: caller.user_id };
  const doc: ApiKeyDoc = {
    _id: id,
    ...own,
    ...rest,
    prefix: prefixOf(id),
    token_hash: hashToken(key),
    created_at: new Date(),
    last_used_at: null,
    revoked_at: null,
  };
  try {
    await ApiKeyModel.create(doc);
    return { ...toApiKey(doc), key };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const again = await ApiKeyModel.findOneAndUpdate(
      { _id: id, ...own },
      { $set: { token_hash: doc.token_hash } },
      { returnDocument: 'after' },
    ).lean<ApiKeyDoc>();
    if (!again) throw missing('API key', id);
    return { ...toApiKey(again), key };
  }
}

export const listApiKeys = (caller: Caller, page: PageRequest): Promise<Page<ApiKey>> =>
  readPage(ApiKeyModel, { org_id: caller.org_id, user_id: caller.user_id }, page, toApiKey);

/** Keys are their user's own; the owner of the organization can take back anybody's. */
export async function revokeApiKey(caller: Caller, id: string): Promise<void> {
  const own = caller.is_owner ? { org_id: caller.org_id } : { org_id: caller.org_id, user_id: caller.user_id };
  const found = await ApiKeyModel.findOneAndUpdate(
    { _id: id, ...own },
    [{ $set: { revoked_at: { $ifNull: ['$revoked_at', '$$NOW'] } } }],
    { updatePipeline: true },
  ).lean<ApiKeyDoc>();
  if (!found) throw missing('API key', id);
}

interface LiveKey {
  id: string;
  user_id: string;
  expires_at: Date | null;
}

/** Who a token stands for; there is no caller yet. Remembers the use, at most once a minute. */
export async function recognizeApiKey(token: string, now: Date): Promise<LiveKey | null> {
  const found = await ApiKeyModel.findOne({ token_hash: hashToken(token), revoked_at: null }).lean<ApiKeyDoc>();
  if (!found || (found.expires_at && found.expires_at <= now)) return null;
  if (!found.last_used_at || now.getTime() - found.last_used_at.getTime() > 60_000) {
    await ApiKeyModel.updateOne({ _id: found._id }, { $max: { last_used_at: now } });
  }
  return { id: found._id, user_id: found.user_id, expires_at: found.expires_at };
}

interface InstalledKey {
  id: string;
  org_id: string;
  user_id: string;
  name: string;
  token: string;
}

/** Set-up only: a key whose token the operator holds. False when this very token was revoked by somebody. */
export async function ensureApiKey({ id, token, ...rest }: InstalledKey): Promise<boolean> {
  const token_hash = hashToken(token);
  const fresh = { ...rest, prefix: prefixOf(id), created_at: new Date(), expires_at: null, last_used_at: null };
  await insertOnce(ApiKeyModel, { _id: id, ...fresh, token_hash, revoked_at: null });
  await ApiKeyModel.updateOne({ _id: id, token_hash: { $ne: token_hash } }, { $set: { token_hash, revoked_at: null } });
  return (await ApiKeyModel.exists({ _id: id, revoked_at: null })) !== null;
}

/** Set-up only: the operator no longer gives this key. */
export async function dropApiKey(id: string): Promise<void> {
  await ApiKeyModel.deleteOne({ _id: id });
}
