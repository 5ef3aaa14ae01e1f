import fc from 'fast-check';
import { compactableUpTo } from '../../domain/compaction.ts';
import { conversation } from '../../domain/conversation.ts';
import type { Fact } from '../../domain/facts.ts';
import { fold } from '../../domain/fold.ts';
import type { ModelMessage, ToolCall } from '../../domain/model.ts';
import { emptyState } from '../../domain/run-state.ts';
import { type Move, nextMove, type Rules } from '../../domain/turn.ts';
import {
  agentWith,
  answered,
  asked,
  BEGIN,
  begun,
  budgetOf,
  called,
  cancelled,
  childAnswered,
  childAsked,
  decided,
  delegated,
  failed,
  finished,
  message,
  paused,
  pending,
  replied,
  returned,
  rules,
  tool,
  unpaused,
} from './told.ts';

export const MAX_ITERATIONS = 12;
const NAMES = ['read_file', 'write_file', 'clarify_user', 'launch_rocket', 'delegate_to_scout'];
const RESERVED = { tokens: 30, micros: 3 };

/** One run, played by the moves that are due, in a world that does as the dice say. */
export class Played {
  readonly log: Fact[][] = [];
  readonly state = emptyState();
  readonly requests: { turn: number; messages: ModelMessage[] }[] = [];
  readonly sent: string[] = [];
  private readonly rules: Rules;
  private now = BEGIN;

  constructor(
    private readonly dice: number[],
    more: Partial<Rules> = {},
    inherited: Fact[] = [],
  ) {
    this.rules = rules({ budget: budgetOf({ max_iterations: MAX_ITERATIONS, max_tokens: 1_000_000 }), ...more });
    if (inherited.length > 0) this.add(inherited);
    this.add(begun);
  }

  private add(facts: Fact[]): void {
    this.log.push(facts);
    const { n, next_step: first_step, next_cursor: first_cursor } = this.state;
    const at = new Date(BEGIN + 1000 * this.log.length).toISOString();
    fold(this.state, { n: n + 1, token: null, at, facts, first_step, first_cursor });
  }

  /** Dice that have run out always fall on the side that goes on. */
  private falls(oneIn: number): boolean {
    return (this.dice.shift() ?? 1) % oneIn === 0;
  }

  private pick<T>(from: T[]): T | undefined {
    return from[(this.dice.shift() ?? 0) % from.length];
  }

  private meanwhile(): void {
    if (this.falls(5)) {
      const content = `message ${this.sent.length}`;
      this.sent.push(content);
      this.add([message(content)]);
    }
    if (this.falls(11) && !this.state.paused) this.add([paused]);
    if (this.falls(40) && !this.state.cancel_requested) this.add([cancelled]);
  }

  private callsOf(turn: number): ToolCall[] {
    const count = (this.dice.shift() ?? 0) % 4;
    return Array.from({ length: count }, (_, n) => tool(`c${turn}_${n}`, this.pick(NAMES) ?? '', { path: '/a.md' }));
  }

  private call({ turn, try: attempt, preface, purpose }: Extract<Move, { do: 'call' }>): void {
    const upto = compactableUpTo(this.state);
    this.add([...preface, called(turn, attempt, { reserved: RESERVED, ...(purpose ? { purpose } : {}) })]);
    this.requests.push({ turn, messages: conversation(agentWith(), 'Go.', this.state) });
    this.meanwhile();
    if (this.falls(7)) return;
    if (this.falls(5)) this.add([failed(turn, attempt)]);
    else if (purpose) this.add([answered(turn, { text: `summary ${turn}`, attempt, upto })]);
    else this.add([answered(turn, { text: `answer ${turn}`, calls: this.callsOf(turn), attempt, cost_micros: 2 })]);
  }

  private finishAll({ turn, calls }: Extract<Move, { do: 'tools' }>): void {
    for (const { call, decision } of calls) {
      const changes = call.name === 'write_file' && decision?.confirmed === true;
      const kept: Fact = { kind: 'files_kept', snapshot: `after ${call.tool_call_id}` };
      this.add([finished(turn, call.tool_call_id, `result of ${call.tool_call_id}`), ...(changes ? [kept] : [])]);
    }
  }

  /** A person answers, or a run below comes to its end, or asks a person in its turn. */
  private answerOne({ ids, children }: Extract<Move, { do: 'wait' }>): void {
    const { state } = this;
    if (state.paused) this.add([unpaused]);
    const [bubbled] = state.bubbled;
    const id = this.pick([...ids, ...children]) ?? '';
    const [, kind, turn, call = ''] = /^(act|q|run)_(\d+)_(.+)$/.exec(id) ?? [];
    if (bubbled) this.add([childAnswered(bubbled.child_run_id)]);
    else if (kind === 'act') this.add([decided(Number(turn), call, !this.falls(3))]);
    else if (kind === 'q') this.add([replied(Number(turn), call)]);
    else if (kind === 'run' && this.falls(4)) this.add([childAsked(id)]);
    else if (kind === 'run') this.add([returned(Number(turn), call, { iterations: 0, tokens: 5, micros: 1 })]);
  }

  step(): Move {
    this.now += 1_000;
    const move = nextMove(this.state, this.rules, this.now);
    if (move.do === 'call') this.call(move);
    else if (move.do === 'tools') this.finishAll(move);
    else if (move.do === 'delegate') this.add(move.calls.map(({ call }) => delegated(move.turn, call.tool_call_id)));
    else if (move.do === 'ask') {
      const put = ({ call }: (typeof move.calls)[number]) =>
        (call.name === 'clarify_user' ? asked : pending)(move.turn, call.tool_call_id);
      this.add(move.calls.map(put));
    } else if (move.do === 'wait') this.answerOne(move);
    else if (move.do === 'stop_children') {
      const { turns } = this.state;
      const open = turns.at(-1)?.calls.filter(({ child, finished: done }) => child && !done) ?? [];
      this.add(open.map(({ call }) => returned(turns.length, call.tool_call_id)));
    } else if (move.do === 'retry') this.now += move.after_ms;
    else if (move.do === 'end') {
      this.add([{ kind: 'ended', status: move.status, output: move.output, error: move.error }]);
    }
    if (move.do === 'retry' || move.do === 'wait') this.meanwhile();
    return move;
  }
}

export function play(dice: number[], more: Partial<Rules> = {}, inherited: Fact[] = []): Played {
  const run = new Played([...dice], more, inherited);
  for (let moves = 0; run.step().do !== 'nothing'; moves++) {
    if (moves > 500) throw new Error('it never ends');
  }
  return run;
}

export const anyDice = fc.array(fc.nat(999), { maxLength: 160 });
