import { commandEnd } from '../domain/command-outcome.ts';
import type { RunEvent, ToolOutput } from '../domain/run-events.ts';
import { NO_ANSWER } from '../domain/run-requests.ts';
import { endOf, type RunItem } from '../sdk/transcript-filter.ts';
import { AnswerStream } from './answer-stream.ts';
import { CallOutput } from './call-output.ts';
import { actionOf, conflictsIn, type Data, list, number, personOf, questionOf, record, text } from './event-data.ts';
import { actionLines, callTitle, conflictLines, questionLines, reviewLines } from './pending-view.ts';
import { line, type Piece } from './screen.ts';
import { brief, harmless, type Style } from './style.ts';
import { counted, figure, statusWord, took } from './words.ts';

export interface RenderOptions {
  style: Style;
  /** Show text while it is written. Elsewhere than on a terminal it is shown when it is whole. */
  streaming: boolean;
  /** Longest preview of an action, in lines. */
  previewLines: number;
}

interface Call {
  title: string;
  /** Something else has told of it already. */
  told: boolean;
}

const answerWords = (answer: string): string =>
  answer === NO_ANSWER ? 'left it unanswered' : `answered: ${brief(answer, 200)}`;

/** A command that failed is a result like any other, and worth a word. */
const exitOf = (data: Data): string => {
  const end = commandEnd(text(data.summary));
  if (!end || end.isGood) return '';
  const { cut, tests, exit_code } = end;
  return `  (${tests ? `${tests.failed} failed, ${tests.passed} passed` : (cut ?? `exit ${exit_code}`)})`;
};

/** Turns what a run tells into what a person reads. Knows nothing of terminals, clocks or the network. */
export class RunRenderer {
  private readonly calls = new Map<string, Call>();
  private readonly used = { turns: 0, tokens: 0 };
  private readonly answer: AnswerStream;
  private lastText = '';
  private readonly said = new CallOutput();
  private begun: string | null = null;
  /** What the run is at, for the passing line. */
  doing = 'queued';

  constructor(private readonly options: RenderOptions) {
    this.answer = new AnswerStream(options.style);
  }

  take(item: RunItem): Piece[] {
    switch (item.kind) {
      case 'event':
        return this.event(item.event);
      case 'delta':
        return this.options.streaming ? this.answer.goOn(item.delta) : [];
      case 'output':
        return this.output(item.output);
    }
  }

  private event(event: RunEvent): Piece[] {
    const { style, previewLines } = this.options;
    const { data } = event;
    this.begun ??= event.ts;
    switch (event.type) {
      case 'run.started':
        this.begun = event.ts;
        this.doing = 'running';
        return [];
      case 'model.started':
        return this.callStarted(data);
      case 'model.completed':
        return data.ok === false ? this.callFailed(data) : this.answered(data);
      case 'tool.completed':
        return this.toolCompleted(data);
      case 'action.pending':
        this.doing = 'waiting for a decision';
        return actionLines(actionOf(data), style, previewLines).map(line);
      case 'action.decided':
        return this.decided(data);
      case 'clarification.requested':
        this.doing = 'waiting for an answer';
        this.call(data).told = true;
        return questionLines(questionOf(data), style).map(line);
      case 'clarification.received':
        this.doing = 'running';
        return [line(style('dim', `  ${personOf(data)} ${answerWords(text(data.answer))}`))];
      case 'message.received':
        return [line(`${style('cyan', '»')} ${personOf(data)}: ${harmless(text(data.content))}`)];
      case 'delegation.started':
        return this.handedOver(data);
      case 'delegation.completed':
        return this.handedBack(data);
      case 'workflow.step.started':
        this.doing = `at ${text(data.step)}`;
        // What does the step is told by its step: a line each would say everything twice.
        this.call(data).told = true;
        return [];
      case 'workflow.step.completed':
        return this.stepEnded(data);
      case 'run.rate_limited':
        this.doing = 'waiting for its turn';
        return [
          line(
            style(
              'yellow',
              `! ${figure(number(data.limit))} requests this hour are made: goes on at ${text(data.until)}.`,
            ),
          ),
        ];
      case 'output.rejected':
        return [line(style('yellow', '! The answer does not fit the output schema; the model is told why.'))];
      case 'provider.selected':
        // The only one there is: the title names it.
        if (data.reason === 'mode_remote') return [];
        return [
          line(
            style(
              'dim',
              `  ${text(data.model)}: ${[text(data.reason), text(data.trigger)].filter(Boolean).join(', ')}`,
            ),
          ),
        ];
      case 'checkout.ready': {
        const from = `${harmless(text(data.branch))} on ${harmless(text(data.executor))}`;
        const what = data.restored === true ? 'Files restored as of the last step:' : 'Checked out';
        return [line(style('dim', `${what} ${from}.`))];
      }
      case 'run.inherited':
        // In a session it is the conversation that goes on, and that is there to be seen.
        if (data.relation === 'session') return [];
        return [line(style('dim', `Goes on from ${text(data.from)} after step ${number(data.step)}.`))];
      case 'diff.generated':
        this.doing = 'waiting for a review';
        return reviewLines(data, style).map(line);
      case 'conflict.detected':
        this.doing = 'waiting for a review';
        return conflictLines(conflictsIn(data), style, text(data.run_id)).map(line);
      case 'apply.completed':
        return [line(style('green', '✓ The accepted changes are written.'))];
      case 'run.paused':
        this.doing = 'paused';
        return [line(style('yellow', `‖ Paused by ${personOf(data)}.`))];
      case 'run.resumed':
        this.doing = 'running';
        return [line(style('dim', `Goes on: ${personOf(data)} let it.`))];
      case 'run.budget_warning':
        return [line(style('yellow', `! Close to the limit of ${text(data.limit)}: the agent is told to finish.`))];
      default:
        return this.ended(event);
    }
  }

