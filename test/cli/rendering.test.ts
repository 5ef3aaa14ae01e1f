import { expect, test } from 'vitest';
import { RunRenderer } from '../../cli/rendering.ts';
import { Screen } from '../../cli/screen.ts';
import { coloured, uncoloured } from '../../cli/style.ts';
import type { Fact } from '../../domain/facts.ts';
import type { ToolCall } from '../../domain/model.ts';
import { NO_ANSWER } from '../../domain/run-requests.ts';
import { eventsOf } from '../../domain/trace.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const by = { user_id: 'usr_1', name: 'Ada' };
const usage = { input: 1_000, output: 234, cached: 0 };

/** Text of an answer on its way. */
interface Typed {
  turn: number;
  try: number;
  offset: number;
  text: string;
}

/** What stands on the screen after all this, each fact a second after the one before. */
function shown(told: (Fact | Typed)[], { streaming = true, style = uncoloured, previewLines = 60 } = {}): string {
  const renderer = new RunRenderer({ style, streaming, previewLines });
  let text = '';
  const screen = new Screen({ write: (piece) => (text += piece) });
  told.forEach((item, index) => {
    if ('offset' in item) {
      screen.show(renderer.take({ kind: 'delta', delta: { run_id: 'run_1', ...item } }));
      return;
    }
    for (const event of eventsOf(item, new Date(START + index * 1_000).toISOString())) {
      screen.show(renderer.take({ kind: 'event', event: { cursor: 1, ...event } }));
    }
  });
  return text;
}

const started: Fact[] = [
  { kind: 'queued', at: new Date(START).toISOString() },
  { kind: 'started', model: 'm' },
];
const calling = (turn: number, attempt = 1): Fact => ({ kind: 'call_started', turn, try: attempt, model: 'm' });
const answered = (turn: number, text: string, tool_calls: ToolCall[] = [], attempt = 1): Fact => ({
  ...{ kind: 'answered', turn, try: attempt, model: 'm', text, tool_calls, usage, duration_ms: 5 },
});
const call = (name: string, given: Record<string, unknown>, id = 'c1'): ToolCall => ({
  ...{ tool_call_id: id, name, arguments: given },
});
const finished = (name: string, more: Partial<Extract<Fact, { kind: 'tool_finished' }>> = {}): Fact => ({
  ...{ kind: 'tool_finished', turn: 1, call_id: 'c1', name, ok: true, result: 'x', error: null },
  ...{ started_at: new Date(START).toISOString(), duration_ms: 12, was_allowed: true, target: null },
  ...more,
});
const ended = (output: unknown, status: 'completed' | 'failed' = 'completed'): Fact => ({
  ...{ kind: 'ended', status, output, error: null },
});

test('text is shown as it is written, and the complete answer adds only what was missing', () => {
  const text = shown([
    ...started,
    calling(1),
    { turn: 1, try: 1, offset: 0, text: 'Hello ' },
    { turn: 1, try: 1, offset: 6, text: 'wor' },
    answered(1, 'Hello world.'),
    ended('Hello world.'),
  ]);
  expect(text).toBe('Hello world.\n\n✓ completed · 1 turn · 1,234 tokens · 5.0 s\n');
});

test('without streaming an answer is shown once, when it is whole', () => {
  const told = [calling(1), { turn: 1, try: 1, offset: 0, text: 'Hel' }, answered(1, 'Hello.')];
  expect(shown(told, { streaming: false })).toBe('Hello.\n');
});

test('a piece that has a gap before it is left to the complete answer', () => {
  const told = [calling(1), { turn: 1, try: 1, offset: 3, text: 'lo' }, answered(1, 'Hello.')];
  expect(shown(told)).toBe('Hello.\n');
});

test('half a character waits for its other half', () => {
  const text = 'a🌱b';
  const pieces = [...Array(text.length).keys()].map((offset) => ({
    turn: 1,
    try: 1,
    offset,
    text: text.charAt(offset),
  }));
  const written: string[] = [];
  const renderer = new RunRenderer({ style: uncoloured, streaming: true, previewLines: 60 });
  for (const delta of pieces) {
    for (const piece of renderer.take({ kind: 'delta', delta: { run_id: 'run_1', ...delta } })) {
      written.push('inline' in piece ? piece.inline : piece.line);
    }
  }
  expect(written).toEqual(['a', '🌱', 'b']);
});

