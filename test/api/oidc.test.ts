import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from './running-api.ts';

const pair = await generateKeyPair('RS256');
const stranger = await generateKeyPair('RS256');
let provider: Server;
let issuer: string;
let isUp = true;
let api: Api;

beforeAll(async () => {
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  provider = createServer((req, res) => {
    const answers: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [jwk] },
    };
    const answer = isUp ? answers[req.url ?? ''] : undefined;
    res.writeHead(answer ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  api = await startApi({ oidc: { issuer, audience: 'longhaul-test' } });
});
afterAll(async () => {
  await api.stop();
  provider.closeAllConnections();
  await new Promise((done) => provider.close(done));
});

type Claims = Record<string, unknown> & { sub: string };
const token = (
  claims: Claims,
  { key = pair.privateKey, audience = 'longhaul-test', expires = '5m', by = issuer } = {},
) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(by)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key);
const meAs = async (jwt: Promise<string>) => api.call('GET', '/me', { token: await jwt });

describe('a token of the identity provider', () => {
  it('cannot be judged while the provider is away, and is judged again when it is back', async () => {
    isUp = false;
    const away = await meAs(token({ sub: 'early', email: 'owner@example.org', email_verified: true }));
    expect([away.status, away.body.error]).toEqual([503, 'unavailable']);
    isUp = true;
    expect((await meAs(token({ sub: 'nobody-yet' }))).status).toBe(403);
  });

  it('lets in who was invited, by verified address first and by subject ever after', async () => {
    const { email, user_id } = await api.member(await api.workspace(), 'write');
    const first = await meAs(token({ sub: 'anna', email: email.toUpperCase(), email_verified: true }));
    expect([first.status, first.body.user.id]).toEqual([200, user_id]);
    const later = await meAs(token({ sub: 'anna', email: 'a-new-address@example.org', email_verified: true }));
    expect([later.status, later.body.user.id]).toEqual([200, user_id]);
    const other = await meAs(token({ sub: 'impostor', email, email_verified: true }));
    expect(other.status).toBe(403);
  });

  it('does not let in by an address that is not verified', async () => {
    const { email } = await api.member(await api.workspace(), 'write');
    expect((await meAs(token({ sub: 'claims', email }))).status).toBe(403);
    expect((await meAs(token({ sub: 'claims', email, email_verified: false }))).status).toBe(403);
    expect((await meAs(token({ sub: 'claims', email, email_verified: 'true' }))).status).toBe(403);
  });

  it('of somebody unknown is told to be invited', async () => {
    const answer = await meAs(token({ sub: 'new', email: 'new@example.org', email_verified: true }));
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden']);
    expect(answer.body.message).toContain('invite');
  });

  const owner = { sub: 'owner', email: 'owner@example.org', email_verified: true };
  it.each([
    ['for another audience', () => token(owner, { audience: 'another' })],
    ['that has expired', () => token(owner, { expires: '-2m' })],
    ['of another issuer', () => token(owner, { by: 'https://elsewhere.example' })],
    ['that names nobody', () => token({ ...owner, sub: '' })],
    ['signed by somebody else', () => token(owner, { key: stranger.privateKey })],
  ])('%s does not let in', async (_what, make) => {
    const answer = await meAs(make());
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthenticated']);
  });
});
