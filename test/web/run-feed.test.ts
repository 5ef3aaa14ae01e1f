import { describe, expect, it } from 'vitest';
import { statusOf as stateStatus } from '../../domain/open-calls.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { spentInTree as engineSpent, iterationsUsed } from '../../domain/spending.ts';
import { type RunFeed, runFeed } from '../../web/run-feed.ts';
import { emptyTranscript, spentInTree, statusOf } from '../../web/transcript.ts';
import { receive } from '../../web/transcript-merge.ts';
import { type Happening, type RandomRun, random, randomRun, upTo } from './random-run.ts';

const logOf = ({ happenings }: RandomRun): RunEvent[] =>
  happenings.flatMap((each) => (each.kind === 'append' ? each.events : []));

const straight = (events: RunEvent[]) => receive(emptyTranscript(), events).transcript;

type Message = (feed: RunFeed) => void;

/** A server and the way to it: answers are paged, messages come twice or overtake each other, the line breaks. */
class Line {
  readonly log: RunEvent[] = [];
  private writing: { turn: number; try: number; text: string } | null = null;
  private isUp = true;
  private queue: Message[] = [];
  readonly feed: RunFeed = runFeed((cursor) => this.asked(cursor));
  disconnects = 0;

  constructor(private readonly next: () => number) {}

  private send(message: Message): void {
    if (!this.isUp) return;
    this.queue.push(message);
    if (this.next() < 0.2) this.queue.push(message);
  }

  private asked(cursor: number): void {
    if (!this.isUp) return;
    const reply: Message = (feed) => feed.replied({ ok: true, status: 'running' });
    if (this.next() < 0.5) this.send(reply);
    const size = 1 + upTo(this.next, 4);
    for (let from = cursor - 1; from < this.log.length; from += size) {
      const events = this.log.slice(from, from + size);
      this.send((feed) => feed.events(events));
    }
    const written = this.writing;
    if (written) this.send((feed) => feed.delta({ run_id: 'r', offset: 0, ...written }));
    this.send(reply);
  }

  happen(happening: Happening): void {
    if (happening.kind === 'append') {
      this.log.push(...happening.events);
      if (happening.events.some(({ type }) => type.startsWith('model.') || type === 'run.completed'))
        this.writing = null;
      this.send((feed) => feed.events(happening.events));
      return;
    }
    const { turn, try: attempt, offset, text } = happening;
    const before = offset === 0 ? '' : (this.writing?.text ?? '');
    this.writing = { turn, try: attempt, text: before + text };
    this.send((feed) => feed.delta({ run_id: 'r', turn, try: attempt, offset, text }));
  }

  deliver(): boolean {
    const at = this.next() < 0.25 ? upTo(this.next, Math.min(3, this.queue.length - 1)) : 0;
    const [message] = this.queue.splice(Math.max(0, at), 1);
    message?.(this.feed);
    return message !== undefined;
  }

  break(): void {
    this.isUp = false;
    this.queue = [];
    this.disconnects += 1;
    this.feed.disconnected();
  }

  mend(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.feed.ask();
  }
}

describe('a feed over a line that breaks, repeats and reorders', () => {
  it('[15.7] gives a byte-identical transcript, and nothing twice on the way', () => {
    let disconnects = 0;
    for (let seed = 1; seed <= 150; seed += 1) {
      const run = randomRun(seed);
      const next = random(seed * 7919);
      const line = new Line(next);
      line.feed.ask();
      for (const happening of run.happenings) {
        line.happen(happening);
        const chance = next();
        if (chance < 0.08) line.break();
        else if (chance < 0.3) line.mend();
        while (next() < 0.55 && line.deliver());
        if (next() < 0.8) continue;
        const { transcript } = line.feed.state();
        const known = line.log.slice(0, transcript.next_cursor - 1);
        expect(JSON.stringify({ ...transcript, writing: null }), `seed ${seed}, on the way`).toBe(
          JSON.stringify(straight(known)),
        );
      }
      line.mend();
      while (line.deliver());
      const { transcript, caught_up } = line.feed.state();
      expect(JSON.stringify({ ...transcript, writing: null }), `seed ${seed}, at the end`).toBe(
        JSON.stringify(straight(logOf(run))),
      );
      expect(caught_up, `seed ${seed}`).toBe(true);
      disconnects += line.disconnects;
    }
    expect(disconnects).toBeGreaterThan(500);
  });

  it('shows text being written as it was written, however its pieces arrive', () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const run = randomRun(seed);
      const next = random(seed * 104_729);
      const line = new Line(next);
      const texts = new Map<string, string>();
      line.feed.ask();
      for (const happening of run.happenings) {
        line.happen(happening);
        if (happening.kind === 'text') {
          const key = `${happening.turn}.${happening.try}`;
          texts.set(key, (happening.offset === 0 ? '' : (texts.get(key) ?? '')) + happening.text);
        }
        if (next() < 0.05) line.break();
        else if (next() < 0.3) line.mend();
        while (next() < 0.6 && line.deliver());
        const { writing } = line.feed.state().transcript;
        if (!writing) continue;
        const whole = texts.get(`${writing.turn}.${writing.try}`) ?? '';
        expect(whole.startsWith(writing.text), `seed ${seed}: ${writing.text}`).toBe(true);
      }
    }
  });
});