test('an answer that broke off is marked, and the next try is shown from its beginning', () => {
  const error = { code: 'stream_cut' as const, message: 'The answer broke off.', details: {}, retryable: true };
  const text = shown([
    calling(1),
    { turn: 1, try: 1, offset: 0, text: 'Hel' },
    { kind: 'call_failed', turn: 1, try: 1, error, retry_after_ms: null },
    calling(1, 2),
    { turn: 1, try: 2, offset: 0, text: 'Hello' },
    answered(1, 'Hello.', [], 2),
  ]);
  expect(text).toBe('Hel\n! Model call 1 failed: The answer broke off. It is tried again.\nHello.\n');
});

test('an answer whose worker died is marked when the next try begins', () => {
  const told = [calling(1), { turn: 1, try: 1, offset: 0, text: 'Hel' }, calling(1, 2), answered(1, 'Hello.', [], 2)];
  expect(shown(told)).toBe('Hel\n… broke off there; the answer begins again\nHello.\n');
});

test('a tool call is one quiet line with what it is about and how long it took', () => {
  const told = [answered(1, 'I look.', [call('read_file', { path: '/a.md' })]), finished('read_file')];
  expect(shown(told)).toBe('I look.\n  ✓ read_file /a.md  12 ms\n');
});

test('a tool call that failed says why', () => {
  const error = { code: 'no_such_file' as const, message: 'There is no /b.md.', details: {}, retryable: false };
  const told = [answered(1, '', [call('read_file', { path: '/b.md' })]), finished('read_file', { ok: false, error })];
  expect(shown(told)).toBe('  ✗ read_file /b.md  12 ms\n    There is no /b.md.\n');
});

const pending = (preview: string): Fact => ({
  ...{ kind: 'action_pending', turn: 1, call_id: 'c1', action_id: 'act_1', tool: 'write_file' },
  ...{ arguments: { path: '/a.md', content: 'x' }, path: '/a.md', preview, digest: 'd', base_hash: null },
});
const decided = (confirmed: boolean, reason: string | null = null, changed = false): Fact => ({
  ...{ kind: 'action_decided', turn: 1, call_id: 'c1', action_id: 'act_1', confirmed, reason, by },
  arguments: changed ? { path: '/a.md', content: 'y' } : null,
});
const DIFF = '===\n--- a/a.md\n+++ b/a.md\n@@ -1,1 +1,1 @@\n-old\n+new\n';

test('an action is shown with its diff, and then what became of it', () => {
  const text = shown([pending(DIFF), decided(true), finished('write_file')]);
  expect(text).toBe(
    [
      '? write_file /a.md waits to be allowed',
      '  --- a/a.md',
      '  +++ b/a.md',
      '  @@ -1,1 +1,1 @@',
      '  -old',
      '  +new',
      '  Ada allowed it',
      '  ✓ write_file  12 ms',
      '',
    ].join('\n'),
  );
});

test('a diff is coloured by what it adds and takes away', () => {
  const text = shown([pending(DIFF)], { style: coloured });
  expect(text).toContain('\x1b[31m-old');
  expect(text).toContain('\x1b[32m+new');
  expect(text).toContain('\x1b[36m@@');
});

test('a long preview is cut and says so', () => {
  const long = `--- a/a\n+++ b/a\n@@ @@\n${'+line\n'.repeat(100)}`;
  expect(shown([pending(long)], { previewLines: 10 })).toContain('  … 93 more lines\n');
});

test('a write that would change nothing says so', () => {
  expect(shown([pending('===\n--- a/a.md\n+++ b/a.md\n')])).toContain('(changes nothing)');
});

test('a denied action says why and its failed call is not told again', () => {
  const error = { code: 'denied' as const, message: 'Refused.', details: {}, retryable: false };
  const text = shown([pending(DIFF), decided(false, 'not now'), finished('write_file', { ok: false, error })]);
  expect(text).toMatch(/ {2}Ada denied it: not now\n$/);
});

