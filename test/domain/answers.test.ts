import { describe, expect, it } from 'vitest';
import { decide, revise } from '../../domain/answers.ts';
import type { Fact } from '../../domain/facts.ts';
import { answered, begun, called, pending, stateOf, tool } from './told.ts';

const by = { user_id: 'usr_1', name: 'Robin' };
const waiting = (...more: Fact[]) =>
  stateOf(begun, [called(1), answered(1, { calls: [tool('w', 'write_file')] })], [pending(1, 'w'), ...more]);
const [asked] = waiting().turns.flatMap(({ calls }) => calls);
const action_id = asked?.action?.action_id ?? '';
const other = { action_id, arguments: { path: '/b.md', content: 'b' } };

describe('[15.5] an action that a person wants with other arguments', () => {
  it('is to be shown with them', () => {
    expect(revise(waiting(), other, by)).toMatchObject([
      { kind: 'action_revised', action_id, arguments: other.arguments },
    ]);
  });

  it('is not while its run is paused, since nobody would show it; as it is, it is decided all the same', () => {
    const paused = waiting({ kind: 'paused', by });
    expect(() => revise(paused, other, by)).toThrow('unpause it first');
    expect(decide(paused, { action_id, confirmed: true }, by)).toMatchObject([{ kind: 'action_decided' }]);
  });

  it('is not changed by two at once', () => {
    const [revised] = revise(waiting(), other, by);
    if (!revised) throw new Error('nothing was told');
    expect(() => revise(waiting(revised), other, by)).toThrow('about to be shown anew');
    expect(() => decide(waiting(revised), { action_id, confirmed: true }, by)).toThrow('about to be shown anew');
  });
});
