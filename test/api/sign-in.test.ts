import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../../store/installation.ts';
import { createSignInLink } from '../../store/sign-in-links.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const signIn = (email: string, password: string) =>
  api.call('POST', '/auth/sign-in', { token: null, body: { email, password } });
const byLink = (token: string) => api.call('POST', '/auth/link', { token: null, body: { token } });

describe('sign-in by link', () => {
  it('lets in once, and not a second time', async () => {
    const token = await createSignInLink(OWNER, 60_000);
    const first = await byLink(token);
    expect(first.status).toBe(200);
    expect(first.body.user).toMatchObject({ email: 'owner@example.org', is_owner: true });
    const me = await api.call('GET', '/me', { token: first.body.token });
    expect(me.body.user.id).toBe(OWNER);
    const second = await byLink(token);
    expect([second.status, second.body.error]).toEqual([401, 'spent_link']);
  });

  it('lets in one of many who come at once', async () => {
    const token = await createSignInLink(OWNER, 60_000);
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => byLink(token)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('refuses a link past its time, and one that never was', async () => {
    expect((await byLink(await createSignInLink(OWNER, -1))).status).toBe(401);
    expect((await byLink('never-made-anywhere-at-all')).status).toBe(401);
  });
});

describe('sign-in by password', () => {
  it('is possible once a password is set, and changing it needs the old one', async () => {
    const { token, email } = await api.member(await api.workspace(), 'read');
    const put = (body: unknown) => api.call('PUT', '/me/password', { token, body });
    expect((await put({ password: 'short' })).status).toBe(400);
    expect((await put({ password: 'correct horse' })).status).toBe(204);
    expect((await signIn(email, 'correct horse')).status).toBe(200);
    expect((await signIn(email.toUpperCase(), 'correct horse')).status).toBe(200);

    const without = await put({ password: 'another horse' });
    expect([without.status, Object.keys(without.body.details.fields)]).toEqual([400, ['current_password']]);
    expect((await put({ password: 'another horse', current_password: 'wrong' })).status).toBe(400);
    expect((await put({ password: 'another horse', current_password: 'correct horse' })).status).toBe(204);
    expect((await signIn(email, 'correct horse')).status).toBe(401);
    expect((await signIn(email, 'another horse')).status).toBe(200);
  });

  it('answers alike for an unknown account, one without a password and a wrong password', async () => {
    const { token, email } = await api.member(await api.workspace(), 'read');
    const { email: without } = await api.member(await api.workspace(), 'read');
    await api.call('PUT', '/me/password', { token, body: { password: 'correct horse' } });
    const answers = await Promise.all([
      signIn(email, 'wrong password'),
      signIn(without, 'wrong password'),
      signIn('nobody@example.org', 'wrong password'),
    ]);
    const said = answers.map(({ status, body: { request_id: _id, ...body } }) => JSON.stringify([status, body]));
    expect(new Set(said).size).toBe(1);
    expect(answers[0].status).toBe(401);
  });

  it('takes as long for an unknown account as for a wrong password', async () => {
    const { token, email } = await api.member(await api.workspace(), 'read');
    await api.call('PUT', '/me/password', { token, body: { password: 'correct horse' } });
    const time = async (address: string) => {
      const started = performance.now();
      await signIn(address, 'wrong password');
      return performance.now() - started;
    };
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let n = 0; n < 5; n++) {
      times.known.push(await time(email));
      times.unknown.push(await time('nobody-at-all@example.org'));
    }
    const least = (list: number[]) => Math.min(...list);
    expect(least(times.unknown)).toBeGreaterThan(least(times.known) / 3);
  });
});

describe('the limit on tries', () => {
  it('is ten a minute for an address and an account, with word on when to come back', async () => {
    const { token, email } = await api.member(await api.workspace(), 'read');
    await api.call('PUT', '/me/password', { token, body: { password: 'correct horse' } });
    const tries = await Promise.all(Array.from({ length: 10 }, () => signIn(email, 'wrong password')));
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([401]));
    const refused = await signIn(email, 'correct horse');
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests']);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect((await signIn('somebody-else@example.org', 'wrong password')).status).toBe(401);
  });
});
