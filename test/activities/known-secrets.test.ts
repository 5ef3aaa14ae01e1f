import { describe, expect, it } from 'vitest';
import { KnownSecrets } from '../../activities/known-secrets.ts';
import type { OpenCredential } from '../../store/credential-upkeep.ts';

const keyOf = (value: string): OpenCredential[] => [
  { key: 'api_key', provider: 'openai', part: 'api_key', may_be_private: false, value },
];

describe('the credentials of an agent, read by several of its runs', () => {
  it('are read once for all that were asked for before', async () => {
    const known = new KnownSecrets([]);
    let reads = 0;
    const read = async () => keyOf(`read ${++reads}`);
    const asked = Date.now();
    const found = await Promise.all([1, 2, 3].map(() => known.readBy('agt_1', asked, read).found));
    expect(found).toEqual([1, 2, 3].map(() => keyOf('read 1')));
    expect(await known.readBy('agt_2', asked, read).found).toEqual(keyOf('read 2'));
  });

  it('are read anew for a run that was asked for after them: what was changed in between holds for it', async () => {
    const known = new KnownSecrets([]);
    const first = known.readBy('agt_1', Date.now(), async () => keyOf('old'));
    const second = known.readBy('agt_1', first.begun + 1, async () => keyOf('new'));
    expect(await second.found).toEqual(keyOf('new'));
    expect(await known.readBy('agt_1', first.begun, async () => keyOf('newer')).found).toEqual(keyOf('new'));
  });

  it('are not shared where they could not be read', async () => {
    const known = new KnownSecrets([]);
    const failing = known.readBy('agt_1', 0, () => Promise.reject(new Error('away')));
    await expect(failing.found).rejects.toThrow('away');
    expect(await known.readBy('agt_1', 0, async () => keyOf('there again')).found).toEqual(keyOf('there again'));
  });
});
