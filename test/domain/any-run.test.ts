import fc from 'fast-check';
import { expect, it } from 'vitest';
import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import type { ModelMessage, ToolCall } from '../../domain/model.ts';
import { currentTurn, iterationsUsed, type RunState, statusOf } from '../../domain/run-state.ts';
import { entryEvents, entrySteps } from '../../domain/trace.ts';
import { type Move, nextMove } from '../../domain/turn.ts';
import {
  agentWith,
  answered,
  asked,
  BEGIN,
  begun,
  called,
  cancelled,
  decided,
  entriesOf,
  failed,
  finished,
  message,
  pending,
  replied,
  rules,
  stateOf,
  tool,
} from './told.ts';

const MAX_ITERATIONS = 12;
const budget = { max_iterations: MAX_ITERATIONS, max_tokens: 1_000_000 };
const NAMES = ['read_file', 'write_file', 'clarify_user', 'launch_rocket'];

/** One run, played by the moves that are due, in a world that does as the dice say. */
class Played {
  readonly log: Fact[][] = [begun];
  readonly requests: { turn: number; messages: ModelMessage[] }[] = [];
  readonly sent: string[] = [];
  now = BEGIN;

  constructor(private readonly dice: number[]) {}

  get state(): RunState {
    return stateOf(...this.log);
  }

  /** Dice that have run out always fall on the side that goes on. */
  private falls(oneIn: number): boolean {
    return (this.dice.shift() ?? 1) % oneIn === 0;
  }

  private meanwhile(): void {
    if (this.falls(5)) {
      const content = `message ${this.sent.length}`;
      this.sent.push(content);
      this.log.push([message(content)]);
    }
    if (this.falls(40) && !this.state.cancel_requested) this.log.push([cancelled]);
  }

  private callsOf(turn: number): ToolCall[] {
    const count = (this.dice.shift() ?? 0) % 4;
    return Array.from({ length: count }, (_, n) =>
      tool(`c${turn}_${n}`, NAMES[(this.dice.shift() ?? 0) % 4] ?? '', { path: '/a.md' }),
    );
  }

  private call({ turn, try: attempt, warning }: Extract<Move, { do: 'call' }>): void {
    this.log.push(warning ? [warning, called(turn, attempt)] : [called(turn, attempt)]);
    this.requests.push({ turn, messages: conversation(agentWith(), 'Go.', this.state) });
    this.meanwhile();
    if (this.falls(7)) return;
    if (this.falls(5)) this.log.push([failed(turn, attempt)]);
    else this.log.push([answered(turn, { text: `answer ${turn}`, calls: this.callsOf(turn), attempt })]);
  }

  private answerOne(ids: string[]): void {
    const id = ids[(this.dice.shift() ?? 0) % ids.length] ?? '';
    const [, kind, turn, call] = /^(act|q)_(\d+)_(.+)$/.exec(id) ?? [];
    const fact = kind === 'act' ? decided(Number(turn), call ?? '', !this.falls(3)) : replied(Number(turn), call ?? '');
    this.log.push([fact]);
  }

  step(): Move {
    this.now += 1_000;
    const move = nextMove(this.state, rules({ budget }), this.now);
    if (move.do === 'call') this.call(move);
    else if (move.do === 'tools') this.log.push(move.calls.map(({ call }) => finished(move.turn, call.tool_call_id)));
    else if (move.do === 'ask') {
      const put = ({ call }: (typeof move.calls)[number]) =>
        (call.name === 'clarify_user' ? asked : pending)(move.turn, call.tool_call_id);
      this.log.push(move.calls.map(put));
    } else if (move.do === 'wait') this.answerOne(move.ids);
    else if (move.do === 'retry') this.now += move.after_ms;
    else if (move.do === 'end') {
      this.log.push([{ kind: 'ended', status: move.status, output: move.output, error: move.error }]);
    }
    if (move.do === 'retry' || move.do === 'wait') this.meanwhile();
    return move;
  }
}

function play(dice: number[]): Played {
  const run = new Played([...dice]);
  for (let moves = 0; run.step().do !== 'nothing'; moves++) {
    if (moves > 500) throw new Error('it never ends');
  }
  return run;
}

const anyRun = fc.array(fc.nat(999), { maxLength: 120 });
const holds = (check: (run: Played) => void) => fc.assert(fc.property(anyRun, (dice) => check(play(dice))));

it('[3] a run comes to its end within its iterations, whatever happens', () =>
  holds((run) => {
    expect(iterationsUsed(run.state)).toBeLessThanOrEqual(MAX_ITERATIONS);
    expect(statusOf(run.state)).toBe(run.state.ended?.status);
  }));

it('[3] events and steps are numbered without a gap over any log', () =>
  holds((run) => {
    const entries = entriesOf(run.log);
    const events = entries.flatMap(entryEvents);
    const steps = entries.flatMap(entrySteps);
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(steps.map(({ step_number }) => step_number)).toEqual(steps.map((_, index) => index + 1));
    expect(run.state).toMatchObject({ next_cursor: events.length + 1, next_step: steps.length + 1 });
  }));

it('[2] a change runs after a person allowed or denied it, and a call has one result', () =>
  holds((run) => {
    for (const { calls } of run.state.turns) {
      for (const { call, decision, finished: result } of calls) {
        if (call.name === 'write_file' && result) expect(decision).not.toBeNull();
      }
    }
    const results = run.log.flat().flatMap((fact) => (fact.kind === 'tool_finished' ? [fact.call_id] : []));
    expect(new Set(results).size).toBe(results.length);
  }));

it('[3] what was sent to the model stays the beginning of all that is sent later', () =>
  holds((run) => {
    for (const [index, { turn, messages }] of run.requests.entries()) {
      // A try without an outcome is asked again from its beginning, maybe with more: only what was answered binds.
      const later = run.requests.slice(index + 1).find((request) => request.turn === turn + 1);
      const wasAnswered = !run.requests.slice(index + 1).some((request) => request.turn === turn);
      if (later && wasAnswered) expect(later.messages.slice(0, messages.length)).toEqual(messages);
    }
  }));

it('[3] every message is read once, in the order it was sent, unless the run was over before', () =>
  holds((run) => {
    const last = run.requests.at(-1)?.messages ?? [];
    const read = last.flatMap(({ role, content }) =>
      role === 'user' && content.startsWith('message') ? [content] : [],
    );
    expect(read).toEqual(run.sent.slice(0, read.length));
    if (run.state.ended?.status === 'completed') expect(read).toEqual(run.sent);
    expect(currentTurn(run.state)?.turn ?? 0).toBe(run.state.turns.length);
  }));
