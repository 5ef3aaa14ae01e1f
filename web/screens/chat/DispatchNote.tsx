import { Signpost } from 'lucide-react';
import { confidenceWords, type Told } from '../../dispatching.ts';

/** Whom a question went to, and why. */
export function DispatchNote({ told: { title, reasoning, confidence, by } }: { told: Told }) {
  return (
    <p className="flex items-start gap-2 text-small text-soft">
      <Signpost aria-hidden size={14} className="mt-px shrink-0 text-faint" />
      <span className="min-w-0 break-words">
        {by === 'you' ? 'You chose ' : 'Longhaul chose '}
        <strong className="font-medium text-ink">{title}</strong>
        {by === 'longhaul' && <span> ({confidenceWords(confidence)})</span>}. {reasoning}
      </span>
    </p>
  );
}
