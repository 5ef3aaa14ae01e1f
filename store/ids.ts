import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const encode = (bytes: Buffer, length: number): string => {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ALPHABET[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
};

/**
 * An opaque id that sorts by time of creation. With a seed (from an Idempotency-Key) the same request makes the same
 * id again, so that a repeated write meets its own first try.
 */
export function newId(prefix: string, seed?: string): string {
  const time = Buffer.alloc(6);
  time.writeUIntBE(Date.now(), 0, 6);
  const tail = seed === undefined ? randomBytes(10) : createHash('sha256').update(seed).digest().subarray(0, 10);
  return seed === undefined
    ? `${prefix}_${encode(time, 10)}${encode(tail, 16)}`
    : `${prefix}_${encode(tail, 16)}${encode(createHash('sha256').update(`${seed}:2`).digest().subarray(0, 6), 10)}`;
}
