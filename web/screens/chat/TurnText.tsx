import { TimerReset } from 'lucide-react';
import { Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { In } from '../../components/Times.tsx';
import type { ModelItem } from '../../transcript-items.ts';

/** What the model says in one turn, while it writes and afterwards. */
export function TurnText({ item, text, isOver }: { item: ModelItem; text: string; isOver: boolean }) {
  const failed = item.failures.at(-1);
  const isTrying = !isOver && (item.state === 'retrying' || item.state === 'writing');
  if (item.sums_up)
    return (
      <p className="flex min-h-7 items-center px-2 text-small text-faint">
        {item.state === 'done' ? 'Older turns were summed up' : 'Sums up older turns…'}
      </p>
    );
  return (
    <div className="flex flex-col gap-2 py-2">
      {isTrying && failed && (
        <Problem title={`Try ${failed.try} failed`} code={failed.error.code} message={failed.error.message}>
          {item.state === 'retrying' && failed.retry_at && (
            <p className="flex items-center gap-1.5 text-small text-waits">
              <TimerReset aria-hidden size={14} /> tries again <In at={failed.retry_at} />
            </p>
          )}
        </Problem>
      )}
      {text.trim() !== '' && <Markdown text={text} />}
    </div>
  );
}
