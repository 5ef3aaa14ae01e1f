import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { FlowStepView } from '../../../domain/flow-view.ts';
import type { Run } from '../../../domain/run.ts';
import type { FlowStep } from '../../../domain/workflow-definition.ts';
import { looksOf } from '../../workflow-words.ts';
import { workflowsApi } from '../../workflows-api.ts';

/** Not more often than somebody can look. */
const READ_EVERY_MS = 300;

/** The steps of a run as they are now: read again whenever its log has told something. */
export function useFlow(run: Run, cursor: number) {
  const client = useQueryClient();
  const flow = useQuery({ queryKey: ['flow', run.id], queryFn: () => workflowsApi.flow(run.id) });
  const timer = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was told is why it is read again
  useEffect(() => {
    timer.current ??= window.setTimeout(() => {
      timer.current = null;
      void client.invalidateQueries({ queryKey: ['flow', run.id] });
      void client.invalidateQueries({ queryKey: ['run', run.id] });
    }, READ_EVERY_MS);
  }, [client, run.id, cursor]);
  useEffect(() => () => window.clearTimeout(timer.current ?? undefined), []);
  // As the definition was validated when it was saved.
  const steps = useMemo(() => (flow.data?.steps ?? []) as unknown[] as FlowStep[], [flow.data]);
  const runSteps = flow.data?.run_steps ?? NONE;
  const isOver = run.completed_at !== null;
  const waits = useMemo(() => new Set(run.pending_actions.map(({ id }) => id)), [run.pending_actions]);
  const looks = useMemo(() => looksOf(steps, runSteps, waits, isOver), [steps, runSteps, waits, isOver]);
  return { error: flow.error, isPending: flow.isPending, steps, runSteps, looks, names: flow.data?.names ?? NO_NAMES };
}

const NONE: FlowStepView[] = [];
const NO_NAMES: Record<string, string> = {};

/** What to look at while nobody has chosen: what waits, what failed, what runs, or the last. */
export function mattersMost(steps: readonly FlowStepView[], waits: ReadonlySet<string>): FlowStepView | undefined {
  const leaf = steps.filter(({ type }) => !['condition', 'parallel', 'map'].includes(type));
  return (
    leaf.find(({ action_id, status }) => status === 'running' && action_id !== null && waits.has(action_id)) ??
    leaf.find(({ status }) => status === 'failed') ??
    leaf.find(({ status }) => status === 'running') ??
    leaf.at(-1)
  );
}
