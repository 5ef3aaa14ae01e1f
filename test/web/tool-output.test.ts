import { expect, it } from 'vitest';
import type { RunEvent } from '../../domain/run-events.ts';
import { runFeed } from '../../web/run-feed.ts';
import { mattersNow } from '../../web/transcript.ts';

const event = (cursor: number, type: string, data: Record<string, unknown>): RunEvent => ({
  cursor,
  type,
  ts: '2026-01-01T00:00:00.000Z',
  data,
});
const call = { tool_call_id: 'c', name: 'command', arguments: { operation: 'run', args: { command: 'make' } } };
const begun = [
  event(1, 'run.started', {}),
  event(2, 'model.started', { turn: 1, try: 1, model: 'm' }),
  event(3, 'model.completed', { turn: 1, try: 1, ok: true, text: '', tool_calls: [call], tokens: {} }),
];
const said = (offset: number, text: string) => ({ run_id: 'r', turn: 1, call_id: 'c', offset, text });

it('what a call says is put together under it, is no text of the model, and gives way to the result', () => {
  const asked: number[] = [];
  const feed = runFeed((cursor) => asked.push(cursor));
  feed.events(begun);
  feed.output(said(0, 'one\n'));
  feed.output(said(0, 'one\n'));
  feed.output(said(2, 'e\ntwo\n'));
  const { transcript } = feed.state();
  expect(transcript.outputs).toEqual({ 'call-1-c': 'one\ntwo\n' });
  expect(transcript.writing).toBeNull();
  expect(mattersNow(transcript)).toBe('call-1-c');

  feed.output(said(20, 'after a hole'));
  expect(asked).toEqual([4]);
  expect(feed.state().transcript.outputs).toEqual({ 'call-1-c': 'one\ntwo\n' });
  feed.output(said(0, 'one\ntwo\nthree, four, after'));
  feed.events([
    event(4, 'tool.started', { turn: 1, call_id: 'c' }),
    event(5, 'tool.completed', { turn: 1, call_id: 'c', ok: true }),
  ]);
  expect(feed.state().transcript.outputs).toEqual({});
  feed.output(said(0, 'late'));
  expect(feed.state().transcript.outputs).toEqual({});
});
