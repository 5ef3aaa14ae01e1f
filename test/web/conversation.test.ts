import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../domain/run-events.ts';
import { type ChatRow, conversationOf, type Said } from '../../web/conversation.ts';
import { messagesOf } from '../../web/screens/chat/earlier.ts';
import { emptyTranscript, type Transcript } from '../../web/transcript.ts';
import { receive } from '../../web/transcript-merge.ts';
import { newRun } from './new-run.ts';
import { random, randomRun, upTo } from './random-run.ts';

const NOTHING_OPEN: ReadonlySet<string> = new Set();
const AT = '2024-05-01T10:00:00.000Z';

interface PlayedRun {
  id: string;
  events: RunEvent[];
  messages: Said[];
}

const message = (run_id: string, role: Said['role'], content: string, n: number): Said => ({
  id: `${run_id}-${n}`,
  role,
  content,
  run_id,
  created_at: AT,
});

/** A run of a session, with what the session keeps of it: what was asked, and in the order of the log what was said. */
function playedRun(seed: number): PlayedRun {
  const id = `run_${seed}`;
  const log = randomRun(seed).happenings.flatMap((each) => (each.kind === 'append' ? each.events : []));
  const summaries = new Set(log.flatMap(({ data }) => (data.purpose === 'compact' ? [data.turn] : [])));
  const events = log.map((event) =>
    event.type === 'model.started' && summaries.has(event.data.turn)
      ? { ...event, data: { ...event.data, purpose: 'compact' } }
      : event,
  );
  const said = events.flatMap(({ type, data }): [Said['role'], string][] => {
    if (type === 'message.received') return [['user', String(data.content)]];
    const isAnswer = type === 'model.completed' && data.ok === true && data.purpose === undefined;
    return isAnswer && data.text !== '' ? [['assistant', String(data.text)]] : [];
  });
  const spoken: [Said['role'], string][] = [['user', `Task ${seed}`], ...said];
  return { id, events, messages: spoken.map(([role, content], n) => message(id, role, content, n)) };
}

const told = (events: readonly RunEvent[]): Transcript => receive(emptyTranscript(), events).transcript;

const isSaid = (row: ChatRow): boolean =>
  row.type === 'answer' || (row.type === 'turn' && row.item.state === 'done' && row.text.trim() !== '');
const words = (row: ChatRow): string => (row.type === 'user' ? row.content : 'text' in row ? row.text : '').trim();
const ofRun = (rows: readonly ChatRow[], id: string) => {
  const own = rows.filter((row) => row.run_id === id);
  return {
    users: own.filter(({ type }) => type === 'user').map(words),
    answers: own.filter((row) => isSaid(row) && !(row.type === 'turn' && row.item.sums_up)).map(words),
  };
};
const ofMessages = (messages: readonly Said[]) => ({
  users: messages.filter(({ role }) => role === 'user').map(({ content }) => content.trim()),
  answers: messages
    .filter(({ role, content }) => role === 'assistant' && content.trim() !== '')
    .map(({ content }) => content.trim()),
});
const longer = (a: string[], b: string[]): string[] => (a.length >= b.length ? a : b);

