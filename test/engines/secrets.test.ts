import { join } from 'node:path';
import { expect, it } from 'vitest';
import { secretKeysOf } from '../../engines/secrets.ts';
import { temporaryFolder } from './temporary.ts';

it('a key that was made is kept, and counts as a previous one once another is given', () => {
  const kept = join(temporaryFolder(), 'secret.key');
  const { SECRET_KEY: own, SECRET_KEY_PREVIOUS } = secretKeysOf(kept, undefined);
  expect(own).toMatch(/^[\w-]{43}$/);
  expect(SECRET_KEY_PREVIOUS).toBe('');
  expect(secretKeysOf(kept, undefined)).toEqual({ SECRET_KEY: own, SECRET_KEY_PREVIOUS: '' });
  expect(secretKeysOf(kept, 'given')).toEqual({ SECRET_KEY: 'given', SECRET_KEY_PREVIOUS: own });
  expect(secretKeysOf(kept, own)).toEqual({ SECRET_KEY: own, SECRET_KEY_PREVIOUS: '' });
  expect(secretKeysOf(kept, 'newer', 'given')).toEqual({ SECRET_KEY: 'newer', SECRET_KEY_PREVIOUS: `given,${own}` });
});

it('nothing is made where a key is given', () => {
  const kept = join(temporaryFolder(), 'secret.key');
  expect(secretKeysOf(kept, 'given')).toEqual({ SECRET_KEY: 'given', SECRET_KEY_PREVIOUS: '' });
});
