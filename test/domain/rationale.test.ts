import { expect, it } from 'vitest';
import { decide } from '../../demo/rules.ts';
import { rationalePrompt } from '../../domain/rationale.ts';
import type { Step } from '../../domain/run-events.ts';

const step = (step_number: number, type: Step['type'], content: Record<string, unknown>): Step => ({
  step_number,
  type,
  content,
  tokens_used: null,
  duration_ms: null,
  created_at: '2026-01-01T00:00:00.000Z',
});
const many = Array.from({ length: 100 }, (_, n) =>
  step(n + 1, 'tool_result', { name: 'read_file', result: `r${n + 1}` }),
);

it('the prompt has the task, the step and its neighbours, and is bounded however long the run is', () => {
  const long = many.map((each) => ({ ...each, content: { ...each.content, result: 'x'.repeat(50_000) } }));
  const [system, user] = rationalePrompt('y'.repeat(50_000), long, 50) ?? [];
  expect(system?.role).toBe('system');
  expect(user?.content.length).toBeLessThan(25_000);
  const text = rationalePrompt('Do it.', many, 50)?.[1]?.content ?? '';
  expect(text).toContain('The task:\nDo it.');
  expect(text).toContain('The step:\n50. tool_result: {"name":"read_file","result":"r50"}');
  expect(text.match(/^\d+\. /gm)).toHaveLength(10 + 1 + 5);
});

it('there is none for a step that is not there', () => {
  expect(rationalePrompt('Do it.', many, 101)).toBeNull();
});

it('the demo model explains a step from what stands around it, and calls no tool', () => {
  const steps = [
    step(1, 'llm_response', { text: 'I list the files.' }),
    step(2, 'tool_call', { name: 'list_files', arguments: {} }),
    step(3, 'tool_result', { name: 'list_files', ok: true }),
  ];
  const { text, calls } = decide(rationalePrompt('count the TODOs', steps, 2) ?? [], []);
  expect(calls).toEqual([]);
  expect(text).toContain('The step was a call of list_files.');
  expect(text).toContain(
    'before it there was an answer of the model (“I list the files.”); then came the result of list_files',
  );
});
