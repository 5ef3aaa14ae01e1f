import { Bot, ChevronDown, ChevronRight, Hand, MessageCircleQuestionMark } from 'lucide-react';
import { callWords } from '../../call-words.ts';
import { SKIPPED } from '../../decisions.ts';
import { duration, firstLine } from '../../format.ts';
import { lookOf } from '../../status.ts';
import { awaitsAnswer, awaitsDecision } from '../../transcript.ts';
import type { CallItem } from '../../transcript-items.ts';
import { WaitingCall } from '../run/AskDetail.tsx';
import { CallDetail } from '../run/CallDetail.tsx';
import { toolIcon } from '../run/CallRow.tsx';

export const LINE =
  'flex min-h-7 w-full min-w-0 items-center gap-2 rounded px-2 text-left text-small text-soft -outline-offset-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-10';

interface Props {
  runId: string;
  item: CallItem;
  open: boolean;
  depth: number;
  isOver: boolean;
  waits: boolean;
  onToggle: () => void;
}

interface Outcome {
  word: string;
  ink: string;
}

function outcomeOf({ action, question, delegation, result }: CallItem, isOver: boolean): Outcome {
  const decision = action?.decision;
  if (decision && !decision.confirmed)
    return { word: decision.reason ? `denied: ${decision.reason}` : 'denied', ink: 'text-failed' };
  if (question?.answer) {
    const { text } = question.answer;
    return { word: text === SKIPPED ? 'skipped' : firstLine(text ?? 'answered'), ink: 'text-soft' };
  }
  if (result && !result.ok) return { word: result.was_allowed ? 'failed' : 'not allowed', ink: 'text-failed' };
  if (result && delegation?.status) return { word: lookOf(delegation.status).word, ink: 'text-faint' };
  if (result && decision)
    return {
      word: `allowed${decision.edited ? ', edited' : ''}${decision.for_session ? ' for this session' : ''}`,
      ink: 'text-done',
    };
  if (result) return { word: duration(result.duration_ms), ink: 'text-faint' };
  return isOver ? { word: 'not done', ink: 'text-faint' } : { word: 'working…', ink: 'text-running' };
}

/** One quiet line; what it did opens on click. What waits for a person is a card in its place. */
export function CallLine({ runId, item, open, depth, isOver, waits, onToggle }: Props) {
  const { question, action, delegation } = item;
  if (!isOver && item.result === null && (awaitsDecision(item) || awaitsAnswer(item)))
    return (
      <div className="py-2">
        <WaitingCall
          runId={runId}
          item={item}
          takesFocus={waits}
          takesKeys={waits}
          forSession={action?.can_allow_for_session ?? false}
        />
      </div>
    );
  const { verb, object } = callWords(item);
  const outcome = outcomeOf(item, isOver);
  const Icon = question ? MessageCircleQuestionMark : action ? Hand : delegation ? Bot : toolIcon(item);
  return (
    <div className={depth > 0 ? 'pl-5' : ''}>
      <button type="button" aria-expanded={open} onClick={onToggle} className={LINE}>
        <Icon aria-hidden size={14} className="shrink-0 text-faint" />
        <span className="min-w-0 truncate">
          {question ? (
            <>Question {firstLine(question.question)}</>
          ) : delegation ? (
            <>
              Handed to {delegation.agent_name}: {firstLine(object)}
            </>
          ) : (
            <>
              {verb} <span className="font-mono">{object}</span>
            </>
          )}
        </span>
        <span className={`ml-auto min-w-0 max-w-1/2 shrink-0 truncate pl-2 ${outcome.ink}`}>{outcome.word}</span>
        {open ? (
          <ChevronDown aria-hidden size={14} className="shrink-0 text-faint" />
        ) : (
          <ChevronRight aria-hidden size={14} className="shrink-0 text-faint" />
        )}
      </button>
      {open && (
        <div className="my-1 rounded-lg border border-line p-4 max-sm:p-3">
          <CallDetail runId={runId} item={item} isOver={isOver} takesFocus={false} onFork={null} />
        </div>
      )}
    </div>
  );
}
