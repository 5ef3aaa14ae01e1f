import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { isDemo } from '../../format.ts';
import { FREE, quoteWords } from '../../quote-words.ts';
import { useSettled } from '../../settled.ts';

const PAUSE_MS = 400;

/** What the run would cost, before it starts. */
export function CostQuote({ agentId, model, input }: { agentId: string; model: string; input: string }) {
  const settled = useSettled(input.trim(), PAUSE_MS);
  const quote = useQuery({
    queryKey: ['quote', agentId, settled],
    queryFn: ({ signal }) => api.quote({ agent_id: agentId, input: settled }, signal),
    enabled: settled !== '' && !isDemo(model),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  if (isDemo(model)) return <Line text={FREE} />;
  if (settled === '') return <Line text="The cost shows here once there is a task." />;
  if (quote.error && !quote.data) return <Line text="What it may cost is not known now." />;
  if (!quote.data)
    return (
      <p className="h-4" aria-busy>
        <Skeleton className="w-64" />
      </p>
    );
  return <Line text={quoteWords(quote.data, model)} />;
}

const Line = ({ text }: { text: string }) => (
  <p role="status" className="text-small text-soft">
    {text}
  </p>
);
