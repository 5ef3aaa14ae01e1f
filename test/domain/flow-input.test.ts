import { describe, expect, it } from 'vitest';
import { inputOf, readTime } from '../../domain/flow-input.ts';
import type { StepOf } from '../../domain/workflow-definition.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const waits = (how: Pick<StepOf<'wait'>, 'duration' | 'until'>, value: unknown) =>
  inputOf({ id: 'w', type: 'wait', ...how }, { input: value }, null, NOW);
const seconds = (value: unknown) => waits({ duration: '{{ input }}' }, value);
const until = (value: unknown) => waits({ until: '{{ input }}' }, value);

describe('[7] how long a step waits', () => {
  it.each([2, '2', ' 2.0 '])('is so many seconds: %j', (value) =>
    expect(seconds(value)).toEqual({ input: null, until: '2026-01-01T00:00:02.000Z' }),
  );
  it.each([null, '', ' ', [], [2], {}, true, 'soon', 'Infinity', 1e300])(
    'is never made up from what is none: %j',
    (value) => expect(seconds(value).error).toMatchObject({ code: 'bad_mapping' }),
  );
  it.each([null, 5, '5', 'tomorrow', '2026-13-01T00:00:00Z', 'Thu, 01 Jan 2026', {}])(
    'is until a time, and not %j',
    (value) => expect(until(value).error).toMatchObject({ code: 'bad_mapping' }),
  );
  it.each([
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T09:00', '2030-01-31T09:00:00.000Z'],
    ['2030-01-31T09:00:00.5', '2030-01-31T09:00:00.500Z'],
    ['2030-01-31T09:00:00+02:00', '2030-01-31T07:00:00.000Z'],
    ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00.000Z'],
  ])('is the same wherever it is read: %s', (text, time) => {
    expect(new Date(readTime(text)).toISOString()).toBe(time);
    expect(until(text)).toEqual({ input: null, until: time });
  });
});
