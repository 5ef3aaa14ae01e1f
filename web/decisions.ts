import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConfirmAction, NO_ANSWER, ReviseAction } from '../domain/run-requests.ts';
import { api } from './api.ts';

/** Typed against the contract, without taking its schemas into the bundle. */
export const SKIPPED: typeof NO_ANSWER = 'no_user_answer';

export type Decision = Pick<ConfirmAction, 'confirmed' | 'reason'> & {
  /** The tool is not asked about again in this conversation. */
  for_session?: boolean;
};

/** What a person says to a run. The run's own log tells what became of it; lists are read again. */
export function useDecisions(runId: string) {
  const client = useQueryClient();
  const onSettled = () => {
    client.invalidateQueries({ queryKey: ['inbox'] });
    client.invalidateQueries({ queryKey: ['run', runId] });
    client.invalidateQueries({ queryKey: ['session'] });
  };
  const decide = useMutation({
    mutationFn: ({ id, digest, ...decision }: Decision & { id: string; digest: string }) =>
      api.confirm(runId, { action_id: id, digest, ...decision }),
    onSettled,
  });
  /** The card is shown anew once the run has found out what it would do with these. */
  const revise = useMutation({
    mutationFn: ({ id, ...body }: Omit<ReviseAction, 'action_id'> & { id: string }) =>
      api.revise(runId, { action_id: id, ...body }),
    onSettled,
  });
  const answer = useMutation({
    mutationFn: ({ id, text }: { id: string; text: string }) => api.answer(runId, id, text),
    onSettled,
  });
  return { decide, revise, answer };
}