describe('a transcript', () => {
  it('agrees with the engine on status, turns, tokens and the next cursor', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const run = randomRun(seed);
      const transcript = straight(logOf(run));
      expect(statusOf(transcript), `seed ${seed}`).toBe(stateStatus(run.state));
      expect(transcript.iterations).toBe(iterationsUsed(run.state));
      expect(transcript.tokens).toEqual(run.state.usage);
      const { iterations, tokens, micros } = engineSpent(run.state);
      expect(spentInTree(transcript)).toMatchObject({ iterations, tokens });
      expect(spentInTree(transcript).cost_usd).toBeCloseTo(micros / 1_000_000, 9);
      expect(transcript.next_cursor).toBe(run.state.next_cursor);
    }
  });
});

describe('a node of the transcript', () => {
  it('knows the number of its step, as the log counts them', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const run = randomRun(seed);
      const { items, next_step } = straight(logOf(run));
      expect(next_step, `seed ${seed}`).toBe(run.state.next_step);
      const typeOf = (step: number | null | undefined) => run.steps.find((each) => each.step_number === step);
      for (const item of items) {
        if (item.kind === 'model' && item.step !== null) {
          expect(typeOf(item.step)).toMatchObject({
            type: 'llm_response',
            content: { turn: item.turn, text: item.text },
          });
        } else if (item.kind === 'call') {
          const { turn, call_id } = item;
          expect(typeOf(item.step)).toMatchObject({ type: 'tool_call', content: { turn, call_id } });
          expect(typeOf(item.result?.step)).toMatchObject({ type: 'tool_result', content: { turn, call_id } });
        } else if (item.kind === 'warning') expect(typeOf(item.step)).toMatchObject({ type: 'budget_warning' });
        else if (item.kind === 'rejected') expect(typeOf(item.step)).toMatchObject({ type: 'error' });
      }
    }
  });
});

describe('a feed', () => {
  const event = (cursor: number, type = 'run.queued'): RunEvent => ({
    cursor,
    type,
    ts: '2024-01-01T00:00:00.000Z',
    data: {},
  });

  it('asks again from its cursor when events jump, and only once while the answer is on its way', () => {
    const asked: number[] = [];
    const feed = runFeed((cursor) => asked.push(cursor));
    feed.ask();
    feed.replied({ ok: true, status: 'running' });
    feed.events([event(1)]);
    feed.events([event(4)]);
    feed.events([event(5)]);
    expect(asked).toEqual([1, 2]);
    expect(feed.state().caught_up).toBe(false);
  });

  it('keeps a live event that overtook the answer which fills the hole before it', () => {
    const feed = runFeed(() => undefined);
    feed.ask();
    feed.events([event(3, 'run.completed')]);
    feed.events([event(1), event(2, 'run.started')]);
    expect(feed.state().transcript.ended?.status).toBe('completed');
    expect(feed.state().transcript.next_cursor).toBe(4);
  });

  it('tells why the server refused', () => {
    const feed = runFeed(() => undefined);
    feed.ask();
    feed.replied({ ok: false, error: 'not_found', message: 'There is no such run.' });
    expect(feed.state().refused).toEqual({ code: 'not_found', message: 'There is no such run.' });
  });
});
