import { describe, expect, it } from 'vitest';
import { diceOf } from '../../bench/chaos/dice.ts';
import { flawsOf } from '../../bench/chaos/whole.ts';
import type { RunEvent } from '../../domain/run-events.ts';

const told = (...events: [type: string, data?: Record<string, unknown>][]): RunEvent[] =>
  events.map(([type, data = {}], index) => ({
    cursor: index + 1,
    type: type as RunEvent['type'],
    ts: '2026-01-01T00:00:00.000Z',
    data,
  }));

const started = (turn: number): [string, Record<string, unknown>] => ['model.started', { turn }];
const answered = (turn: number, ok = true): [string, Record<string, unknown>] => ['model.completed', { turn, ok }];
const result = (turn: number, call_id: string): [string, Record<string, unknown>] => [
  'tool.completed',
  { turn, call_id },
];
const END: [string] = ['run.completed'];

describe('what npm run chaos finds in a log', () => {
  it('nothing where a call was lost or failed and made again before its answer', () => {
    const log = told(started(1), started(1), answered(1, false), started(1), answered(1), result(1, 'a'), END);
    expect(flawsOf(log)).toEqual([]);
  });

  it.each<[string, RunEvent[], RegExp]>([
    ['a gap', told(started(1), answered(1), END).filter(({ cursor }) => cursor !== 2), /event 3 where 2 was due/],
    ['an event twice', [...told(started(1)), ...told(started(1), END)], /event 1 where 2 was due/],
    ['an answer that is bought again', told(started(1), answered(1), started(1), END), /model.started of turn 1 after/],
    ['an answer that is stored twice', told(answered(1), answered(1), END), /model.completed of turn 1 after/],
    ['a call done twice', told(answered(1), result(1, 'a'), result(1, 'a'), END), /call a of turn 1 has two results/],
    ['no end', told(started(1)), /0 ends/],
    ['two ends', told(END, ['run.failed']), /2 ends/],
    ['something after the end', told(END, started(1)), /1 ends/],
  ])('%s', (_what, events, flaw) => {
    expect(flawsOf(events).join('\n')).toMatch(flaw);
  });

  it('the same blows under the same seed', () => {
    const throws = (seed: number) => Array.from({ length: 20 }, diceOf(seed).bind(null, 100));
    expect(throws(7)).toEqual(throws(7));
    expect(throws(7)).not.toEqual(throws(8));
  });
});
