import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../domain/run-events.ts';
import {
  emptyTranscript,
  mattersNow,
  retryAt,
  spentInTree,
  spentSoFar,
  statusOf,
  type Transcript,
  waiting,
} from '../../web/transcript.ts';
import { receive, write } from '../../web/transcript-merge.ts';

const TS = '2024-05-01T10:00:00.000Z';

function told(...events: [type: string, data: Record<string, unknown>][]): Transcript {
  const log = events.map(([type, data], index): RunEvent => ({ cursor: index + 1, type, ts: TS, data }));
  return receive(emptyTranscript(), log).transcript;
}

const started = (turn: number, attempt = 1): [string, Record<string, unknown>] => [
  'model.started',
  { turn, try: attempt, model: 'demo/longhaul' },
];
const answered = (turn: number, text: string, ...calls: string[]): [string, Record<string, unknown>] => [
  'model.completed',
  {
    turn,
    try: 1,
    ok: true,
    text,
    tool_calls: calls.map((id) => ({ tool_call_id: id, name: 'write_file', arguments: { path: `/${id}` } })),
    tokens: { input: 10, output: 2, cached: 0 },
    model: 'demo/longhaul',
    duration_ms: 5,
  },
];
const failed = (turn: number, attempt: number, retry_after_ms: number | null): [string, Record<string, unknown>] => [
  'model.completed',
  { turn, try: attempt, ok: false, error: { code: 'rate_limited', message: '429' }, retry_after_ms },
];
const pending = (call_id: string): [string, Record<string, unknown>] => [
  'action.pending',
  {
    action_id: `a-${call_id}`,
    turn: 1,
    call_id,
    type: 'write_file',
    path: '/x',
    arguments: {},
    preview: '',
    digest: 'd',
  },
];
const review = { turn: 1, call_id: 'c', review_id: 'r' };
const proposed: [string, Record<string, unknown>][] = [
  ['run.started', {}],
  started(1),
  answered(1, '', 'c'),
  ['edits.proposed', { ...review, proposal: 1, edits: 1, files: 1 }],
];
const delta = (turn: number, attempt: number, offset: number, text: string) => ({
  run_id: 'r',
  turn,
  try: attempt,
  offset,
  text,
});

describe('a turn', () => {
  it('that was too long to answer and was summed up instead is no answer', () => {
    const again: [string, Record<string, unknown>] = [
      'model.started',
      { turn: 1, try: 2, model: 'demo/longhaul', purpose: 'compact' },
    ];
    const { items } = told(started(1), failed(1, 1, null), again, answered(1, 'So far: nothing.'));
    expect(items).toMatchObject([{ kind: 'model', turn: 1, sums_up: true, state: 'done' }]);
  });
});

describe('text being written', () => {
  const cases: [name: string, pieces: [number, number, number, string][], text: string | undefined, jumped: boolean][] =
    [
      [
        'grows piece by piece',
        [
          [1, 1, 0, 'so'],
          [1, 1, 2, 'ak'],
        ],
        'soak',
        false,
      ],
      [
        'is not doubled by a piece that comes twice',
        [
          [1, 1, 0, 'so'],
          [1, 1, 0, 'so'],
          [1, 1, 2, 'ak'],
          [1, 1, 2, 'ak'],
        ],
        'soak',
        false,
      ],
      [
        'takes from an overlapping piece what is new',
        [
          [1, 1, 0, 'soa'],
          [1, 1, 0, 'soaked'],
        ],
        'soaked',
        false,
      ],
      [
        'does not shrink to an older copy of itself',
        [
          [1, 1, 0, 'soaked'],
          [1, 1, 0, 'so'],
        ],
        'soaked',
        false,
      ],
      [
        'starts anew with a new try',
        [
          [1, 1, 0, 'lost'],
          [1, 2, 0, 'new'],
        ],
        'new',
        false,
      ],
      [
        'leaves out what is late from an earlier try',
        [
          [1, 2, 0, 'new'],
          [1, 1, 4, 'late'],
        ],
        'new',
        false,
      ],
      ['asks again when its beginning is missing', [[1, 1, 5, 'tail']], undefined, true],
      [
        'asks again when a piece is missing, and keeps what it has',
        [
          [1, 1, 0, 'so'],
          [1, 1, 4, 'ed'],
        ],
        'so',
        true,
      ],
    ];
  it.each(cases)('%s', (_, pieces, text, jumped) => {
    let transcript = told(['run.started', {}], started(1));
    let last = false;
    for (const piece of pieces) {
      const received = write(transcript, delta(...piece));
      transcript = received.transcript;
      last = received.jumped;
    }
    expect(transcript.writing?.text).toBe(text);
    expect(last).toBe(jumped);
  });

  it('is superseded by the whole answer, after which late pieces change nothing', () => {
    const begun = write(told(['run.started', {}], started(1)), delta(1, 1, 0, 'half an ans')).transcript;
    const done = receive(begun, [
      { cursor: 3, type: 'model.completed', ts: TS, data: answered(1, 'half an answer')[1] },
    ]);
    expect(done.transcript.writing).toBeNull();
    expect(write(done.transcript, delta(1, 1, 11, 'wer')).transcript).toBe(done.transcript);
    expect(write(done.transcript, delta(2, 1, 0, 'next')).transcript.writing?.text).toBe('next');
  });

  it('ends with the run', () => {
    const over = told(['run.started', {}], started(1), ['run.cancelled', { output: null, error: null }]);
    expect(write(over, delta(1, 1, 0, 'late')).transcript.writing).toBeNull();
    expect(over.items[0]).toMatchObject({ kind: 'model', state: 'stopped' });
  });
});