  private handedOver(data: Data): Piece[] {
    this.doing = `waiting for ${text(data.agent_name)}`;
    const { style } = this.options;
    return [
      line(`${style('cyan', '→')} ${harmless(text(data.agent_name))} ${style('dim', `· ${text(data.child_run_id)}`)}`),
    ];
  }

  private handedBack(data: Data): Piece[] {
    this.doing = 'running';
    const { style } = this.options;
    this.call(data).told = true;
    const how = data.ok === true ? style('green', '←') : style('red', '←');
    const said = data.ok === true ? text(data.summary) : text(record(data.error).message);
    return [line(`${how} ${brief(said, 200)} ${style('dim', took(number(data.duration_ms)))}`)];
  }

  private stepEnded(data: Data): Piece[] {
    const { style } = this.options;
    const time = style('dim', took(number(data.duration_ms)));
    const again = number(data.attempt) > 1 ? style('dim', ` try ${number(data.attempt)}`) : '';
    const step = harmless(text(data.step));
    if (data.status === 'completed') return [line(`${style('green', '✓')} ${step}${again} ${time}`)];
    const why = brief(text(record(data.error).message), 200);
    return [line(`${style('red', '✗')} ${step}${again} ${time}`), line(style('dim', `  ${why}`))];
  }

  private call(data: Data): Call {
    const id = text(data.call_id);
    const known = this.calls.get(id) ?? { title: text(data.name), told: false };
    this.calls.set(id, known);
    return known;
  }

  private callStarted(data: Data): Piece[] {
    this.doing = 'waiting for the model';
    return this.answer.begin(number(data.turn), number(data.try));
  }

  /** Set off from what the agent says. */
  private output(output: ToolOutput): Piece[] {
    const lines = this.said.linesOf(output);
    this.doing = `running ${this.calls.get(output.call_id)?.title ?? 'a command'}`;
    return lines.map((one) => line(this.options.style('dim', `  │ ${harmless(one)}`)));
  }

  private answered(data: Data): Piece[] {
    if (data.purpose === 'compact') {
      this.used.turns += 1;
      return [line(this.options.style('dim', '… older turns were summed up to keep the conversation short'))];
    }
    const whole = text(data.text);
    this.used.turns += 1;
    this.used.tokens += number(record(data.tokens).input) + number(record(data.tokens).output);
    this.lastText = whole;
    for (const call of list(data.tool_calls)) {
      const title = callTitle(text(call.name), record(call.arguments));
      this.calls.set(text(call.tool_call_id), { title, told: false });
    }
    if (list(data.tool_calls).length > 0) this.doing = 'using tools';
    return this.answer.end(number(data.turn), number(data.try), whole);
  }

  private callFailed(data: Data): Piece[] {
    const { style } = this.options;
    const { message, retryable } = record(data.error);
    this.answer.drop();
    const again = retryable === true ? ' It is tried again.' : '';
    return [line(style('yellow', `! Model call ${number(data.turn)} failed: ${brief(text(message), 300)}${again}`))];
  }

  private toolCompleted(data: Data): Piece[] {
    const { style } = this.options;
    const { title, told } = this.call(data);
    this.doing = 'running';
    if (told) return [];
    const time = took(number(data.duration_ms));
    if (data.ok === true) return [line(style('dim', `  ✓ ${title}${exitOf(data)}  ${time}`))];
    const why = brief(text(record(data.error).message), 200);
    return [line(`${style('red', '  ✗')} ${style('dim', `${title}  ${time}`)}`), line(style('dim', `    ${why}`))];
  }

  private decided(data: Data): Piece[] {
    const { style } = this.options;
    this.doing = 'running';
    const who = personOf(data);
    if (data.confirmed === true) {
      return [line(style('dim', `  ${who} allowed it${data.edited === true ? ' with changes' : ''}`))];
    }
    this.call(data).told = true;
    const reason = brief(text(data.reason), 200);
    return [line(style('dim', `  ${who} denied it${reason === '' ? '' : `: ${reason}`}`))];
  }

  private ended(event: RunEvent): Piece[] {
    const status = endOf(event);
    if (status === null) return [];
    const { style } = this.options;
    const { output, error } = event.data;
    const pieces: Piece[] = [];
    // The last answer is the output of most runs, and stands there already.
    if (output !== null && output !== undefined && output !== '' && output !== this.lastText) {
      pieces.push(line(harmless(typeof output === 'string' ? output : JSON.stringify(output, null, 2))));
    }
    const message = text(record(error).message);
    if (message !== '') pieces.push(line(style('red', harmless(message))));
    const spent = `${counted(this.used.turns, 'turn')} · ${figure(this.used.tokens)} tokens`;
    const time = took(Date.parse(event.ts) - Date.parse(this.begun ?? event.ts));
    return [...pieces, line(), line(`${statusWord(status, style)} ${style('dim', `· ${spent} · ${time}`)}`)];
  }
}
