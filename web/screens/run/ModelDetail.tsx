import { ChevronRight, TimerReset } from 'lucide-react';
import { callWords } from '../../call-words.ts';
import { Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { In } from '../../components/Times.tsx';
import { Working } from '../../components/Working.tsx';
import { cost, count, duration } from '../../format.ts';
import { awaitsAnswer, awaitsDecision, type Transcript } from '../../transcript.ts';
import type { CallItem, ModelItem } from '../../transcript-items.ts';
import { Fact, Section } from './Section.tsx';
import { StepActions } from './StepActions.tsx';

interface Props {
  runId: string;
  item: ModelItem;
  transcript: Transcript;
  onChoose: (key: string) => void;
  onFork: ((step: number) => void) | null;
}

/** A turn: what the model said, what it called, what it cost, and every try that failed. */
export function ModelDetail({ runId, item, transcript, onChoose, onFork }: Props) {
  const written = transcript.writing?.turn === item.turn ? transcript.writing.text : '';
  const text = item.text || written;
  const calls = transcript.items.filter((each): each is CallItem => each.kind === 'call' && each.turn === item.turn);
  return (
    <Section title={item.sums_up ? 'Older turns were summed up' : `Turn ${item.turn}`} at={item.at}>
      {item.sums_up && (
        <p className="text-soft">
          The conversation came near the model's limit. From here on the model reads this summary in place of the older
          turns; they are all kept, above.
        </p>
      )}
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Fact name="Model">
          <ModelName model={item.model} />
        </Fact>
        {item.tokens && (
          <Fact name="Tokens">
            {count(item.tokens.input)} in{item.tokens.cached > 0 ? ` (${count(item.tokens.cached)} cached)` : ''} ·{' '}
            {count(item.tokens.output)} out
          </Fact>
        )}
        {item.tokens && <Fact name="Cost">{cost(item.cost_usd)}</Fact>}
        {item.duration_ms !== null && <Fact name="Time">{duration(item.duration_ms)}</Fact>}
        {item.try > 1 && <Fact name="Try">{item.try}</Fact>}
      </dl>
      {item.failures.map((failure) => (
        <Problem
          key={failure.try}
          title={`Try ${failure.try} failed`}
          code={failure.error.code}
          message={failure.error.message}
        >
          {failure.retry_at && item.state === 'retrying' && failure === item.failures.at(-1) && (
            <p className="flex items-center gap-1.5 text-small text-waits">
              <TimerReset aria-hidden size={14} /> tries again <In at={failure.retry_at} />
            </p>
          )}
        </Problem>
      ))}
      {text !== '' && <Markdown text={text} />}
      {item.state === 'writing' && <Working word={text === '' ? 'Thinking…' : 'Writing…'} />}
      {item.state === 'done' && text === '' && calls.length === 0 && (
        <p className="text-soft">The model said nothing.</p>
      )}
      {calls.length > 0 && (
        <ul aria-label="Tool calls" className="flex flex-col overflow-hidden rounded-md border border-line">
          {calls.map((call) => (
            <CallLine
              key={call.key}
              call={call}
              onClick={() => onChoose(call.key)}
              isOver={transcript.ended !== null}
            />
          ))}
        </ul>
      )}
      {item.step !== null && <StepActions runId={runId} step={item.step} last={item.step} onFork={onFork} />}
    </Section>
  );
}

function stateWord(call: CallItem, isOver: boolean): string {
  if (call.result) return call.result.ok ? duration(call.result.duration_ms) : 'failed';
  if (isOver) return 'not run';
  return awaitsDecision(call) || awaitsAnswer(call) ? 'waits for you' : 'running';
}

/** One quiet line; what it did opens on click. */
function CallLine({ call, onClick, isOver }: { call: CallItem; onClick: () => void; isOver: boolean }) {
  const { verb, object } = callWords(call);
  const state = stateWord(call, isOver);
  return (
    <li className="border-b border-line last:border-b-0">
      <button
        type="button"
        onClick={onClick}
        className="flex min-h-9 w-full items-center gap-3 px-3 py-1.5 text-left -outline-offset-2 hover:bg-hover"
      >
        <span className="min-w-0 flex-1 truncate">
          {verb} <span className="font-mono text-small text-soft">{object}</span>
        </span>
        <span
          className={`shrink-0 text-small ${state === 'failed' ? 'text-failed' : state === 'waits for you' ? 'text-waits' : 'text-faint'}`}
        >
          {state}
        </span>
        <ChevronRight aria-hidden size={14} className="shrink-0 text-faint" />
      </button>
    </li>
  );
}