describe('a conversation from what the session keeps and from the logs of its runs', () => {
  it('shows everything that either tells, and nothing twice, whichever is ahead', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const next = random(seed * 6089);
      const runs = Array.from({ length: 1 + upTo(next, 3) }, (_, at) => playedRun(seed * 10 + at));
      const all = runs.flatMap(({ messages }) => messages);
      const kept = all.slice(0, 1 + upTo(next, all.length - 1));
      const known = runs.filter(({ id }) => kept.some(({ run_id }) => run_id === id));
      const heard = new Map(
        known.filter(() => next() < 0.7).map(({ id, events }) => [id, events.slice(0, upTo(next, events.length))]),
      );
      const transcriptOf = (id: string) => {
        const events = heard.get(id) ?? [];
        return events.length > 0 ? told(events) : undefined;
      };
      const rows = conversationOf(kept, known.at(-1)?.id ?? null, transcriptOf, NOTHING_OPEN);

      expect(new Set(rows.map(({ key }) => key)).size, `seed ${seed}: no key twice`).toBe(rows.length);
      for (const { id, messages } of known) {
        const session = ofMessages(kept.filter(({ run_id }) => run_id === id));
        const events = heard.get(id) ?? [];
        const log = events.length === 0 ? { users: [], answers: [] } : heardIn(messages, events);
        const shown = ofRun(rows, id);
        expect(shown.users, `seed ${seed}, ${id}: people`).toEqual(longer(session.users, log.users));
        expect(shown.answers, `seed ${seed}, ${id}: agent`).toEqual(longer(session.answers, log.answers));
      }
    }
  });

  it('keeps the order of the runs, each closed by one foot, and the latest in its place before anything is said', () => {
    const [first, second] = [playedRun(3), playedRun(4)];
    const rows = conversationOf([...first.messages, ...second.messages], 'run_new', () => undefined, NOTHING_OPEN);
    const feet = rows.flatMap((row) => (row.type === 'foot' ? [row.run_id] : []));
    expect(feet).toEqual([first.id, second.id, 'run_new']);
    expect(rows[0]).toMatchObject({ type: 'user', content: 'Task 3' });
  });

  it('opens a fold into its calls, and says nothing of how the conversation was handed on', () => {
    const event = (type: string, data: Record<string, unknown>, cursor: number): RunEvent => ({
      cursor,
      type,
      ts: AT,
      data,
    });
    const calls = ['a', 'b', 'c'].map((name) => ({
      tool_call_id: name,
      name: 'read_file',
      arguments: { path: `/${name}.md` },
    }));
    const events = [
      event('run.queued', {}, 1),
      event('run.inherited', { from: 'run_0', relation: 'session', step: 9, turns: 4 }, 2),
      event('run.started', {}, 3),
      event('model.started', { turn: 5, try: 1, model: 'm' }, 4),
      event('model.completed', { turn: 5, try: 1, ok: true, text: 'I look.', tool_calls: calls, tokens: {} }, 5),
      ...calls.map(({ tool_call_id: call_id }, at) =>
        event('tool.completed', { turn: 5, call_id, ok: true, summary: '{}', duration_ms: 10 }, 6 + at),
      ),
    ];
    const rowsWith = (opened: ReadonlySet<string>) =>
      conversationOf([message('run_1', 'user', 'Look', 0)], 'run_1', () => told(events), opened);
    const closed = rowsWith(NOTHING_OPEN);
    expect(closed.map(({ type }) => type)).toEqual(['user', 'turn', 'fold', 'foot']);
    const fold = closed.find(({ type }) => type === 'fold')?.key ?? '';
    const open = rowsWith(new Set([fold]));
    expect(open.map(({ type }) => type)).toEqual(['user', 'turn', 'fold', 'call', 'call', 'call', 'foot']);
  });
});

/** What the log has told of the messages by then. */
function heardIn(messages: readonly Said[], events: readonly RunEvent[]) {
  const received = events.filter(({ type }) => type === 'message.received').length;
  const answered = events.filter(
    ({ type, data }) =>
      type === 'model.completed' && data.ok === true && data.purpose === undefined && String(data.text).trim() !== '',
  ).length;
  const { users, answers } = ofMessages(messages);
  return { users: users.slice(0, 1 + received), answers: answers.slice(0, answered) };
}

describe('what was said long ago', () => {
  it('comes from the records of runs, before what the session still holds', () => {
    const old = {
      ...newRun('run_1'),
      input: 'First',
      output: { n: 1 },
      created_at: '2024-04-01T10:00:00.000Z',
      completed_at: '2024-04-01T10:01:00.000Z',
    };
    const held = { ...newRun('run_2'), input: 'Second', output: 'Two' };
    const records = new Map([held, old].map((run) => [run.id, run]));
    const messages = messagesOf({ messages: [message('run_2', 'user', 'Second', 0)] }, records);
    expect(messages.map(({ run_id, role, content }) => [run_id, role, content])).toEqual([
      ['run_1', 'user', 'First'],
      ['run_1', 'assistant', '{\n  "n": 1\n}'],
      ['run_2', 'user', 'Second'],
    ]);
  });
});
