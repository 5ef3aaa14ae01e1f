import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Delivery, DeliveryStatus } from '../../../domain/event.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { Value } from '../../components/Value.tsx';
import { triggersApi } from '../../triggers-api.ts';

const LOOK_MS = 3_000;
const WORDS: Record<DeliveryStatus, string> = {
  pending: 'Received',
  started: 'Started',
  refused: 'Not started',
  unmatched: 'No subscription fits',
};

interface Props {
  workspaceId: string;
  mayRedeliver: boolean;
}

/** What came in, newest first, and what came of it. */
export function Deliveries({ workspaceId, mayRedeliver }: Props) {
  const list = useInfiniteQuery({
    queryKey: ['deliveries', workspaceId],
    queryFn: ({ pageParam }) => triggersApi.deliveries(workspaceId, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: LOOK_MS,
  });
  const deliveries = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-label="Deliveries" aria-busy={list.isPending} className="flex flex-col gap-2">
      <h2 className="font-semibold">Deliveries</h2>
      {list.error && !list.data && <ErrorNote title="The deliveries could not be read" error={list.error} />}
      {list.isPending && <Skeleton className="h-14 w-full" />}
      {list.isSuccess && deliveries.length === 0 && (
        <p className="text-soft">Nothing was received yet. The example above sends a first event.</p>
      )}
      {deliveries.length > 0 && (
        <ul aria-label="Deliveries" className="divide-y divide-line overflow-hidden rounded-lg border border-line">
          {deliveries.map((delivery) => (
            <Line key={delivery.id} delivery={delivery} mayRedeliver={mayRedeliver} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button className="self-center" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function Line({ delivery, mayRedeliver }: { delivery: Delivery; mayRedeliver: boolean }) {
  const { id, delivery_id, source_name, status, runs, payload, received_at } = delivery;
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const again = useMutation({
    mutationFn: () => triggersApi.redeliver(id),
    onSuccess: () => toast('Delivered once more'),
    onError: (error) => toast(error.message, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const latest = runs.at(-1);
  return (
    <li className="flex flex-col">
      <div className="flex min-h-12 items-center gap-3 px-4 py-2 hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-2 text-left"
        >
          <ChevronRight aria-hidden size={14} className={`shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
          <span className="flex min-w-0 flex-col">
            <span className="truncate">
              <span className="font-medium">{source_name}</span>{' '}
              <span className="font-mono text-small text-soft">{delivery_id}</span>
            </span>
            <span className="text-small text-faint">
              <Ago at={received_at} />
              {delivery.attempts > 1 && ` · ${delivery.attempts} attempts`}
            </span>
          </span>
        </button>
        {latest?.run_status ? (
          <StatusBadge status={latest.run_status} />
        ) : (
          <span className={`text-small whitespace-nowrap ${status === 'refused' ? 'text-failed' : 'text-soft'}`}>
            {WORDS[status]}
          </span>
        )}
      </div>
      {isOpen && (
        <div className="flex flex-col gap-4 border-t border-line bg-canvas p-4">
          {runs.length > 0 && (
            <ul aria-label="Runs" className="flex flex-col gap-2">
              {runs.map((run) => (
                <li key={`${run.subscription_id}:${run.attempt}`} className="flex flex-col gap-1">
                  <p className="flex flex-wrap items-center gap-x-3">
                    <span className="font-medium">{run.subscription_name}</span>
                    {run.run_status && <StatusBadge status={run.run_status} />}
                    {run.run_id && (
                      <Link
                        to={`/runs/${encodeURIComponent(run.run_id)}`}
                        className="text-small text-accent-ink hover:underline"
                      >
                        See run
                      </Link>
                    )}
                  </p>
                  {run.error && <p className="text-small break-words text-failed">{run.error.message}</p>}
                  {run.output !== null && <Value value={run.output} label={`Output of ${run.subscription_name}`} />}
                </li>
              ))}
            </ul>
          )}
          <div className="flex flex-col gap-1">
            <p className="text-small text-faint">Payload</p>
            <Value value={payload} label="Payload" />
          </div>
          {mayRedeliver && (
            <Button className="self-start" busy={again.isPending} onClick={() => again.mutate()}>
              <RotateCw aria-hidden size={14} /> Deliver again
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
