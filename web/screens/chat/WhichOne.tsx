import { Bot, ListOrdered, type LucideIcon, Signpost, Wrench } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { Badge } from '../../components/Badge.tsx';
import { type Choice, confidenceWords } from '../../dispatching.ts';
import { isWriting, useShortcuts } from '../../shortcuts.ts';

const KINDS: Record<Choice['kind'], { icon: LucideIcon; word: string }> = {
  agent: { icon: Bot, word: 'Agent' },
  tool: { icon: Wrench, word: 'Tool' },
  plan: { icon: ListOrdered, word: 'Several' },
};

/** The Enter that sent the question, and others on their way, choose nothing. */
const ARMED_AFTER_MS = 400;

interface Props {
  title: string;
  reasoning: string;
  choices: Choice[];
  /** The one that was clicked. */
  busy: Choice | null;
  onChoose: (choice: Choice) => void;
}

/** What a question may be for: one click, or one key, goes on with it. */
export function WhichOne({ title, reasoning, choices, busy, onChoose }: Props) {
  const id = useId();
  const list = useRef<HTMLOListElement>(null);
  const armedAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    armedAt.current = performance.now() + ARMED_AFTER_MS;
    if (!isWriting(document.activeElement)) list.current?.querySelector('button')?.focus({ preventScroll: true });
    list.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const isArmed = (): boolean => performance.now() >= armedAt.current;
  const byKey = (choice: Choice): void => {
    if (isArmed() && busy === null) onChoose(choice);
  };
  useShortcuts(Object.fromEntries(choices.map((choice, n) => [String(n + 1), () => byKey(choice)])));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.repeat || !isArmed())) event.preventDefault();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button.matches(':focus'));
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };

  return (
    <section aria-labelledby={id} className="overflow-hidden rounded-lg border border-waits/40 bg-surface">
      <header className="flex items-start gap-2.5 bg-waits-wash px-4 py-3">
        <Signpost aria-hidden size={16} className="mt-0.5 shrink-0 text-waits" />
        <div className="min-w-0">
          <h2 id={id} className="font-medium text-waits">
            {title}
          </h2>
          <p className="break-words">{reasoning}</p>
        </div>
      </header>
      <ol ref={list} onKeyDown={onKeyDown} className="divide-y divide-line">
        {choices.map((choice, n) => (
          <li key={`${choice.kind} ${[...choice.chosen.tools, ...choice.chosen.agents].join(' ')}`}>
            <Line
              choice={choice}
              number={n + 1}
              isBusy={busy === choice}
              disabled={busy !== null}
              onChoose={() => onChoose(choice)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface LineProps {
  choice: Choice;
  number: number;
  isBusy: boolean;
  disabled: boolean;
  onChoose: () => void;
}

function Line({ choice, number, isBusy, disabled, onChoose }: LineProps) {
  const { title, kind, does, reason, confidence } = choice;
  return (
    <button
      type="button"
      aria-keyshortcuts={String(number)}
      aria-busy={isBusy}
      disabled={disabled}
      onClick={onChoose}
      className="flex w-full items-start gap-3 px-4 py-3 text-left -outline-offset-2 hover:bg-hover focus-visible:bg-hover disabled:opacity-55 aria-busy:animate-pulse aria-busy:opacity-100"
    >
      <kbd
        aria-hidden
        className="mt-0.5 flex size-5 shrink-0 items-center justify-center rounded border border-line bg-canvas font-sans text-small text-faint"
      >
        {number}
      </kbd>
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className={`min-w-0 break-words font-medium ${kind === 'tool' ? 'font-mono' : ''}`}>{title}</span>
          <Badge {...KINDS[kind]} />
          <span className="ml-auto text-small text-soft">{confidenceWords(confidence)}</span>
        </span>
        {does && <span className="line-clamp-3 break-words text-soft">{does}</span>}
        {reason && <span className="line-clamp-2 break-words text-small text-faint">{reason}</span>}
      </span>
    </button>
  );
}