describe('the status', () => {
  it.each([
    ['queued before it has started', [['run.queued', {}]], 'queued'],
    ['running while a model works', [['run.started', {}], started(1)], 'running'],
    [
      'awaiting_confirmation while an action is undecided',
      [['run.started', {}], started(1), answered(1, '', 'c'), pending('c')],
      'awaiting_confirmation',
    ],
    [
      'running again once it is decided',
      [
        ['run.started', {}],
        started(1),
        answered(1, '', 'c'),
        pending('c'),
        ['action.decided', { action_id: 'a-c', turn: 1, call_id: 'c', confirmed: true }],
      ],
      'running',
    ],
    [
      'waiting_for_user while a question is open',
      [
        ['run.started', {}],
        started(1),
        answered(1, '', 'c'),
        ['clarification.requested', { question_id: 'q', turn: 1, call_id: 'c', question: '?' }],
      ],
      'waiting_for_user',
    ],
    ['awaiting_review while people look at its edits', proposed, 'awaiting_review'],
    ['running while they are applied', [...proposed, ['apply.started', review]], 'running'],
    [
      'awaiting_review once they do not fit what is there',
      [...proposed, ['apply.started', review], ['conflict.detected', review]],
      'awaiting_review',
    ],
    ['running while they are made anew', [...proposed, ['review.updated', { ...review, action: 'rerun' }]], 'running'],
    [
      'running while those of a run below are looked at there',
      [['run.started', {}], started(1), answered(1, '', 'c'), ['conflict.detected', { ...review, run_id: 'run_2' }]],
      'running',
    ],
    [
      'how it ended, whatever was open',
      [['run.started', {}], started(1), answered(1, '', 'c'), pending('c'), ['run.cancelled', {}]],
      'cancelled',
    ],
  ] satisfies [string, [string, Record<string, unknown>][], string][])('is %s', (_, events, status) => {
    expect(statusOf(told(...events))).toBe(status);
  });
});

describe('what matters now', () => {
  it('is the oldest thing that waits for a person, before anything newer', () => {
    const transcript = told(['run.started', {}], started(1), answered(1, '', 'c', 'd'), pending('d'), pending('c'));
    expect(waiting(transcript).map(({ key }) => key)).toEqual(['call-1-c', 'call-1-d']);
    expect(mattersNow(transcript)).toBe('call-1-c');
  });

  it('is the turn under way while it works, and the end when it is over', () => {
    const working = told(['run.started', {}], started(1), answered(1, 'Hm', 'c'), started(2));
    expect(mattersNow(working)).toBe('turn-2');
    expect(mattersNow(told(['run.started', {}], ['run.completed', { output: 'x' }]))).toBe('end');
  });
});

