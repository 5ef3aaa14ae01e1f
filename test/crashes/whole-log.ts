import { expect } from 'vitest';
import { flawsOf } from '../../bench/chaos/whole.ts';
import type { RunEvent } from '../../domain/run-events.ts';

/** No gap, nothing twice, so many answers, and an end. */
export function expectWhole(events: RunEvent[], turns: number): void {
  expect(flawsOf(events)).toEqual([]);
  const answers = events.filter((event) => event.type === 'model.completed' && event.data.ok);
  expect(answers.map((event) => event.data.turn)).toEqual(Array.from({ length: turns }, (_, index) => index + 1));
  expect(events.at(-1)?.type).toBe('run.completed');
}
