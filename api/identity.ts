import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { Failure, isFailure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { recognizeApiKey } from '../store/api-keys.ts';
import { callerOf } from '../store/callers.ts';
import { deriveKey } from '../store/secrets.ts';
import { findOidcUser } from '../store/users.ts';
import { createOidc, type OidcSettings } from './oidc.ts';
import { Remembering } from './remembering.ts';

const TOKEN_HOURS = 12;
const ISSUER = 'longhaul';

interface Session {
  caller: Caller;
  /** When the token ends by itself; null for a key without expiry. */
  expires_at: Date | null;
}

export interface Identity {
  /** Who a bearer token speaks for, whatever kind of token it is; `unauthenticated` or `forbidden` otherwise. */
  identify(token: string): Promise<Caller>;
  /** The same with the end of the token, for what stays open longer than a request. */
  session(token: string): Promise<Session>;
  issueToken(userId: string): Promise<{ token: string; expires_at: string }>;
  /** After a change of keys or roles made by this process: the next request looks again. */
  forget(): void;
}

const refuse = (message: string): Failure => new Failure('unauthenticated', message);

interface IdentitySettings {
  secretKey: string;
  /** Tokens signed under one of these stay valid until they end by themselves. */
  previousKeys?: readonly string[];
  oidc?: OidcSettings | undefined;
}

export function createIdentity({ secretKey, previousKeys = [], oidc }: IdentitySettings): Identity {
  const signingKey = deriveKey(secretKey, 'sign-in tokens');
  const signingKeys = [signingKey, ...previousKeys.map((key) => deriveKey(key, 'sign-in tokens'))];
  const verifyOidc = oidc && createOidc(oidc);
  const remembered = new Remembering<Session>(({ expires_at }) => expires_at);

  async function sessionOf(userId: string, expires_at: Date | null): Promise<Session> {
    const caller = await callerOf(userId);
    if (!caller) throw refuse('The user of this token is no longer there.');
    return { caller, expires_at };
  }

  async function fromOwnToken(token: string): Promise<Session> {
    const required = { issuer: ISSUER, audience: ISSUER, algorithms: ['HS256'], requiredClaims: ['sub', 'exp'] };
    let why: unknown;
    for (const key of signingKeys) {
      try {
        const { payload } = await jwtVerify(token, key, required);
        return await sessionOf(String(payload.sub), new Date(Number(payload.exp) * 1000));
      } catch (error) {
        if (isFailure(error)) throw error;
        why = error;
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
      }
    }
    throw refuse(why instanceof errors.JWTExpired ? 'The token has expired.' : 'The token is not valid.');
  }

  async function fromOidc(verify: NonNullable<typeof verifyOidc>, token: string): Promise<Session> {
    const { issuer, subject, verified_email, expires_at } = await verify(token);
    const userId = await findOidcUser(issuer, subject, verified_email);
    if (!userId) {
      throw new Failure('forbidden', 'Nobody here has this account. An admin must invite your e-mail address first.', {
        email: verified_email,
      });
    }
    return sessionOf(userId, expires_at);
  }

  async function fromApiKey(token: string): Promise<Session> {
    const key = await recognizeApiKey(token, new Date());
    if (!key) throw refuse('The API key is not known, has expired or was revoked.');
    return sessionOf(key.user_id, key.expires_at);
  }

  function resolve(token: string): Promise<Session> {
    const alg = algorithmOf(token);
    if (alg === null) return fromApiKey(token);
    if (alg === 'HS256') return fromOwnToken(token);
    return verifyOidc ? fromOidc(verifyOidc, token) : Promise.reject(refuse('The token is not valid.'));
  }

  const session = (token: string): Promise<Session> => remembered.get(token, () => resolve(token));

  return {
    session,
    identify: async (token) => (await session(token)).caller,
    issueToken: async (userId) => {
      const expires = new Date(Math.floor(Date.now() / 1000) * 1000 + TOKEN_HOURS * 3_600_000);
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(ISSUER)
        .setAudience(ISSUER)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(signingKey);
      return { token, expires_at: expires.toISOString() };
    },
    forget: () => remembered.forget(),
  };
}

/** null for what is not a JWT at all, and therefore can only be an API key. */
function algorithmOf(token: string): string | null {
  if (token.split('.').length !== 3) return null;
  try {
    return decodeProtectedHeader(token).alg ?? 'none';
  } catch {
    return null;
  }
}
