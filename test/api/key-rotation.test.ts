import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdentity } from '../../api/identity.ts';
import { admitRequest, keepReply } from '../../store/idempotency.ts';
import { OWNER } from '../../store/installation.ts';
import { type Api, SECRET_KEY, startApi } from './running-api.ts';

const OLD = 'the key of the time before';
const LOST = 'a key that was never given';
let api: Api;
beforeAll(async () => {
  api = await startApi({ previousKeys: [OLD] });
});
afterAll(() => api.stop());

describe('after SECRET_KEY was changed', () => {
  it('a token that was signed under the previous one lets in until it ends; one under a lost key does not', async () => {
    const rotated = createIdentity({ secretKey: SECRET_KEY, previousKeys: [OLD] });
    const [before, now, lost] = await Promise.all(
      [OLD, SECRET_KEY, LOST].map((secretKey) => createIdentity({ secretKey }).issueToken(OWNER)),
    );
    expect(await rotated.identify(before?.token ?? '')).toMatchObject({ user_id: OWNER });
    expect(await rotated.identify(now?.token ?? '')).toMatchObject({ user_id: OWNER });
    await expect(rotated.identify(lost?.token ?? '')).rejects.toMatchObject({ code: 'unauthenticated' });
    const dropped = createIdentity({ secretKey: SECRET_KEY });
    await expect(dropped.identify(before?.token ?? '')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('a write that was answered before is answered the same again, and nothing is written twice', async () => {
    const caller = await createIdentity({ secretKey: SECRET_KEY }).identify(api.ownerKey);
    const before = { key: 'k', content: 'POST /x', secretKeys: [OLD] } as const;
    await admitRequest(caller, before);
    await keepReply(caller, before, { status: 201, body: { id: 'made before' } });
    const now = { ...before, secretKeys: [SECRET_KEY, OLD] } as const;
    expect(await admitRequest(caller, now)).toEqual({ replay: { status: 201, body: { id: 'made before' } } });
    await expect(admitRequest(caller, { ...now, content: 'POST /y' })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
  });
});
