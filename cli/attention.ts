import type { RunEvent } from '../domain/run-events.ts';
import { NO_ANSWER } from '../domain/run-requests.ts';
import { isApiError } from '../sdk/api-error.ts';
import type { Client } from '../sdk/client.ts';
import { isPassing } from '../sdk/http.ts';
import { endOf } from '../sdk/transcript-filter.ts';
import { actionOf, questionOf, text } from './event-data.ts';
import { Keyboard } from './keyboard.ts';
import { actionTitle, type ShownAction, type ShownQuestion } from './pending-view.ts';
import { askAnswer, askDecision, askWhatNow, type Prompting } from './prompts.ts';
import { line, type Screen } from './screen.ts';
import { harmless } from './style.ts';
import { troubleLines } from './trouble.ts';

type Waiting = { id: string; next: number } & (
  | { kind: 'action'; action: ShownAction }
  | { kind: 'question'; question: ShownQuestion }
);

export interface AttentionOptions {
  client: Client;
  run: string;
  /** Where hints and prompts go. */
  screen: Screen;
  /** null where there is nobody to ask: then it is said how to answer. */
  prompting: Prompting | null;
  leave: () => void;
}

const decidedIn = (event: RunEvent): string | null => {
  if (event.type === 'action.decided') return text(event.data.action_id);
  return event.type === 'clarification.received' ? text(event.data.question_id) : null;
};

function howToAnswer(run: string, waiting: { kind: 'action' | 'question'; id: string }): string[] {
  if (waiting.kind === 'question') return [`  Answer with: longhaul answer ${run} "…"`];
  const approve = `longhaul approve ${run} --action ${waiting.id}`;
  return [`  Allow with:  ${approve}`, `  Deny with:   ${approve} --deny --reason "…"`];
}

/** Sees to what of a run needs a person: one thing at a time, and only what nobody has answered yet. */
export class Attention {
  private readonly waiting = new Map<string, Waiting>();
  private open: { id: string; taken: AbortController } | null = null;
  private work: Promise<void> | null = null;
  private menu: AbortController | null = null;
  private talk: Promise<void> = Promise.resolve();
  private talking = false;
  private over = false;

  private readonly keyboard: Keyboard | null;

  constructor(private readonly options: AttentionOptions) {
    this.keyboard = options.prompting && new Keyboard(() => void this.interrupted());
    this.keyboard?.listen();
  }

  notice(event: RunEvent): void {
    const next = event.cursor + 1;
    const decided = decidedIn(event);
    if (decided !== null) {
      this.waiting.delete(decided);
      if (this.open?.id === decided) this.open.taken.abort();
    }
    if (event.type === 'action.pending') {
      const action = actionOf(event.data);
      this.add({ kind: 'action', id: action.id, next, action });
    }
    if (event.type === 'clarification.requested') {
      const question = questionOf(event.data);
      this.add({ kind: 'question', id: question.id, next, question });
    }
    if (endOf(event)) this.close();
  }

  private add(waiting: Waiting): void {
    this.waiting.set(waiting.id, waiting);
    this.work ??= this.seeToAll();
  }

  private async seeToAll(): Promise<void> {
    const [next] = this.waiting.values();
    if (!next || this.over) {
      this.work = null;
      return;
    }
    const { prompting, screen, run } = this.options;
    if (!(await this.isAnswered(next))) {
      if (prompting) await this.alone(() => this.ask(next, prompting));
      else screen.show(howToAnswer(run, next).map(line));
    }
    // Changed, it has been asked again meanwhile.
    if (this.waiting.get(next.id) === next) this.waiting.delete(next.id);
    return this.seeToAll();
  }

  /** The terminal holds one prompt at a time. */
  private alone(talk: () => Promise<void>): Promise<void> {
    const { screen } = this.options;
    const after = this.talk.then(async () => {
      screen.hold();
      this.keyboard?.mute();
      this.talking = true;
      try {
        await talk();
      } finally {
        this.talking = false;
        if (!this.over) this.keyboard?.listen();
        screen.release();
      }
    });
    this.talk = after.catch(() => undefined);
    return after;
  }

  /** Asked of the log itself: while old events are shown, a later one may hold the answer. */
  private async isAnswered(waiting: Waiting): Promise<boolean> {
    const { client, run } = this.options;
    const { events } = await client.runs.eventPage(run, { cursor: waiting.next }).catch(() => ({ events: [] }));
    return !this.waiting.has(waiting.id) || events.some((event) => decidedIn(event) === waiting.id || endOf(event));
  }

  private async ask(waiting: Waiting, prompting: Prompting): Promise<void> {
    const taken = new AbortController();
    this.open = { id: waiting.id, taken };
    for (let again = true; again && !this.over && !taken.signal.aborted; ) {
      try {
        const answered = await this.put(waiting, prompting, taken.signal);
        again = !answered && !taken.signal.aborted && (await this.chosenToStay());
      } catch (error) {
        again = !isApiError(error) || isPassing(error);
        for (const said of troubleLines(error)) prompting.print(said);
      }
    }
    this.open = null;
  }

  /** false: Ctrl-C, or answered elsewhere meanwhile. */
  private async put(waiting: Waiting, prompting: Prompting, signal: AbortSignal): Promise<boolean> {
    const { client, run } = this.options;
    if (waiting.kind === 'question') {
      const answer = await askAnswer(signal);
      if (answer === null) return false;
      await client.runs.answer(run, waiting.id, answer || NO_ANSWER);
      return true;
    }
    const { id: action_id, digest } = waiting.action;
    const decision = await askDecision(waiting.action, prompting, signal);
    switch (decision.do) {
      case 'stopped':
        return false;
      case 'later':
        prompting.print(`${harmless(actionTitle(waiting.action))} goes on waiting.`);
        for (const hint of howToAnswer(run, waiting)) prompting.print(hint);
        return true;
      case 'deny':
        await client.runs.confirm(run, {
          ...{ action_id, digest, confirmed: false },
          ...(decision.reason ? { reason: decision.reason } : {}),
        });
        return true;
      case 'revise':
        await client.runs.revise(run, { action_id, digest, arguments: decision.arguments });
        return true;
      case 'allow':
        await client.runs.confirm(run, {
          ...{ action_id, digest, confirmed: true },
          ...(decision.for_session ? { for_session: true } : {}),
        });
        return true;
    }
  }

  /** Ctrl-C outside of a prompt. */
  async interrupted(): Promise<void> {
    if (!this.options.prompting) return this.options.leave();
    if (this.talking) return;
    await this.alone(async () => void (await this.chosenToStay()));
  }

  private async chosenToStay(): Promise<boolean> {
    const { client, run, leave, prompting } = this.options;
    this.menu = new AbortController();
    const choice = await askWhatNow(this.menu.signal);
    const ended = this.menu.signal.aborted;
    this.menu = null;
    if (ended) return false;
    if (choice === 'leave') leave();
    if (choice === 'cancel') {
      const failed = await client.runs.cancel(run).then(
        () => null,
        (error: unknown) => error,
      );
      if (failed) for (const said of troubleLines(failed)) prompting?.print(said);
    }
    return choice === 'stay';
  }

  close(): void {
    this.over = true;
    this.keyboard?.mute();
    this.open?.taken.abort();
    this.menu?.abort();
  }

  /** Resolves when no prompt is left on the terminal. */
  async closed(): Promise<void> {
    this.close();
    await Promise.all([this.work, this.talk]);
  }
}