describe('a run that has handed work to another', () => {
  const begun: [string, Record<string, unknown>][] = [
    ['run.started', {}],
    started(1),
    answered(1, '', 'c'),
    ['delegation.started', { turn: 1, call_id: 'c', child_run_id: 'run_x', agent_id: 'a', agent_name: 'Helper' }],
  ];
  const asks: [string, Record<string, unknown>] = [
    'action.pending',
    { run_id: 'run_x', agent_name: 'Helper', action_id: 'a1', type: 'write_file', path: '/x', digest: 'd' },
  ];

  it('is looked at where the other works', () => {
    expect(mattersNow(told(...begun))).toBe('call-1-c');
    expect(statusOf(told(...begun))).toBe('running');
  });

  it('counts what the other has used so far, where that is known', () => {
    const child = told(['run.started', {}], started(1), answered(1, 'Hm'));
    const all = spentSoFar(told(...begun), (id) => (id === 'run_x' ? child : undefined));
    expect(all).toEqual({ iterations: 2, tokens: 24, cost_usd: 0 });
    expect(spentSoFar(told(...begun), () => undefined)).toMatchObject({ iterations: 1, tokens: 12 });
  });

  it('waits when the other asks, until that is decided here or there', () => {
    const waits = told(...begun, asks);
    expect(statusOf(waits)).toBe('awaiting_confirmation');
    expect(mattersNow(waits)).toBe('ask-a1');
    const by = { user_id: 'u', name: 'Ada' };
    const decided = told(...begun, asks, ['action.decided', { run_id: 'run_x', action_id: 'a1', confirmed: true, by }]);
    expect(statusOf(decided)).toBe('running');
    expect(decided.items.at(-1)).toMatchObject({ kind: 'ask', action: { decision: { confirmed: true, by } } });
  });

  it('asks nobody any more for one that has ended, and counts what it has used', () => {
    const spent = { iterations: 2, tokens: 300, micros: 1500 };
    const over = told(...begun, asks, [
      'delegation.completed',
      { turn: 1, call_id: 'c', child_run_id: 'run_x', status: 'cancelled', ok: false, spent, duration_ms: 7 },
    ]);
    expect(waiting(over)).toEqual([]);
    expect(statusOf(over)).toBe('running');
    expect(spentInTree(over)).toEqual({ iterations: 3, tokens: 312, cost_usd: 0.0015 });
    expect(over.items.find(({ key }) => key === 'call-1-c')).toMatchObject({
      delegation: { status: 'cancelled', spent: { tokens: 300 } },
      result: { ok: false },
    });
  });
});

describe('a run that sleeps', () => {
  it('says until when it waits for its turn, until it has it', () => {
    const until = '2024-05-01T11:00:00.000Z';
    const limited: [string, Record<string, unknown>] = ['run.rate_limited', { turn: 1, until, limit: 100 }];
    expect(told(['run.started', {}], limited).turn_at).toBe(until);
    expect(told(['run.started', {}], limited, started(1)).turn_at).toBeNull();
  });

  it('is paused, whatever else waits, until somebody lets it go on', () => {
    const by = { user_id: 'u', name: 'Ada' };
    const paused = told(['run.started', {}], started(1), answered(1, '', 'c'), pending('c'), ['run.paused', { by }]);
    expect(statusOf(paused)).toBe('paused');
    expect(statusOf(told(['run.started', {}], ['run.paused', { by }], ['run.resumed', { by }]))).toBe('running');
  });
});

describe('a price', () => {
  it('is unknown for the run once it is unknown for one call', () => {
    const priced = (turn: number, cost_usd: number | null): [string, Record<string, unknown>] => [
      'model.completed',
      { ...answered(turn, '')[1], cost_usd },
    ];
    expect(told(started(1), priced(1, 0.25), started(2), priced(2, 0.5)).cost_usd).toBe(0.75);
    expect(told(started(1), priced(1, 0.25), started(2), priced(2, null)).cost_usd).toBeNull();
  });
});

describe('a failed try', () => {
  it('says when the next one is made, until it is', () => {
    const waits = told(['run.started', {}], started(1), failed(1, 1, 30_000));
    expect(retryAt(waits)).toBe('2024-05-01T10:00:30.000Z');
    const again = told(['run.started', {}], started(1), failed(1, 1, 30_000), started(1, 2));
    expect(retryAt(again)).toBeNull();
    expect(again.items).toHaveLength(1);
    expect(again.items[0]).toMatchObject({ try: 2, state: 'writing', failures: [{ try: 1 }] });
  });
});

describe('an event of an unknown kind', () => {
  it('moves the cursor and nothing else', () => {
    const transcript = told(['run.started', {}], ['checkpoint.created', { id: 'x' }]);
    expect(transcript.next_cursor).toBe(3);
    expect(transcript.items).toEqual([]);
  });
});
