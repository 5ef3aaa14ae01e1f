import type { Request } from 'express';
import { failureStatus } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import {
  admitRequest,
  forgetRequest,
  type KeyedRequest,
  keepReply,
  releaseRequest,
  renewRequest,
} from '../store/idempotency.ts';
import { newId } from '../store/ids.ts';
import type { SecretKeys } from '../store/secrets.ts';
import { toFailure } from './error-response.ts';
import { invalid, type Reply, takenOver } from './route.ts';

type MakeId = (prefix: string) => string;
type Execute = (newId: MakeId) => Promise<Reply | typeof takenOver>;

/** Well within the minute after which a lock counts as left behind. */
const RENEW_MS = 20_000;

function seededIds(seed: string): MakeId {
  const made = new Map<string, number>();
  return (prefix) => {
    const n = made.get(prefix) ?? 0;
    made.set(prefix, n + 1);
    return newId(prefix, `${seed}:${prefix}:${n}`);
  };
}

function keyOf(req: Request): string | null {
  const key = req.get('idempotency-key');
  if (key === undefined || req.method === 'GET' || req.method === 'HEAD') return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw invalid('header', { 'Idempotency-Key': 'at most 200 visible ASCII characters' });
  }
  return key;
}

/** Runs a write once per caller and Idempotency-Key, whatever is repeated or dies on the way. */
export async function once(req: Request, caller: Caller | null, secretKeys: SecretKeys, execute: Execute) {
  const key = caller && keyOf(req);
  if (!caller || !key) return execute((prefix) => newId(prefix));

  const content = `${req.method} ${req.originalUrl}\n${JSON.stringify(req.body ?? null)}`;
  const request: KeyedRequest = { key, content, secretKeys };
  const admission = await admitRequest(caller, request);
  if ('replay' in admission) {
    return { ...admission.replay, headers: { ...admission.replay.headers, 'Idempotent-Replay': 'true' } };
  }
  // A renewal that fails costs nothing but an early second execution, which meets the rows of this one.
  const renewal = setInterval(() => void renewRequest(caller, key).catch(() => {}), RENEW_MS);
  try {
    const reply = await execute(seededIds(admission.seed));
    if (reply !== takenOver) await keepReply(caller, request, reply);
    return reply;
  } catch (error) {
    const refused = failureStatus(toFailure(error).code) < 500;
    // Where this fails too, the lock runs out by itself; the first error is the one to tell.
    await (refused ? forgetRequest : releaseRequest)(caller, key).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewal);
  }
}