test('an action that was changed before it was allowed says so', () => {
  expect(shown([pending(DIFF), decided(true, null, true)])).toMatch(/Ada allowed it with changes\n$/);
});

test.each([
  ['two', '  Ada answered: two\n'],
  [NO_ANSWER, '  Ada left it unanswered\n'],
])('a question and its answer stand one below the other (%s)', (answer, last) => {
  const ids = { turn: 1, call_id: 'c1', question_id: 'q1' };
  const text = shown([
    { kind: 'question_asked', ...ids, question: 'Which one?\n1. one\n2. two' },
    { kind: 'question_answered', ...ids, answer, by },
    finished('clarify_user'),
  ]);
  expect(text).toBe(`? Which one?\n  1. one\n  2. two\n${last}`);
});

test('an output that was not written as an answer is shown at the end, and so is the error', () => {
  const error = { code: 'poison_step' as const, message: 'It never came to an end.', details: {}, retryable: true };
  const text = shown([
    ...started,
    answered(1, 'Partly.'),
    { kind: 'ended', status: 'failed', output: { a: 1 }, error },
  ]);
  expect(text).toBe('Partly.\n{\n  "a": 1\n}\nIt never came to an end.\n\n✗ failed · 1 turn · 1,234 tokens · 2.0 s\n');
});

test('messages of people and the word about the budget have lines of their own', () => {
  const text = shown([
    calling(1),
    { turn: 1, try: 1, offset: 0, text: 'I am wri' },
    { kind: 'message_received', message_id: 'm1', content: 'Shorter, please.', by },
    { kind: 'budget_warned', turn: 2, limit: 'tokens', message: 'Finish.' },
  ]);
  expect(text).toBe(
    'I am wri\n» Ada: Shorter, please.\n! Close to the limit of tokens: the agent is told to finish.\n',
  );
});

test('nothing a model, a file or a person writes can steer the terminal or hide what it is', () => {
  const evil = 'a\x1b[2Jb\rc\x9bd\u202ee';
  const text = shown([
    { turn: 1, try: 1, offset: 0, text: evil },
    answered(1, evil, [call('read_file', { path: evil })]),
    finished('read_file'),
    pending(`+${evil}`),
    { kind: 'question_asked', turn: 1, call_id: 'c2', question_id: 'q', question: evil },
    { kind: 'message_received', message_id: 'm', content: evil, by },
    ended(`other ${evil}`),
  ]);
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(text).toContain('+a␛[2Jb␍c\\u009bd\\u202ee');
});

test('events of a kind that is not known yet are passed over', () => {
  const renderer = new RunRenderer({ style: uncoloured, streaming: true, previewLines: 60 });
  const event = { cursor: 1, type: 'of.a.later.version', ts: new Date(START).toISOString(), data: {} };
  expect(renderer.take({ kind: 'event', event })).toEqual([]);
});

test('what another agent does is told where it begins and ends, and what a run waits for', () => {
  const renderer = new RunRenderer({ style: uncoloured, streaming: true, previewLines: 60 });
  const told = (type: string, data: Record<string, unknown>) =>
    renderer
      .take({ kind: 'event', event: { cursor: 1, type, ts: new Date(START).toISOString(), data } })
      .map((piece) => ('line' in piece ? piece.line : piece.inline));
  expect(told('delegation.started', { agent_name: 'Reviewer', child_run_id: 'run_1', call_id: 'c' })).toEqual([
    '→ Reviewer · run_1',
  ]);
  expect(renderer.doing).toBe('waiting for Reviewer');
  expect(
    told('delegation.completed', { call_id: 'c', ok: true, summary: 'All well.', error: null, duration_ms: 1500 }),
  ).toEqual(['← All well. 1.5 s']);
  expect(told('run.rate_limited', { until: '2030-01-01T00:00:00.000Z', limit: 100 })[0]).toContain('2030-01-01');
  expect(told('run.paused', { by: { user_id: 'u', name: 'Ada' } })).toEqual(['‖ Paused by Ada.']);
  expect(
    told('model.completed', { turn: 5, try: 1, ok: true, text: 'So far …', purpose: 'compact', tool_calls: [] })[0],
  ).toContain('summed up');
});
