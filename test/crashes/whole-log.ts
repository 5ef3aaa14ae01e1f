import { expect } from 'vitest';
import type { RunEvent } from '../../domain/run-events.ts';

/** No gap, nothing twice: every answer once, every tool result once, one end. */
export function expectWhole(events: RunEvent[], turns: number): void {
  expect(events.map((event) => event.cursor)).toEqual(events.map((_, index) => index + 1));
  const answers = events.filter((event) => event.type === 'model.completed' && event.data.ok);
  expect(answers.map((event) => event.data.turn)).toEqual(Array.from({ length: turns }, (_, index) => index + 1));
  const calls = events
    .filter((event) => event.type === 'tool.completed')
    .map((event) => `${event.data.turn}:${event.data.call_id}`);
  expect(new Set(calls).size).toBe(calls.length);
  expect(events.filter((event) => event.type === 'run.completed')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('run.completed');
}
