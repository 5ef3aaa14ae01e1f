import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { Failure } from '../domain/failures.ts';

export interface OidcSettings {
  issuer: string;
  audience: string;
}

interface OidcUser {
  issuer: string;
  subject: string;
  /** null unless the issuer vouches for it: an address anybody can claim must not open an account. */
  verified_email: string | null;
  expires_at: Date;
}

/** Public keys only: with a shared secret in this list, a public key could be taken for one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const claimsSchema = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  email: z.email().optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

type KeySet = ReturnType<typeof createRemoteJWKSet>;

async function discover(issuer: string): Promise<KeySet> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  const found = discoverySchema.parse(await response.json());
  if (found.issuer !== issuer) throw new Error(`${url} is of another issuer: ${found.issuer}`);
  return createRemoteJWKSet(new URL(found.jwks_uri), { timeoutDuration: 5_000 });
}

/** Whether the keys could not be had, which says nothing about the token. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';

export function createOidc({ issuer, audience }: OidcSettings): (token: string) => Promise<OidcUser> {
  let keys: Promise<KeySet> | null = null;

  return async (token) => {
    keys ??= discover(issuer);
    let payload: JWTPayload;
    try {
      const required = { issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['sub', 'exp'], clockTolerance: 30 };
      ({ payload } = await jwtVerify(token, await keys, required));
    } catch (error) {
      if (!isOutage(error)) throw new Failure('unauthenticated', 'The token of the identity provider is not valid.');
      keys = null;
      throw new Failure('unavailable', 'The identity provider cannot be reached.', {}, { cause: error });
    }
    const claims = claimsSchema.safeParse(payload);
    if (!claims.success) throw new Failure('unauthenticated', 'The token of the identity provider names nobody.');
    const { sub, exp, email, email_verified } = claims.data;
    return {
      issuer,
      subject: sub,
      verified_email: email_verified === true && email !== undefined ? email : null,
      expires_at: new Date(exp * 1000),
    };
  };
}
