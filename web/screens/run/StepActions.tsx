import { useQuery } from '@tanstack/react-query';
import { GitFork, Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { api, type Explanation } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { cost, count } from '../../format.ts';

interface Props {
  runId: string;
  /** Of which the reason is asked. */
  step: number;
  /** The last step a fork from here takes over. */
  last: number;
  /** Null where nothing can be forked: the run goes on, or it is shown inside another. */
  onFork: ((step: number) => void) | null;
}

const ASK_AGAIN_MS = 1_000;

const isPending = (answer: Explanation | undefined): boolean => answer !== undefined && !('text' in answer);

/** What one may do about a step: ask why it was taken, or go on from it another way. */
export function StepActions({ runId, step, last, onFork }: Props) {
  const [wanted, setWanted] = useState(false);
  // Asking again is free: what was explained once is kept, and what is being explained is waited for.
  const why = useQuery({
    queryKey: ['rationale', runId, step],
    queryFn: () => api.explain(runId, step),
    enabled: wanted,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isPending(state.data) ? ASK_AGAIN_MS : false),
  });
  const explained = why.data && 'text' in why.data ? why.data : null;
  const busy = wanted && !explained && !why.error;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-2">
        {!explained && (
          <Button
            kind="quiet"
            busy={busy}
            title="Asks the model to explain this step. That is one more model call, made once."
            onClick={() => (wanted ? void why.refetch() : setWanted(true))}
          >
            <Lightbulb aria-hidden size={14} /> {busy ? 'Asking…' : 'Why?'}
          </Button>
        )}
        {onFork && (
          <Button kind="quiet" onClick={() => onFork(last)}>
            <GitFork aria-hidden size={14} /> Fork after step {last}
          </Button>
        )}
        <span className="ml-auto text-small text-faint">Step {step}</span>
      </div>
      {why.error && <ErrorNote title="No explanation could be had" error={why.error} />}
      {explained && (
        <section aria-label="Why" className="flex flex-col gap-2 rounded-md bg-canvas p-3">
          <Markdown text={explained.text} />
          <p className="text-small text-faint">
            Explained by {explained.model} · {count(explained.tokens.input + explained.tokens.output)} tokens ·{' '}
            {cost(explained.cost_usd)}
          </p>
        </section>
      )}
    </div>
  );
}
