import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Keys for different purposes never meet: each is derived from SECRET_KEY under its own name. */
export const deriveKey = (secretKey: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, 'longhaul', purpose, 32));

/** SECRET_KEY, and those before it: the first one makes, all of them open. */
export type SecretKeys = readonly [current: string, ...previous: string[]];

/** Which key it was, without telling anything about it. */
export const keyIdOf = (secretKey: string): string =>
  Buffer.from(deriveKey(secretKey, 'key id')).toString('hex').slice(0, 16);

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** For tokens of 256 random bits, which need no slow hash. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** `about` is bound to what is sealed: with anything else in its place it does not open. */
export function seal(key: Uint8Array, text: string, about = ''): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

export function unseal(key: Uint8Array, text: string, about = ''): string {
  const sealed = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
}
