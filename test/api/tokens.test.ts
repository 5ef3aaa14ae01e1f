import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNER } from '../../store/installation.ts';
import { deriveKey } from '../../store/secrets.ts';
import { type Api, SECRET_KEY, startApi } from './running-api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const ownKey = deriveKey(SECRET_KEY, 'sign-in tokens');
const made = (key: Uint8Array, change: (jwt: SignJWT) => SignJWT = (jwt) => jwt) =>
  change(
    new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('longhaul')
      .setAudience('longhaul')
      .setSubject(OWNER)
      .setExpirationTime('1h'),
  ).sign(key);

const meAs = (token: string | null) => api.call('GET', '/me', { token });

it('a token of our own lets in for twelve hours', async () => {
  const { token, expires_at } = await api.identity.issueToken(OWNER);
  expect((await meAs(token)).status).toBe(200);
  const hours = (new Date(expires_at).getTime() - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.9);
  expect(hours).toBeLessThanOrEqual(12);
  expect((await api.identity.session(token)).expires_at?.toISOString()).toBe(expires_at);
  expect((await meAs(await made(ownKey))).status).toBe(200);
});

const bad: Record<string, () => Promise<string> | string> = {
  'an expired one': () => made(ownKey, (jwt) => jwt.setExpirationTime('-1s')),
  'one signed with another key': () => made(deriveKey('another secret key', 'sign-in tokens')),
  'one signed with a key for another purpose': () => made(deriveKey(SECRET_KEY, 'something else')),
  'one signed with SECRET_KEY itself': () => made(new TextEncoder().encode(SECRET_KEY.padEnd(32, '.'))),
  'one of another issuer': () => made(ownKey, (jwt) => jwt.setIssuer('somebody')),
  'one for another audience': () => made(ownKey, (jwt) => jwt.setAudience('somebody')),
  'one for a user that is not there': () => made(ownKey, (jwt) => jwt.setSubject('usr_gone')),
  'one that never expires': () =>
    new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('longhaul')
      .setAudience('longhaul')
      .setSubject(OWNER)
      .sign(ownKey),
  'one with alg none': () =>
    new UnsecuredJWT().setIssuer('longhaul').setAudience('longhaul').setSubject(OWNER).setExpirationTime('1h').encode(),
  'one whose payload was exchanged': async () => {
    const [header, , signature] = (await made(ownKey)).split('.');
    const payload = Buffer.from(JSON.stringify({ sub: OWNER, iss: 'longhaul', aud: 'longhaul', exp: 9_999_999_999 }));
    return [header, payload.toString('base64url'), signature].join('.');
  },
  'a word that is no token': () => 'hello',
  'a key that was never made': () => 'lh_00000000000000000000000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
};
it.each(Object.entries(bad))('%s does not let in', async (_what, token) => {
  const answer = await meAs(await token());
  expect([answer.status, answer.body.error]).toEqual([401, 'unauthenticated']);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

it('without a token, or with another scheme, nothing is told', async () => {
  expect((await meAs(null)).status).toBe(401);
  expect((await api.call('GET', '/me', { token: null, headers: { authorization: 'Basic b3duZXI6eA==' } })).status).toBe(
    401,
  );
});
