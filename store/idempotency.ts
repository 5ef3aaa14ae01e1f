import { createHash, createHmac } from 'node:crypto';
import mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { isDuplicate } from './connection.ts';
import { deriveKey, newSecret, type SecretKeys, seal, unseal } from './secrets.ts';

/**
 * What a write with an Idempotency-Key has come to. The answer is sealed under a key that needs the Idempotency-Key
 * itself, which is not stored: an API key shown once stays shown once.
 */
interface RequestDoc {
  _id: string;
  request_hash: string;
  /** Ids made while handling come from it, so that a second execution meets the rows of the first. */
  seed: string;
  /** null once answered, or given up by a process that is still there. */
  locked_at: Date | null;
  reply: string | null;
  expires_at: Date;
}

const schema = new mongoose.Schema<RequestDoc>(
  { _id: String, request_hash: String, seed: String, locked_at: Date, reply: String, expires_at: Date },
  { collection: 'idempotency', versionKey: false },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
const RequestModel = mongoose.model<RequestDoc>('IdempotentRequest', schema);

const KEPT_MS = 24 * 3_600_000;
/** A lock that was not renewed for so long belongs to a process that died. */
const LOCK_MS = 60_000;

interface StoredReply {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface KeyedRequest {
  key: string;
  /** Everything that makes it this request: method, path and body. */
  content: string;
  secretKeys: SecretKeys;
}

type Admission = { replay: StoredReply } | { seed: string };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const idOf = (caller: Caller, key: string): string => sha256(`${caller.org_id}\n${caller.user_id}\n${key}`);
const sealingKey = ({ key }: KeyedRequest, secretKey: string): Uint8Array =>
  deriveKey(secretKey, `idempotent reply\n${key}`);

/** Under a key, since the content may be little more than a password. */
const hashOf = (request: KeyedRequest, secretKey: string): string =>
  createHmac('sha256', sealingKey(request, secretKey)).update(request.content).digest('hex');

/** Either what was answered before, or the right to execute; else it says why not. */
export async function admitRequest(caller: Caller, request: KeyedRequest): Promise<Admission> {
  const _id = idOf(caller, request.key);
  const request_hash = hashOf(request, request.secretKeys[0]);
  const now = new Date();
  const seed = newSecret();
  try {
    const expires_at = new Date(now.getTime() + KEPT_MS);
    await RequestModel.create({ _id, request_hash, seed, locked_at: now, reply: null, expires_at });
    return { seed };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const busy = new Failure('idempotency_in_progress', 'A request with this Idempotency-Key is still under way.');
  const first = await RequestModel.findById(_id).lean<RequestDoc>();
  if (!first) throw busy;
  if (!request.secretKeys.some((secretKey) => hashOf(request, secretKey) === first.request_hash)) {
    throw new Failure('idempotency_mismatch', 'This Idempotency-Key was used for a different request.');
  }
  // A request that was begun under one key may have been answered under another.
  if (first.reply) return { replay: readReply(request, first.reply) };
  if (first.locked_at && now.getTime() - first.locked_at.getTime() < LOCK_MS) throw busy;
  const taken = await RequestModel.updateOne(
    { _id, locked_at: first.locked_at, reply: null },
    { $set: { locked_at: now } },
  );
  if (taken.modifiedCount === 0) throw busy;
  return { seed: first.seed };
}

function readReply(request: KeyedRequest, sealed: string): StoredReply {
  for (const secretKey of request.secretKeys) {
    try {
      return JSON.parse(unseal(sealingKey(request, secretKey), sealed)) as StoredReply;
    } catch {
      // Sealed under another.
    }
  }
  throw new Failure('idempotency_mismatch', 'What was answered under this Idempotency-Key can no longer be read.');
}

export async function renewRequest(caller: Caller, key: string): Promise<void> {
  await RequestModel.updateOne({ _id: idOf(caller, key), reply: null }, { $set: { locked_at: new Date() } });
}

export async function keepReply(caller: Caller, request: KeyedRequest, reply: StoredReply): Promise<void> {
  const sealed = seal(sealingKey(request, request.secretKeys[0]), JSON.stringify(reply));
  await RequestModel.updateOne({ _id: idOf(caller, request.key) }, { $set: { reply: sealed, locked_at: null } });
}

/** Refused with nothing written: the key is free again. */
export async function forgetRequest(caller: Caller, key: string): Promise<void> {
  await RequestModel.deleteOne({ _id: idOf(caller, key), reply: null });
}

/** Failed halfway: the next try goes on at once, with the same ids. */
export async function releaseRequest(caller: Caller, key: string): Promise<void> {
  await RequestModel.updateOne({ _id: idOf(caller, key) }, { $set: { locked_at: null } });
}
